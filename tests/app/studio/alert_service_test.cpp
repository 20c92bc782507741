#include "app/studio/services/alert_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QTest>
#include <fstream>
#include <sstream>

#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"

namespace kurve::studio {
namespace {

using ::testing::IsEmpty;

class AlertServiceTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        std::ofstream(folder_ / "project.toml") << "name = \"p\"\n";
    }
    [[nodiscard]] store::Project project() const { return *store::Project::open(folder_.path()); }
    [[nodiscard]] std::filesystem::path file() const { return alerts::rulesFile(folder_.path()); }

    testing::TemporaryFolder folder_;
};

TEST_F(AlertServiceTest, AnEngineReadsTheSavedRules) {
    AlertService service(project());
    auto rules = service.rules();
    ASSERT_GT(rules.size(), 1U);
    rules.pop_back();
    service.setRules(rules);
    ASSERT_TRUE(QTest::qWaitFor(
        [&] {
            const auto read = alerts::loadRules(folder_.path());
            return std::filesystem::exists(file()) && read && read->size() == rules.size();
        },
        10000));
    EXPECT_EQ(alerts::toText(*alerts::loadRules(folder_.path())), alerts::toText(rules));
    EXPECT_EQ(alerts::toText(AlertService(project()).rules()), alerts::toText(rules));
}

TEST_F(AlertServiceTest, ChangesOfAnotherWindowAreShownAndKept) {
    AlertService first(project()), second(project());
    auto rules = first.rules();
    rules[0].enabled = !rules[0].enabled;
    first.setRules(rules);
    const auto shows = [&](const AlertService& service) {
        return alerts::toText(service.rules()) == alerts::toText(rules);
    };
    ASSERT_TRUE(QTest::qWaitFor([&] { return shows(second); }, 10000));
    rules.pop_back();
    second.setRules(rules);
    EXPECT_TRUE(QTest::qWaitFor([&] { return shows(first); }, 10000));
    EXPECT_TRUE(shows(second));
}

TEST_F(AlertServiceTest, AFileThatWasJustChangedIsNotOverwritten) {
    std::string other;
    {
        AlertService service(project());
        auto rules = service.rules();
        rules.pop_back();
        other = alerts::toText(rules);
        std::ofstream(file()) << other;
        service.setRules({});
        EXPECT_EQ(alerts::toText(service.rules()), other);
    }
    EXPECT_EQ(alerts::toText(*alerts::loadRules(folder_.path())), other);
}

TEST_F(AlertServiceTest, AnUnreadableFileIsReportedAndNotOverwritten) {
    constexpr const char* kDamaged = "{ \"rules\": [ half a file";
    std::ofstream(file()) << kDamaged;
    {
        AlertService service(project());
        EXPECT_FALSE(service.problem().isEmpty());
        service.setRules({});
        EXPECT_FALSE(service.problem().isEmpty());
    }
    std::stringstream text;
    text << std::ifstream(file()).rdbuf();
    EXPECT_EQ(text.str(), kDamaged);
    AlertService service(project());
    std::ofstream(file()) << R"({"alerts": []})";
    EXPECT_TRUE(QTest::qWaitFor([&] { return service.problem().isEmpty(); }, 10000));
    EXPECT_THAT(service.rules(), IsEmpty());
}

}  // namespace
}  // namespace kurve::studio
