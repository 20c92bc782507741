// The schedule laboratory: kinds, settings, repair, export to the draft.
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTableWidget>
#include <QToolButton>
#include <cmath>

#include "core/schedule/schedule_file.h"
#include "tests/views/lab/schedule_panel_fixture.h"
#include "views/common/chart/plot_card.h"
#include "views/common/chart/qcustomplot.h"
#include "views/schedule/compared_schedules.h"
#include "views/schedule/invariant_list.h"
#include "views/schedule/schedule_charts.h"
#include "views/schedule/weight_curve.h"

namespace kurve::views {
namespace {

TEST_F(SchedulePanelTest, ShowsTwoSchedulesAtOnce) {
    EXPECT_TRUE(panel_->hasData());
    EXPECT_TRUE(panel_->statement().startsWith("Square root (Difformer)"))
        << panel_->statement().toStdString();
    EXPECT_TRUE(facts().contains("<br>"));
    choose("schedule.b.kind", "");
    EXPECT_FALSE(facts().contains("<br>"));
}

TEST_F(SchedulePanelTest, FieldsComeFromTheKindAndAct) {
    EXPECT_EQ(find<QDoubleSpinBox>("schedule.a.steps")->value(), 2000);
    EXPECT_NE(panel_->findChild<QCheckBox*>("schedule.a.vp_rf"), nullptr);
    const QString before = facts();
    find<QDoubleSpinBox>("schedule.a.noise_factor")->setValue(4);
    EXPECT_NE(facts(), before);
    choose("schedule.a.kind", "log-linear");
    EXPECT_EQ(panel_->findChild<QDoubleSpinBox*>("schedule.a.steps"), nullptr);
    EXPECT_NE(panel_->findChild<QDoubleSpinBox*>("schedule.a.epsilon"), nullptr);
    choose("schedule.a.kind", "sqrt");  // what was set is kept
    EXPECT_EQ(find<QDoubleSpinBox>("schedule.a.noise_factor")->value(), 4);
    find<QPushButton>("schedule.a.reset")->click();
    EXPECT_EQ(find<QDoubleSpinBox>("schedule.a.noise_factor")->value(), 1);
    EXPECT_EQ(facts(), before);
}

TEST_F(SchedulePanelTest, SettingsAreRestored) {
    choose("schedule.b.kind", "linear");
    choose("schedule.weight", schedule::kOwnWeight);
    auto* points = find<QLineEdit>("schedule.weightPoints");
    points->setText("-3=0.5,3=2");
    Q_EMIT points->editingFinished();
    panel_->drawByPoints();
    const schedule::LabSchedule a = panel_->scheduleA();
    const QJsonObject saved = panel_->saveState();
    SchedulePanel next{StudioContext()};
    next.restoreState(saved);
    EXPECT_EQ(next.scheduleA(), a);
    EXPECT_EQ(next.saveState(), saved);
    EXPECT_EQ(next.findChild<QLineEdit*>("schedule.weightPoints")->text(), "-3=0.5,3=2");
    EXPECT_EQ(next.findChild<QComboBox*>("schedule.b.kind")->currentData().toString(), "linear");
    next.undo();
    EXPECT_EQ(next.scheduleA(), a) << "a restart is no step to go back";
    // What another version wrote, or a damaged file, leaves the laboratory as it is.
    next.restoreState(QJsonObject{
        {"a", QJsonObject{{"kind", "unheard"}}},
        {"use", QJsonObject{{"schedule.steps", "many"}, {"weights", "x"}, {"times", "0=1,0=2"}}}});
    EXPECT_EQ(next.saveState(), saved);
    EXPECT_EQ(next.scheduleA(), a);
}

/// A graph of a chart by its name; null without data.
const QCPGraph* graphNamed(SchedulePanel& panel, std::size_t card, const QString& name) {
    const QCustomPlot* plot = panel.findChild<ScheduleCharts*>()->cards()[card]->plot();
    for (int i = 0; i < plot->graphCount(); ++i)
        if (plot->graph(i)->name() == name && !plot->graph(i)->data()->isEmpty()) return plot->graph(i);
    return nullptr;
}

TEST_F(SchedulePanelTest, FurtherSchedulesAreThinnerNamedLines) {
    const auto add = [this](const char* kind) {
        auto* menu = find<QPushButton>("schedule.compared.add")->menu();
        Q_EMIT menu->aboutToShow();
        find<QAction>((std::string("schedule.compared.add.") + kind).c_str())->trigger();
    };
    add("sigmoid");
    const QCPGraph* line = graphNamed(*panel_, 0, "sigmoid alpha");
    ASSERT_NE(line, nullptr);
    EXPECT_LT(line->pen().widthF(), graphNamed(*panel_, 0, "A (sqrt) alpha")->pen().widthF());
    const auto sigmoid = std::move(*schedule::makeSchedule("sigmoid"));
    EXPECT_NEAR(line->data()->findBegin(0.5)->value, sigmoid->alpha(line->data()->findBegin(0.5)->key),
                1e-12);
    EXPECT_NE(graphNamed(*panel_, 1, "sigmoid log-SNR"), nullptr);
    EXPECT_NE(graphNamed(*panel_, 2, "sigmoid p"), nullptr);
    EXPECT_TRUE(find<QLabel>("schedule.signal.caption")->text().contains("sigmoid"));
    // A as it is stays while A goes on; what is not the default names it.
    find<QDoubleSpinBox>("schedule.a.noise_factor")->setValue(4);
    Q_EMIT find<ComparedSchedules>("schedule.compared")->currentWanted();
    find<QDoubleSpinBox>("schedule.a.noise_factor")->setValue(2);
    EXPECT_NE(graphNamed(*panel_, 1, "sqrt noise factor 4 log-SNR"), nullptr);
    const auto* signal = panel_->findChild<ScheduleCharts*>()->cards()[0]->plot();
    EXPECT_LT(signal->yAxis->range().upper, 3) << "room for the noise that is drawn, A's of 2";
    SchedulePanel next{StudioContext()};
    next.restoreState(panel_->saveState());
    EXPECT_EQ(next.saveState(), panel_->saveState());
    EXPECT_NE(graphNamed(next, 1, "sqrt noise factor 4 log-SNR"), nullptr);
    find<QToolButton>("schedule.compared.remove.0")->click();
    EXPECT_EQ(graphNamed(*panel_, 0, "sigmoid alpha"), nullptr);
    EXPECT_NE(graphNamed(*panel_, 0, "sqrt noise factor 4 alpha"), nullptr);
}

TEST_F(SchedulePanelTest, AScheduleIsComparedOnceAndAtMostFourAre) {
    const QSignalSpy said(panel_.get(), &Panel::statusMessage);
    auto* compared = find<ComparedSchedules>("schedule.compared");
    const auto add = [compared](const char* kind) {
        schedule::LabSchedule schedule;
        schedule.kind = kind;
        compared->add(schedule);
    };
    for (const char* kind : {"cosine", "cosine", "linear", "sigmoid", "quadratic"}) add(kind);
    ASSERT_EQ(said.count(), 1);
    EXPECT_TRUE(said[0][0].toString().contains("cosine is already"));
    EXPECT_EQ(compared->schedules().size(), ComparedSchedules::kMost);
    add("edm");
    ASSERT_EQ(said.count(), 2);
    EXPECT_TRUE(said[1][0].toString().contains("At most 4"));
}

TEST_F(SchedulePanelTest, ReportsAnInvalidWeight) {
    choose("schedule.weight", schedule::kOwnWeight);
    const QSignalSpy said(panel_.get(), &Panel::statusMessage);
    auto* points = find<QLineEdit>("schedule.weightPoints");
    points->setText("0=-1");
    Q_EMIT points->editingFinished();
    ASSERT_EQ(said.count(), 1);
    EXPECT_TRUE(said[0][0].toString().contains("not above 0")) << said[0][0].toString().toStdString();
}

TEST_F(SchedulePanelTest, EverySliderAndSettingDraws) {
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        applyTheme(mode, 1.0);
        for (const auto& kind : schedule::scheduleKinds()) {
            choose("schedule.a.kind", kind.id.c_str());
            for (QSlider* slider : panel_->findChildren<QSlider*>())
                for (const int position : {0, 400}) slider->setValue(position);
            EXPECT_FALSE(panel_->grab().isNull());
        }
    }
}

TEST_F(SchedulePanelTest, AnyKindBecomesPointsThatFollowIt) {
    const auto sqrt = std::move(*schedule::makeSchedule("sqrt", {{"noise_factor", "4"}}));
    find<QDoubleSpinBox>("schedule.a.noise_factor")->setValue(4);
    find<QPushButton>("schedule.toPoints")->click();
    ASSERT_TRUE(panel_->scheduleA().drawn());
    EXPECT_EQ(panel_->scheduleA().settings().noiseFactor, 4);
    const auto drawn = panel_->scheduleA().make();
    for (const double t : {0.1, 0.3, 0.5, 0.9}) EXPECT_NEAR(drawn->logSnr(t), sqrt->logSnr(t), 0.06) << t;
}

TEST_F(SchedulePanelTest, InvalidSchedulesAreReportedAndRepaired) {
    const auto allHold = [this] {
        const auto labels = find<InvariantList>("schedule.invariants")->findChildren<QLabel*>();
        return std::ranges::none_of(labels, [](const QLabel* label) { return label->text().contains("✗"); });
    };
    choose("schedule.a.kind", "free");
    EXPECT_TRUE(allHold());
    QGuiApplication::clipboard()->setText(QStringLiteral("8, 2, 3, -3, -8"));
    find<QPushButton>("schedule.paste")->click();
    ASSERT_EQ(panel_->scheduleA().curve().points.size(), 5u);
    EXPECT_FALSE(allHold());
    EXPECT_TRUE(find<QLabel>("schedule.invariant.0")->text().contains("not decreasing at point 3"));
    EXPECT_FALSE(panel_->trained());
    find<QPushButton>("schedule.repair.0")->click();
    EXPECT_TRUE(allHold());
    // The nearest falling list: 2 and 3 meet in the middle.
    EXPECT_NEAR(panel_->scheduleA().curve().points[1].logSnr, 2.505, 1e-9);
    EXPECT_NEAR(panel_->scheduleA().curve().points[2].logSnr, 2.495, 1e-9);
}

TEST_F(SchedulePanelTest, AHiddenButtonPassesTheFocusToTheLaboratory) {
    const auto press = [this](const char* name) {
        auto* button = find<QPushButton>(name);
        button->setFocus();
        button->click();
        EXPECT_FALSE(button->isVisible()) << name;
    };
    press("schedule.toPoints");
    EXPECT_EQ(panel_->focusWidget(), find<QTableWidget>("schedule.points"));
    QGuiApplication::clipboard()->setText(QStringLiteral("8, 2, 3, -3, -8"));
    find<QPushButton>("schedule.paste")->click();
    press("schedule.repair.0");
    EXPECT_EQ(panel_->focusWidget(), find<QTableWidget>("schedule.points"));
}

TEST_F(SchedulePanelTest, TheDraftGetsTheScheduleThatDrawsTheSameLevels) {
    choose("schedule.a.kind", "edm");
    find<QPushButton>("schedule.use")->click();
    EXPECT_EQ(services_.shown, QStringList{"launch"});
    EXPECT_EQ(services_.schedules, QStringList{"edm"});
    EXPECT_EQ(services_.settings[QStringLiteral("steps")], QStringLiteral("2000"));
    choose("schedule.a.kind", "free");
    auto* times = find<QComboBox>("schedule.times");
    times->setCurrentIndex(2);
    Q_EMIT times->activated(2);
    find<QPushButton>("schedule.use")->click();
    const auto curve = schedule::parseInline(services_.schedules.value(1).toStdString());
    ASSERT_TRUE(curve) << services_.schedules.value(1).toStdString();
    // Half of a logit-normal's times lie before 1/2, so the median level stays: log-SNR 0.
    EXPECT_NEAR(curve->interpolated().value(0.5), 0, 1e-6);
    // A sixth (normal below -1) lies before t = 1 / (1 + e).
    const double sixth = std::erfc(1 / std::sqrt(2.0)) / 2;
    EXPECT_NEAR(curve->interpolated().value(sixth),
                panel_->scheduleA().curve().interpolated().value(1 / (1 + std::exp(1.0))), 0.05);
}

}  // namespace
}  // namespace kurve::views
