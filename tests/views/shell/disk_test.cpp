// Measuring what every run takes on disk, in batches.
#include <gtest/gtest.h>

#include <QTest>
#include <QTreeWidget>
#include <fstream>

#include "core/store/trace_trash.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/runs/disk_measurement.h"
#include "views/runs/disk_rows.h"

namespace kurve::views {
namespace {

class DiskTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        std::ofstream(folder_ / "project.toml") << "name = \"p\"\n";
    }
    /// Runs whose folders hold so many bytes each as their number.
    std::vector<store::RunSummary> makeRuns(int count) {
        std::vector<store::RunSummary> runs;
        for (int i = 1; i <= count; ++i) {
            store::RunSummary run;
            run.id = std::to_string(i);
            run.bytes = i;
            std::filesystem::create_directories(folder_ / "runs" / run.id);
            std::ofstream(folder_ / "runs" / run.id / "file")
                << std::string(static_cast<std::size_t>(i), 'x');
            runs.push_back(run);
        }
        return runs;
    }
    [[nodiscard]] store::Project project() const { return *store::Project::open(folder_.path()); }
    testing::TemporaryFolder folder_;
};

TEST_F(DiskTest, MeasuresEveryRunLargestFirst) {
    constexpr int kRuns = 450;
    DiskMeasurement measurement;
    std::vector<store::RunDisk> found;
    int batches = 0;
    QObject::connect(&measurement, &DiskMeasurement::measured, &measurement, [&](const auto& batch) {
        found.insert(found.end(), batch.begin(), batch.end());
        EXPECT_EQ(measurement.done(), found.size());
        ++batches;
    });
    measurement.start(project(), makeRuns(kRuns));
    EXPECT_EQ(measurement.total(), 450U);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !measurement.running(); }, 30000));
    ASSERT_EQ(found.size(), 450U);
    EXPECT_EQ(found.front().all(), kRuns);
    EXPECT_EQ(found.back().all(), 1);
    EXPECT_GT(batches, 2) << "results arrive in batches";
}

TEST_F(DiskTest, CancelKeepsTheResults) {
    DiskMeasurement measurement;
    std::size_t found = 0;
    bool ended = false;
    QObject::connect(&measurement, &DiskMeasurement::ended, &measurement, [&] { ended = true; });
    QObject::connect(&measurement, &DiskMeasurement::measured, &measurement, [&](const auto& some) {
        found += some.size();
        measurement.cancel();
    });
    measurement.start(project(), makeRuns(450));
    ASSERT_TRUE(QTest::qWaitFor([&] { return ended; }, 30000));
    EXPECT_FALSE(measurement.running());
    EXPECT_GT(found, 0U);
    EXPECT_LT(found, 450U);
    QTest::qWait(50);
    EXPECT_EQ(measurement.done(), found) << "no further results";
}

TEST_F(DiskTest, ARescanKeepsExpansionAndSelection) {
    DiskRows rows;
    const auto name = [](const std::string& run) { return QString::fromStdString("run " + run); };
    store::RunDisk run;
    run.run = "a";
    run.traces = 7;
    run.files = {{"a", "traces/one", 3}, {"a", "traces/two", 4}};
    store::RunDisk other;
    other.run = "b";
    other.rest = 100;
    rows.setFilling(true);
    rows.put({run, other}, name);
    rows.setFilling(false);
    ASSERT_EQ(rows.topLevelItemCount(), 2);
    EXPECT_EQ(rows.topLevelItem(0)->text(0), "run b") << "the largest first";
    QTreeWidgetItem* line = rows.topLevelItem(1);
    line->setExpanded(true);
    ASSERT_EQ(line->child(0)->text(0), "two");
    line->child(0)->setSelected(true);
    run.files[1] = store::inTrash(run.files[1], "batch");
    rows.put({run}, name);
    ASSERT_EQ(rows.topLevelItemCount(), 2);
    EXPECT_TRUE(line->isExpanded());
    ASSERT_EQ(rows.selectedTraces(true).size(), 1U) << "moved to the trash, still selected";
    EXPECT_EQ(rows.selectedTraces(true)[0].file, run.files[1].file);
    rows.keepOnly({"b"});
    ASSERT_EQ(rows.topLevelItemCount(), 1);
    EXPECT_EQ(rows.topLevelItem(0)->text(0), "run b");
}

}  // namespace
}  // namespace kurve::views
