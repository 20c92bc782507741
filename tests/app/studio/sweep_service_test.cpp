#include "app/studio/sweep_service.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/app/studio/script_engine.h"

namespace kurve::studio {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = views::SweepStatus::Kind;

class SweepServiceTest : public ScriptEngineTest {
protected:
    [[nodiscard]] std::vector<std::string> budgets() const {
        std::ifstream file(folder_ / "words");
        std::vector<std::string> all;
        for (std::string word; file >> word;)
            if (word == "--max-seconds" && file >> word) all.push_back(word);
        return all;
    }
    /// What it says in the end; "" if there was no end.
    static std::string outcome(SweepService& service, const views::SweepWish& wish) {
        service.start(wish);
        const bool ended = test::waitFor([&] { return service.status().kind == Kind::Idle; });
        return ended ? service.status().text.toStdString() : "";
    }
    static views::SweepWish wish(const QStringList& runs, int seconds = 0) {
        views::SweepWish wish{runs, {"sampler.steps=1,2"}};
        wish.seconds = seconds;
        return wish;
    }
};

TEST_F(SweepServiceTest, SaysWhatTheBudgetLeft) {
    SweepService service(engine("echo '{\"v\":1,\"type\":\"done\",\"left\":12,\"seconds\":61.5}'\n"), "/p");
    EXPECT_EQ(outcome(service, wish({"a"}, 60)), "12 points left. The budget is used; Start goes on.");
    EXPECT_EQ(outcome(service, wish({"a", "b", "c"}, 60)),
              "12 points left; not begun: b, c. The budget is used; Start goes on.");
}

TEST_F(SweepServiceTest, RunsShareOneBudget) {
    SweepService service(engine("echo '{\"v\":1,\"type\":\"done\",\"left\":0,\"seconds\":20.5}'\n"), "/p");
    EXPECT_EQ(outcome(service, wish({"a", "b", "c"}, 60)), "Done.");
    EXPECT_THAT(budgets(), ElementsAre("60", "39.5", "19"));
    EXPECT_EQ(outcome(service, wish({"a", "b", "c"})), "Done.");
    EXPECT_THAT(budgets(), ::testing::SizeIs(3)) << "without a budget there is no end";
}

TEST_F(SweepServiceTest, TheEstimateCountsRefinedPoints) {
    SweepService service(engine("echo '{\"v\":1,\"type\":\"done\",\"points\":8,\"refine\":4,"
                                "\"cached\":3,\"seconds\":40}'\n"),
                         "/p");
    auto asked = wish({"a", "b"}, 60);
    asked.estimateOnly = true;
    EXPECT_THAT(outcome(service, asked), HasSubstr("16 points and up to 8 refined, 6 known already"));
}

}  // namespace
}  // namespace kurve::studio
