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
}

}  // namespace
}  // namespace kurve::studio
