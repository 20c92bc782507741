// What the monitor shows of a run that another program logged, by names that Kurve does not know.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAction>
#include <QContextMenuEvent>
#include <QJsonArray>
#include <QMenu>
#include <QTest>
#include <fstream>

#include "core/interop/import_run.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/drawn_curves.h"
#include "tests/support/studio_parts.h"
#include "views/common/chart/line_chart.h"
#include "views/monitor/monitor_panel.h"

namespace kurve::views {
namespace {

using ::testing::HasSubstr;

class MonitorImportedTest : public ::testing::Test, public test::StudioParts {
protected:
    void SetUp() override {
        kurve::testing::writeSyntheticProject(root());
        kurve::testing::writeSyntheticRun(root(), {"own", "own", "completed", "", 100, 1});
        engine_ = *EngineInfo::fromJson(nlohmann::json::parse(kurve::testing::syntheticDescription()));
        write("step,train/loss,eval/accuracy\n0,5,\n100,4,0.25\n200,3,0.5\n", "other");
        panel_ = std::make_unique<MonitorPanel>(open());
        panel_->resize(900, 700);
        panel_->show();
    }
    void write(const char* table, const char* id) {
        const auto file = root() / (std::string(id) + ".csv");
        std::ofstream(file) << table;
        const auto made =
            interop::importRuns({file, "", id, id, {}, false, {}}, *store::Project::open(root()));
        ASSERT_TRUE(made) << made.error().message;
    }
    void select(const QStringList& runs) {
        selection_.setRuns(runs);
        ASSERT_TRUE(QTest::qWaitFor(
            [&] {
                return std::all_of(runs.begin(), runs.end(), [&](const QString& run) {
                    return catalog_->data(run) != nullptr && catalog_->run(run) != nullptr;
                });
            },
            30000));
        QCoreApplication::processEvents();
    }
    [[nodiscard]] std::vector<std::string> shown() const {
        std::vector<std::string> titles;
        for (const auto* chart : panel_->findChildren<LineChart*>())
            if (!chart->isHidden()) titles.push_back(chart->title().toStdString());
        return titles;
    }
    std::unique_ptr<MonitorPanel> panel_;
};

TEST_F(MonitorImportedTest, ShowsChartsOfItsMetricsOnly) {
    select({"other"});
    EXPECT_THAT(shown(), ::testing::UnorderedElementsAre("train/loss", "eval/accuracy"));
    ASSERT_NE(panel_->chart("train/loss"), nullptr);
    EXPECT_THAT(test::curveIds(*panel_->chart("train/loss")), ::testing::ElementsAre("other|train/loss"));
    EXPECT_THAT(panel_->statement().toStdString(), HasSubstr("train/loss 3"));
    EXPECT_THAT(panel_->statement().toStdString(), HasSubstr("at step 200"));
    select({"own"});
    EXPECT_EQ(panel_->chart("train/loss"), nullptr) << "no metric of this run";
    EXPECT_FALSE(panel_->chart("loss")->isHidden());
}

TEST_F(MonitorImportedTest, RestoresItsCharts) {
    select({"other"});
    ASSERT_NE(panel_->chart("train/loss"), nullptr);
    panel_->chart("train/loss")->setValueScale(LineChart::Scale::Log);
    panel_->chart("train/loss")->setValueLimits({1, 7});
    select({"own"});
    const QJsonObject saved = panel_->saveState();
    EXPECT_EQ(saved["settings"]["train/loss"]["scales"], (QJsonArray{"linear", "log"}));
    select({"other"});
    EXPECT_EQ(panel_->chart("train/loss")->valueScale(), LineChart::Scale::Log);
    EXPECT_EQ(panel_->chart("train/loss")->valueLimits(), (AxisLimits{1, 7}));

    MonitorPanel next(context_);
    next.restoreState(saved);
    ASSERT_NE(next.chart("train/loss"), nullptr);
    EXPECT_EQ(next.chart("train/loss")->valueLimits(), (AxisLimits{1, 7})) << "after a restart";
}

TEST_F(MonitorImportedTest, KeepsOnlyWhatTheUserChose) {
    select({"other"});
    ASSERT_NE(panel_->chart("eval/accuracy"), nullptr);
    panel_->chart("eval/accuracy")->setKeyLimits({10, 50});
    panel_->chart("train/loss")->setValueScale(LineChart::Scale::Log);
    auto& removed = *panel_->chart("eval/accuracy");
    const QPoint middle = removed.rect().center();
    QContextMenuEvent event(QContextMenuEvent::Mouse, middle, removed.mapToGlobal(middle));
    QCoreApplication::sendEvent(&removed, &event);
    for (QAction* action : panel_->findChild<QMenu*>("monitor.menu")->actions())
        if (action->text() == "Remove chart") action->trigger();
    ASSERT_EQ(panel_->chart("eval/accuracy"), nullptr);
    for (const QJsonValue& limits : panel_->saveState()["x_limits"].toArray())
        EXPECT_NE(limits[1].toString(), "eval/accuracy") << "the chart is gone";
    select({"own"});
    EXPECT_EQ(panel_->saveState()["settings"].toObject().keys(), QStringList{"train/loss"});
    select({"other"});
    panel_->chart("train/loss")->setValueScale(LineChart::Scale::Linear);
    select({"own"});
    EXPECT_TRUE(panel_->saveState()["settings"].toObject().isEmpty()) << "as it begins";
}

TEST_F(MonitorImportedTest, IsComparedWithOwnRuns) {
    select({"own", "other"});
    EXPECT_THAT(shown(), ::testing::IsSupersetOf({"train/loss", "eval/accuracy"}));
    EXPECT_FALSE(panel_->chart("loss")->isHidden());
}

TEST_F(MonitorImportedTest, DrawsTheFirstOfThousandsAndSavesNone) {
    std::string head = "step", row = "1";
    for (int i = 0; i < 40; ++i) {
        head += ",m/" + std::to_string(i);
        row += "," + std::to_string(i);
    }
    write((head + "\n" + row + "\n").c_str(), "many");
    catalog_->refreshSoon();
    select({"many"});
    EXPECT_EQ(shown().size(), 12U);
    EXPECT_TRUE(panel_->saveState().value("charts").toArray().isEmpty());
}

}  // namespace
}  // namespace kurve::views
