#include "app/studio/window/reading_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QTest>
#include <fstream>

#include "core/store/run_writer.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"

namespace kurve::studio {
namespace {

using ::testing::HasSubstr;

constexpr int kRuns = 600;  // many parts of one run each: what is pressed meanwhile arrives before the end

class ReadingStatusTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        std::ofstream(folder_ / "project.toml") << "name = \"many\"\n";
        const auto first = folder_ / "runs/run-1000";
        {
            auto writer = store::RunWriter::open(first);
            ASSERT_TRUE(writer);
            (*writer)->set("state", "completed");
        }
        for (int i = 1; i < kRuns; ++i) {
            const auto folder = folder_ / "runs" / ("run-" + std::to_string(1000 + i));
            std::filesystem::create_directories(folder);
            std::filesystem::create_hard_link(first / "run.db", folder / "run.db");
        }
    }
    static std::string text(const ReadingStatus& status) { return status.text().toStdString(); }

    testing::TemporaryFolder folder_;
};

TEST_F(ReadingStatusTest, CountsPausesAndResumes) {
    views::RunCatalog catalog(*store::Project::open(folder_.path()), nullptr, 0);
    ReadingStatus status(catalog);
    EXPECT_TRUE(status.isHidden());
    std::string counted;
    const auto connection = QObject::connect(&catalog, &views::RunCatalog::readingChanged, [&] {
        if (counted.empty()) {
            counted = text(status);
            status.click();
        }
    });
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.reading().left > 0; }, 30000));
    EXPECT_THAT(counted, HasSubstr("of 600"));
    EXPECT_TRUE(catalog.complete()) << "nothing more will come by itself";
    EXPECT_FALSE(status.isHidden());
    EXPECT_THAT(text(status), HasSubstr(std::to_string(catalog.reading().left) + " runs not read"));
    const std::size_t listed = catalog.runs().size();
    EXPECT_GT(listed, 0U);
    EXPECT_EQ(listed + catalog.reading().left, static_cast<std::size_t>(kRuns));
    EXPECT_EQ(catalog.runs().back().id, "run-1599") << "the newest are read first";
    QObject::disconnect(connection);
    status.click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == kRuns && status.isHidden(); }, 60000));
    EXPECT_EQ(catalog.reading(), views::RunReading());
}

}  // namespace
}  // namespace kurve::studio
