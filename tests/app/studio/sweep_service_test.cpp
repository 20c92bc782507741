#include "app/studio/services/sweep_service.h"

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
    [[nodiscard]] std::vector<std::string> timeLimits() const {
        std::ifstream file(folder_ / "words");
        std::vector<std::string> all;
        for (std::string word; file >> word;)
            if (word == "--max-seconds" && file >> word) all.push_back(word);
        return all;
    }
    /// The final status; "" if there was none.
    static std::string outcome(SweepService& service, const views::SweepRequest& request) {
        service.start(request);
        const bool ended = test::waitFor([&] { return service.status().kind == Kind::Idle; });
        return ended ? service.status().text.toStdString() : "";
    }
    static views::SweepRequest request(const QStringList& runs, int seconds = 0) {
        views::SweepRequest request{runs, {"sampler.steps=1,2"}};
        request.seconds = seconds;
        return request;
    }
};

TEST_F(SweepServiceTest, ReportsPointsLeftByTheTimeLimit) {
    SweepService service(engine("echo '{\"v\":1,\"type\":\"done\",\"left\":12,\"seconds\":61.5}'\n"), "/p");
    EXPECT_EQ(outcome(service, request({"a"}, 60)), "12 points left. Time limit reached; Start continues.");
    EXPECT_EQ(outcome(service, request({"a", "b", "c"}, 60)),
              "12 points left; not started: b, c. Time limit reached; Start continues.");
}

TEST_F(SweepServiceTest, RunsShareOneTimeLimit) {
    SweepService service(engine("echo '{\"v\":1,\"type\":\"done\",\"left\":0,\"seconds\":20.5}'\n"), "/p");
    EXPECT_EQ(outcome(service, request({"a", "b", "c"}, 60)), "Done.");
    EXPECT_THAT(timeLimits(), ElementsAre("60", "39.5", "19"));
    EXPECT_EQ(outcome(service, request({"a", "b", "c"})), "Done.");
    EXPECT_THAT(timeLimits(), ::testing::SizeIs(3)) << "without a time limit";
}

TEST_F(SweepServiceTest, ACancelEndsAllRunsAlsoAfterAPause) {
    SweepService service(engine("read line; read line; exit 0\n"), "/p");
    service.start(request({"a", "b"}, 60));
    service.pause();
    service.cancel();
    EXPECT_TRUE(test::waitFor([&] { return service.status().kind == Kind::Idle; }));
    EXPECT_THAT(service.status().text.toStdString(), HasSubstr("Cancelled"));
    EXPECT_EQ(timeLimits().size(), 1U) << "the second did not begin";
}

TEST_F(SweepServiceTest, TheEstimateCountsRefinedPoints) {
    SweepService service(engine("echo '{\"v\":1,\"type\":\"done\",\"points\":8,\"refine\":4,"
                                "\"cached\":3,\"seconds\":40}'\n"),
                         "/p");
    auto estimate = request({"a", "b"}, 60);
    estimate.estimateOnly = true;
    EXPECT_THAT(outcome(service, estimate), HasSubstr("16 points and up to 8 refined, 6 cached"));
}

}  // namespace
}  // namespace kurve::studio
