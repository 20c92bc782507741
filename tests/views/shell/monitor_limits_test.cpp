// Limits set by hand in the monitor: shared by linked charts, of one axis only, and kept with the project.
#include <gtest/gtest.h>

#include <QComboBox>
#include <QJsonDocument>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

#include "tests/app/studio/synthetic_run.h"
#include "tests/support/drawn_curves.h"
#include "tests/support/studio_parts.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/form/choice_list.h"
#include "views/monitor/monitor_panel.h"

namespace kurve::views {
namespace {

class MonitorLimitsTest : public ::testing::Test, public test::StudioParts {
protected:
    void SetUp() override {
        kurve::testing::writeSyntheticProject(root());
        kurve::testing::writeSyntheticRun(root(), {"a", "first", "completed", "", 100, 1});
        engine_ = *EngineInfo::fromJson(nlohmann::json::parse(kurve::testing::syntheticDescription()));
        panel_ = std::make_unique<MonitorPanel>(open());
        panel_->resize(900, 700);
        panel_->show();
        selection_.setRuns({"a"});
        ASSERT_TRUE(QTest::qWaitFor([&] { return !test::curveIds(chart("loss")).isEmpty(); }, 30000));
    }
    LineChart& chart(const char* id) { return *panel_->chart(QLatin1String(id)); }
    void choose(const char* name, const QVariant& data) {
        auto* box = panel_->findChild<QComboBox*>(QLatin1String(name));
        ASSERT_GE(box->findData(data), 0);
        box->setCurrentIndex(box->findData(data));
        Q_EMIT box->activated(box->currentIndex());
    }
    std::unique_ptr<MonitorPanel> panel_;
};

TEST_F(MonitorLimitsTest, LinkedChartsShareLimitsOfXNotOfY) {
    chart("loss").setKeyLimits({10, 50});
    chart("loss").setValueLimits({0, 7});
    EXPECT_EQ(chart("lr").keyLimits(), (AxisLimits{10, 50}));
    EXPECT_FALSE(chart("lr").valueLimits().any());
    chart("lr").unlock();
    EXPECT_FALSE(chart("loss").keyLimits().any());
    EXPECT_EQ(chart("loss").valueLimits(), (AxisLimits{0, 7}));
    panel_->findChild<QPushButton*>("monitor.link")->setChecked(false);
    chart("loss").setKeyLimits({1, 2});
    EXPECT_FALSE(chart("lr").keyLimits().any());
}

TEST_F(MonitorLimitsTest, AnAddedChartShowsThePlayhead) {
    context_.playhead->setTrainStep(50);
    panel_->findChild<QPushButton*>("monitor.add")->click();
    auto* metrics = panel_->findChild<ChoiceList*>("monitor.metrics");
    metrics->search()->setText("tokens_per_second");
    QTest::keyClick(metrics->search(), Qt::Key_Return);
    for (const char* id : {"loss", "tokens_per_second"}) {
        const QCustomPlot& plot = *chart(id).plot();
        int lines = 0;
        for (int i = 0; i < plot.itemCount(); ++i)
            if (const auto* line = qobject_cast<QCPItemStraightLine*>(plot.item(i)))
                lines += line->visible() && line->point1->key() == 50;
        EXPECT_EQ(lines, 1) << id;
    }
}

TEST_F(MonitorLimitsTest, LimitsOfXComeBackWithTheirAxis) {
    chart("loss").setKeyLimits({10, 50});
    choose("monitor.axis", "training");
    EXPECT_FALSE(chart("loss").keyLimits().any()) << "steps are no seconds";
    choose("monitor.axis", "step");
    EXPECT_EQ(chart("loss").keyLimits(), (AxisLimits{10, 50}));
    EXPECT_DOUBLE_EQ(chart("loss").plot()->xAxis->range().upper, 50);
}

TEST_F(MonitorLimitsTest, LimitsAreKeptAndToldWhenAllChartsAreFitted) {
    QString told;
    QObject::connect(panel_.get(), &Panel::statusMessage, [&](const QString& text) { told = text; });
    commands_.action("monitor.fit")->trigger();
    EXPECT_EQ(told, "");
    int changes = 0;
    QObject::connect(panel_.get(), &MonitorPanel::stateChanged, [&] { ++changes; });
    chart("loss").setValueLimits({0, 7});
    chart("noise").setIgnoringOutliers(true);
    panel_->findChild<QPushButton*>("monitor.link")->setChecked(false);
    chart("lr").setKeyLimits({5, {}});
    EXPECT_GE(changes, 3);
    commands_.action("monitor.fit")->trigger();
    EXPECT_TRUE(told.contains("2")) << told.toStdString();
    EXPECT_EQ(chart("loss").valueLimits(), (AxisLimits{0, 7}));
    panel_->engineInfoChanged();
    const QJsonObject saved = panel_->saveState();
    CommandRegistry commands;
    context_.commands = &commands;
    panel_ = std::make_unique<MonitorPanel>(context_);
    panel_->restoreState(saved);
    EXPECT_EQ(chart("loss").valueLimits(), (AxisLimits{0, 7}));
    EXPECT_TRUE(chart("noise").ignoresOutliers());
    EXPECT_EQ(chart("lr").keyLimits(), (AxisLimits{5, {}}));
    EXPECT_FALSE(chart("loss").keyLimits().any());
    const auto text = [](const QJsonObject& state) { return QJsonDocument(state).toJson().toStdString(); };
    EXPECT_EQ(text(panel_->saveState()), text(saved));
}

}  // namespace
}  // namespace kurve::views
