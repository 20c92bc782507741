#include "views/schedule/schedule_panel.h"
#include "views/common/view_table.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/schedule/schedule_file.h"
#include "core/store/run_writer.h"
#include "tests/support/gui_app.h"
#include "views/common/command_registry.h"
#include "views/common/plot_card.h"
#include "views/common/qcustomplot.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/schedule/invariant_list.h"
#include "views/schedule/schedule_charts.h"
#include "views/schedule/weight_curve.h"

namespace kurve::views {
namespace {

using schedule::FreeCurve;

class SchedulePanelTest : public testing::Test {
protected:
    SchedulePanelTest() {
        applyTheme(ThemeMode::Light, 1.0);
        panel_ = std::make_unique<SchedulePanel>(StudioContext());
        panel_->resize(1200, 760);
        panel_->show();
    }
    template <class T>
    T* find(const char* name) const {
        T* widget = panel_->findChild<T*>(QLatin1String(name));
        EXPECT_NE(widget, nullptr) << name;
        return widget;
    }
    void choose(const char* box, const char* id) const {
        auto* kinds = find<QComboBox>(box);
        kinds->setCurrentIndex(kinds->findData(QLatin1String(id)));
    }
    QString facts() const { return find<QLabel>("schedule.facts")->text(); }

    QApplication& app_ = test::guiApp();
    std::unique_ptr<SchedulePanel> panel_;
};

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

TEST_F(SchedulePanelTest, WhatWasSetIsThereAgainAfterARestart) {
    choose("schedule.b.kind", "linear");
    choose("schedule.weight", kOwnWeight);
    auto* points = find<QLineEdit>("schedule.weightPoints");
    points->setText("-3=0.5,3=2");
    Q_EMIT points->editingFinished();
    panel_->drawByPoints();
    const LabSchedule a = panel_->scheduleA();
    const QJsonObject kept = panel_->save();
    SchedulePanel next{StudioContext()};
    next.restore(kept);
    EXPECT_EQ(next.scheduleA(), a);
    EXPECT_EQ(next.save(), kept);
    EXPECT_EQ(next.findChild<QLineEdit*>("schedule.weightPoints")->text(), "-3=0.5,3=2");
    EXPECT_EQ(next.findChild<QComboBox*>("schedule.b.kind")->currentData().toString(), "linear");
    next.undo();
    EXPECT_EQ(next.scheduleA(), a) << "a restart is no step to go back";
    // What another version wrote, or a damaged file, leaves the laboratory as it is.
    next.restore(QJsonObject{{"a", QJsonObject{{"kind", "unheard"}}}, {"steps", -4}, {"weight_points", "x"}});
    EXPECT_EQ(next.scheduleA(), a);
}

TEST_F(SchedulePanelTest, AWeightThatCannotBeReadIsNamed) {
    choose("schedule.weight", kOwnWeight);
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

QPoint pixelOf(const QCustomPlot& plot, double x, double y) {
    return {qRound(plot.xAxis->coordToPixel(x)), qRound(plot.yAxis->coordToPixel(y))};
}

TEST_F(SchedulePanelTest, APointIsTakenWithTheMouseAndOneStepGoesBack) {
    choose("schedule.a.kind", "free");
    choose("schedule.b.kind", "");
    test::waitFor([] { return true; });
    auto* plot = find<QCustomPlot>("schedule.logSnr.plot");
    panel_->grab();  // lays the axes out
    const FreeCurve before = panel_->scheduleA().curve();
    ASSERT_EQ(before.points.size(), 5u);
    const QPoint from = pixelOf(*plot, 0.5, 0), to = pixelOf(*plot, 0.4, 1.5);
    QTest::mousePress(plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(plot, (from + to) / 2);
    QTest::mouseMove(plot, to);
    QTest::mouseRelease(plot, Qt::LeftButton, {}, to);
    const auto moved = panel_->scheduleA().curve().points;
    EXPECT_NEAR(moved[2].t, 0.4, 0.01);
    EXPECT_NEAR(moved[2].logSnr, 1.5, 0.15);
    auto* table = find<QTableWidget>("schedule.points");
    EXPECT_NEAR(table->item(2, 1)->text().toDouble(), moved[2].logSnr, 1e-3);
    panel_->undo();
    EXPECT_TRUE(panel_->scheduleA().curve() == before);
    panel_->redo();
    EXPECT_TRUE(panel_->scheduleA().curve().points == moved);
}

TEST_F(SchedulePanelTest, ExportedTablesNameTheirCurves) {
    choose("schedule.a.kind", "sqrt");
    choose("schedule.b.kind", "cosine");
    panel_->grab();
    const auto tables = tablesOf(*panel_);
    const QString text = QString::fromUtf8(tablesText(tables, "csv", {}));
    EXPECT_FALSE(text.contains("Graph ")) << text.left(200).toStdString();
    for (const char* name : {"A (sqrt) alpha,", "B (cosine) sigma,", "A (sqrt) log-SNR,", "B (cosine) p,"})
        EXPECT_TRUE(text.contains(QLatin1String(name))) << name;
    EXPECT_TRUE(text.contains("\nA (sqrt),1,")) << "a bar stands at its step, not beside it";
    EXPECT_TRUE(text.contains("\nB (cosine),1,"));
}

TEST_F(SchedulePanelTest, ANumberThatIsNoneLeavesThePointAndIsTold) {
    choose("schedule.a.kind", "free");
    QString told;
    QObject::connect(panel_.get(), &Panel::statusMessage, [&](const QString& text) { told = text; });
    auto* table = find<QTableWidget>("schedule.points");
    const auto before = panel_->scheduleA().curve().points;
    const auto write = [&](int column, const char* text) {
        told.clear();
        table->item(2, column)->setText(QLatin1String(text));
        EXPECT_EQ(panel_->scheduleA().curve().points, before) << text;
        return told.toStdString();
    };
    EXPECT_EQ(write(1, "many"), "Write a number.");
    EXPECT_EQ(write(1, "-31"), "A log-SNR lies between −30 and 30 nats.");
    EXPECT_EQ(write(2, "-0.3"), "α lies between 0 and 1.") << "its square would be a signal";
    EXPECT_EQ(write(2, "1,5"), "α lies between 0 and 1.");
    EXPECT_EQ(write(0, "1.5"), "A time lies between those of the points beside it.");
    table->item(2, 2)->setText(QStringLiteral("0,8"));
    EXPECT_NEAR(panel_->scheduleA().curve().points[2].logSnr, std::log(0.64 / 0.36), 1e-9);
}

TEST_F(SchedulePanelTest, OwnWeightsAreTakenWithTheMouseAddedAndRemoved) {
    choose("schedule.a.kind", "free");
    choose("schedule.b.kind", "");
    auto* plot = find<QCustomPlot>("schedule.density.plot");
    panel_->grab();
    EXPECT_FALSE(plot->yAxis2->visible()) << "a formula has nothing to take";
    choose("schedule.weight", kOwnWeight);
    panel_->grab();
    ASSERT_TRUE(plot->yAxis2->visible());
    const auto at = [&](double level, double weight) {
        return QPoint(qRound(plot->xAxis->coordToPixel(level)), qRound(plot->yAxis2->coordToPixel(weight)));
    };
    const auto points = [&] {
        return *schedule::parseWeightPoints(find<QLineEdit>("schedule.weightPoints")->text().toStdString());
    };
    const auto before = points();
    ASSERT_EQ(before, (schedule::WeightPoints{{-10, 0.2}, {0, 1}, {10, 1}}));
    const FreeCurve curve = panel_->scheduleA().curve();
    const QPoint from = at(0, 1), to = at(1.5, 2);
    QTest::mousePress(plot, Qt::LeftButton, {}, from);
    QTest::mouseMove(plot, (from + to) / 2);
    QTest::mouseMove(plot, to);
    QTest::mouseRelease(plot, Qt::LeftButton, {}, to);
    ASSERT_EQ(points().size(), 3u);
    EXPECT_NEAR(points()[1].first, 1.5, 0.1);
    EXPECT_NEAR(points()[1].second, 2, 0.1);
    EXPECT_TRUE(panel_->scheduleA().curve() == curve) << "only the weight moved";
    panel_->undo();
    EXPECT_EQ(points(), before) << "the whole drag is one step";
    panel_->redo();
    EXPECT_NEAR(points()[1].second, 2, 0.1);
    panel_->undo();
    panel_->grab();
    QTest::mouseDClick(plot, Qt::LeftButton, Qt::ShiftModifier, at(-3, 2));
    ASSERT_EQ(points().size(), 4u);
    EXPECT_NEAR(points()[1].first, -3, 0.1);
    EXPECT_NEAR(points()[1].second, schedule::weightAt(before, -3), 0.02)
        << "on the line: nothing changes yet";
    panel_->grab();
    QTest::mouseDClick(plot, Qt::LeftButton, Qt::ShiftModifier, at(points()[1].first, points()[1].second));
    EXPECT_EQ(points(), before);
    EXPECT_EQ(panel_->scheduleA().curve().points.size(), curve.points.size());
    // A formula again: nothing of it is left.
    choose("schedule.weight", "x0");
    EXPECT_FALSE(plot->yAxis2->visible());
}

void press(QWidget* where, int key, Qt::KeyboardModifiers with = Qt::NoModifier) {
    QTest::keyClick(where, static_cast<Qt::Key>(key), with);
}

TEST_F(SchedulePanelTest, PointsAreChosenAndMovedWithKeys) {
    choose("schedule.a.kind", "free");
    choose("schedule.b.kind", "");
    panel_->activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(panel_.get()));
    auto* plot = find<QCustomPlot>("schedule.logSnr.plot");
    auto* table = find<QTableWidget>("schedule.points");
    panel_->grab();
    plot->setFocus();
    const auto points = [&] { return panel_->scheduleA().curve().points; };
    const auto before = points();
    press(plot, Qt::Key_Right);  // no point is chosen: the values are read
    EXPECT_EQ(points(), before);
    EXPECT_TRUE(plot->accessibleDescription().startsWith("t 0.5"));
    for (int i = 0; i < 3; ++i) press(plot, Qt::Key_Period);
    EXPECT_EQ(table->currentRow(), 2);
    press(plot, Qt::Key_Right);
    const double small = points()[2].t - before[2].t;
    EXPECT_NEAR(small, 0.01 * plot->xAxis->range().size(), 1e-3);
    press(plot, Qt::Key_Left);
    EXPECT_NEAR(points()[2].t, before[2].t, 1e-3);
    press(plot, Qt::Key_Up, Qt::ShiftModifier);
    EXPECT_NEAR(points()[2].logSnr - before[2].logSnr, 0.1 * plot->yAxis->range().size(), 0.05);
    panel_->undo();
    EXPECT_NEAR(points()[2].logSnr, before[2].logSnr, 0.05) << "a press is one step";
    // Held, it goes on and is still one step.
    QTest::keyPress(plot, Qt::Key_Down);
    for (int i = 0; i < 4; ++i) {
        QKeyEvent repeated(QEvent::KeyPress, Qt::Key_Down, Qt::NoModifier, QString(), true);
        QApplication::sendEvent(plot, &repeated);
    }
    QTest::keyRelease(plot, Qt::Key_Down);
    EXPECT_NEAR(points()[2].logSnr - before[2].logSnr, -0.05 * plot->yAxis->range().size(), 0.05);
    panel_->undo();
    EXPECT_NEAR(points()[2].logSnr, before[2].logSnr, 0.05);
    press(plot, Qt::Key_Comma);
    EXPECT_EQ(table->currentRow(), 1);
    table->setCurrentCell(3, 1);  // the table's choice is taken over
    press(plot, Qt::Key_Period);
    EXPECT_EQ(table->currentRow(), 4);
    press(plot, Qt::Key_Escape);
    const auto now = points();
    press(plot, Qt::Key_Up);
    EXPECT_EQ(points(), now);
}

TEST_F(SchedulePanelTest, OwnWeightsAreMovedAddedAndRemovedWithKeys) {
    choose("schedule.a.kind", "free");
    choose("schedule.weight", kOwnWeight);
    auto* plot = find<QCustomPlot>("schedule.density.plot");
    panel_->grab();
    plot->setFocus();
    const auto weights = [&] {
        return *schedule::parseWeightPoints(find<QLineEdit>("schedule.weightPoints")->text().toStdString());
    };
    const auto before = weights();
    const auto curve = panel_->scheduleA().curve().points;
    for (std::size_t i = 0; i <= curve.size(); ++i) press(plot, Qt::Key_Period);  // those of A come first
    press(plot, Qt::Key_Period);
    press(plot, Qt::Key_Up, Qt::ShiftModifier);
    ASSERT_EQ(weights().size(), 3U);
    EXPECT_GT(weights()[1].second, 1.2);
    EXPECT_EQ(weights()[1].first, before[1].first);
    EXPECT_EQ(panel_->scheduleA().curve().points, curve);
    press(plot, Qt::Key_Insert);
    ASSERT_EQ(weights().size(), 4U);
    EXPECT_NEAR(weights()[2].first, 5, 0.1);
    press(plot, Qt::Key_Delete);
    EXPECT_EQ(weights().size(), 3U);
    press(plot, Qt::Key_Comma);
    press(plot, Qt::Key_Comma);
    press(plot, Qt::Key_Left);
    EXPECT_EQ(weights().size(), 3U);
    EXPECT_EQ(panel_->scheduleA().curve().points.size(), curve.size()) << "back in the points of A";
}

TEST(WeightCurve, APointStaysBetweenItsNeighboursAndAboveZero) {
    const schedule::WeightPoints points{{-5, 0.5}, {0, 1}, {5, 2}};
    EXPECT_EQ(WeightCurve::withPointAt(points, 1, 9, -3)[1], (std::pair{4.95, 1e-4}));
    EXPECT_EQ(WeightCurve::withPointAt(points, 0, -7.513, 0.123456)[0], (std::pair{-7.5, 0.123}));
}

TEST_F(SchedulePanelTest, DoubleClickAddsAndDelRemoves) {
    choose("schedule.a.kind", "free");
    auto* plot = find<QCustomPlot>("schedule.signal.plot");
    panel_->grab();
    const QPoint beside = pixelOf(*plot, 0.6, 0.05);
    QTest::mouseDClick(plot, Qt::LeftButton, {}, beside);
    ASSERT_EQ(panel_->scheduleA().curve().points.size(), 6u);
    EXPECT_NEAR(panel_->scheduleA().curve().points[3].t, 0.6, 0.01);
    EXPECT_EQ(find<QTableWidget>("schedule.points")->currentRow(), 3);
    find<QPushButton>("schedule.removePoint")->click();
    EXPECT_EQ(panel_->scheduleA().curve().points.size(), 5u);
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

TEST_F(SchedulePanelTest, WhatIsBrokenIsNamedAndFixed) {
    choose("schedule.a.kind", "free");
    EXPECT_TRUE(find<InvariantList>("schedule.invariants")->allHold());
    QGuiApplication::clipboard()->setText(QStringLiteral("8, 2, 3, -3, -8"));
    find<QPushButton>("schedule.paste")->click();
    ASSERT_EQ(panel_->scheduleA().curve().points.size(), 5u);
    EXPECT_FALSE(find<InvariantList>("schedule.invariants")->allHold());
    EXPECT_TRUE(find<QLabel>("schedule.invariant.0")->text().contains("does not fall to point 3"));
    EXPECT_FALSE(panel_->trained());
    find<QPushButton>("schedule.fix.0")->click();
    EXPECT_TRUE(find<InvariantList>("schedule.invariants")->allHold());
    // The nearest falling list: 2 and 3 meet in the middle.
    EXPECT_NEAR(panel_->scheduleA().curve().points[1].logSnr, 2.505, 1e-9);
    EXPECT_NEAR(panel_->scheduleA().curve().points[2].logSnr, 2.495, 1e-9);
}

TEST_F(SchedulePanelTest, TheDraftGetsTheScheduleThatDrawsTheSameLevels) {
    QSignalSpy asked(panel_.get(), &SchedulePanel::draftRequested);
    choose("schedule.a.kind", "edm");
    find<QPushButton>("schedule.use")->click();
    ASSERT_EQ(asked.size(), 1);
    EXPECT_EQ(asked[0][0].toString(), QStringLiteral("edm"));
    const auto parameters = asked[0][1].value<QMap<QString, QString>>();
    EXPECT_EQ(parameters[QStringLiteral("steps")], QStringLiteral("2000"));
    choose("schedule.a.kind", "free");
    auto* times = find<QComboBox>("schedule.times");
    times->setCurrentIndex(2);
    Q_EMIT times->activated(2);
    find<QPushButton>("schedule.use")->click();
    const auto curve = schedule::parseInline(asked[1][0].toString().toStdString());
    ASSERT_TRUE(curve) << asked[1][0].toString().toStdString();
    // Half of a logit-normal's times lie before 1/2, so the median level stays: log-SNR 0.
    EXPECT_NEAR(curve->interpolated().value(0.5), 0, 1e-6);
    // A sixth (normal below -1) lies before t = 1 / (1 + e).
    const double sixth = std::erfc(1 / std::sqrt(2.0)) / 2;
    EXPECT_NEAR(curve->interpolated().value(sixth),
                panel_->scheduleA().curve().interpolated().value(1 / (1 + std::exp(1.0))), 0.05);
}

class ScheduleProjectTest : public testing::Test {
protected:
    ScheduleProjectTest() {
        test::guiApp();
        applyTheme(ThemeMode::Light, 1.0);
        root_ = folder_.path().toStdString();
        std::ofstream(root_ / "project.toml") << "name = \"Test\"\n";
        project_ = std::make_unique<store::Project>(*store::Project::open(root_));
        StudioContext context;
        context.project = project_.get();
        panel_ = std::make_unique<SchedulePanel>(context);
        QObject::connect(panel_.get(), &Panel::statusMessage, [this](const QString& text) { said_ = text; });
    }
    const QTemporaryDir folder_;
    std::filesystem::path root_;
    std::unique_ptr<store::Project> project_;
    std::unique_ptr<SchedulePanel> panel_;
    QString said_;
};

TEST_F(ScheduleProjectTest, APresetIsSavedListedAndOpened) {
    auto* kinds = panel_->findChild<QComboBox*>(QStringLiteral("schedule.a.kind"));
    kinds->setCurrentIndex(kinds->findData(QStringLiteral("free")));
    panel_->save(QStringLiteral("no/way"));
    EXPECT_TRUE(said_.contains("letters"));
    panel_->save(QStringLiteral("mine"));
    ASSERT_TRUE(test::waitFor([&] { return said_.contains("file:schedules/mine.toml"); }))
        << said_.toStdString();
    const auto saved = schedule::makeSchedule("file:schedules/mine.toml", {}, root_);
    ASSERT_TRUE(saved) << saved.error().text();
    EXPECT_EQ((*saved)->logSnr(0.25), 2.5);
    QSignalSpy asked(panel_.get(), &SchedulePanel::draftRequested);
    panel_->findChild<QPushButton*>(QStringLiteral("schedule.use"))->click();
    EXPECT_EQ(asked[0][0].toString(), QStringLiteral("file:schedules/mine.toml"));
    kinds->setCurrentIndex(kinds->findData(QStringLiteral("sqrt")));
    panel_->save(QStringLiteral("mine"));
    EXPECT_TRUE(said_.contains("there already"));
    kinds->setCurrentIndex(kinds->findData(QStringLiteral("file:mine.toml")));
    EXPECT_EQ(panel_->scheduleA().kind, "free");
    EXPECT_EQ(panel_->scheduleA().file, "mine.toml");
    EXPECT_EQ(panel_->scheduleA().curve().points.size(), 5u);
    panel_->undo();
    EXPECT_EQ(panel_->scheduleA().kind, "sqrt");
}

TEST(SchedulePanelRun, ShowsTheSelectedRunsLoss) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString();
    std::ofstream(root / "project.toml") << "name = \"Test\"\n";
    {
        auto writer = std::move(*store::RunWriter::open(root / "runs" / "a"));
        writer->set("id", "a");
        writer->set("name", "my run");
        writer->set("state", "completed");
        writer->histogram("loss", 300,
                          {{"edges", {-4, -2, 0, 2}}, {"values", {3, 2, 1}}, {"weights", {9, 9, 9}}});
        ASSERT_TRUE(writer->flush());
        writer = std::move(*store::RunWriter::open(root / "runs" / "b"));
        writer->set("id", "b");
        writer->set("name", "second run");
        writer->set("state", "completed");
        writer->histogram("loss", 700,
                          {{"edges", {-4, -2, 0, 2}}, {"values", {6, 5, 4}}, {"weights", {9, 9, 9}}});
        ASSERT_TRUE(writer->flush());
    }
    const auto project = store::Project::open(root);
    ASSERT_TRUE(project);
    RunCatalog catalog(*project);
    Selection selection;
    StudioContext context;
    context.catalog = &catalog;
    context.selection = &selection;
    SchedulePanel panel(context);
    auto* caption = panel.findChild<QLabel*>(QStringLiteral("schedule.loss.caption"));
    ASSERT_NE(caption, nullptr);
    EXPECT_TRUE(caption->text().contains("select one or two trained runs"));
    ASSERT_TRUE(test::waitFor([&] { return catalog.run(QStringLiteral("a")) != nullptr; }));
    selection.setRuns({QStringLiteral("a")});
    EXPECT_TRUE(test::waitFor([&] { return caption->text().contains("my run"); }))
        << caption->text().toStdString();
    selection.setRuns({QStringLiteral("a"), QStringLiteral("b")});
    EXPECT_TRUE(test::waitFor([&] { return caption->text().contains("second run"); }));
    EXPECT_TRUE(caption->text().contains("my run")) << caption->text().toStdString();
    const auto shown = [&](Qt::PenStyle dash) {
        std::vector<double> values;
        QCustomPlot* plot = panel.findChild<ScheduleCharts*>()->cards()[3]->plot();
        for (int i = 0; i < plot->graphCount(); ++i)
            if (plot->graph(i)->pen().style() == dash && plot->graph(i)->data()->size() == 3)
                for (const QCPGraphData& point : *plot->graph(i)->data()) values.push_back(point.value);
        return values;
    };
    EXPECT_EQ(shown(Qt::SolidLine), (std::vector<double>{3, 2, 1}));
    EXPECT_EQ(shown(Qt::DashDotLine), (std::vector<double>{6, 5, 4})) << "another dash for the second";
    // Flatten shows what it would do; only a click does it.
    auto* bar = panel.findChild<QLabel*>(QStringLiteral("schedule.difference"))->parentWidget();
    EXPECT_TRUE(bar->isHidden());
    panel.proposeFlat();
    EXPECT_FALSE(bar->isHidden());
    EXPECT_EQ(panel.scheduleA().kind, "sqrt");
    panel.findChild<QPushButton*>(QStringLiteral("schedule.dismiss"))->click();
    EXPECT_TRUE(bar->isHidden());
    EXPECT_EQ(panel.scheduleA().kind, "sqrt");
    panel.proposeFlat();
    panel.findChild<QPushButton*>(QStringLiteral("schedule.apply"))->click();
    EXPECT_EQ(panel.scheduleA().kind, "free");
    selection.setRuns({});
    EXPECT_TRUE(caption->text().contains("select one or two trained runs"));
}

TEST(SchedulePanelCommands, WhatHasAButtonIsACommandAndSaysWhyNot) {
    test::guiApp();
    CommandRegistry commands;
    StudioContext context;
    context.commands = &commands;
    SchedulePanel panel(context);
    const auto why = [&](const char* id) { return commands.entry(QLatin1String(id))->refusal; };
    EXPECT_TRUE(why("schedule.sample").contains("Select a run"));
    EXPECT_EQ(why("schedule.flatten"), why("schedule.sample"));
    EXPECT_TRUE(why("schedule.apply").contains("Nothing is proposed"));
    EXPECT_EQ(why("schedule.swap"), "");
    const std::string kind = panel.scheduleA().kind;
    commands.action("schedule.swap")->trigger();
    EXPECT_NE(panel.scheduleA().kind, kind);
    auto* other = panel.findChild<QComboBox*>("schedule.b.kind");
    other->setCurrentIndex(other->findData(QString()));
    EXPECT_TRUE(why("schedule.swap").contains("schedule B"));
    EXPECT_EQ(why("schedule.points"), "");
    commands.action("schedule.points")->trigger();
    EXPECT_TRUE(panel.scheduleA().drawn());
    EXPECT_TRUE(why("schedule.points").contains("already"));
    QSignalSpy drafted(&panel, &SchedulePanel::draftRequested);
    commands.action("schedule.use")->trigger();
    EXPECT_EQ(drafted.count(), 1);
    commands.action("schedule.copy")->trigger();
    EXPECT_TRUE(QGuiApplication::clipboard()->text().startsWith("free")) << "as a setting";
}

TEST(ScheduleModel, CurvesOfTheSqrtSchedule) {
    const auto schedule = std::move(*schedule::makeSchedule("sqrt"));
    const ScheduleCurves curves = curvesOf(*schedule, ScheduleUse());
    EXPECT_EQ(curves.stepAt.size(), 20u);
    EXPECT_NEAR(curves.stepAt[1], 106.0 / 2000, 1e-12);
    EXPECT_NEAR(curves.stepLogSnr[0], std::log(0.9853586895 / (1 - 0.9853586895)), 1e-6);
    EXPECT_NEAR(schedule->logSnr(curves.balance), 0, 0.01);
    EXPECT_NEAR(curves.density.area, 1, 1e-9);
    ScheduleUse many;
    many.steps = 5000;
    EXPECT_EQ(curvesOf(*schedule, many).stepAt.size(), 2000u);
}

TEST(ScheduleModel, AWeightOfOnesOwnWeighsTheLevels) {
    const auto schedule = std::move(*schedule::makeSchedule("cosine"));
    ScheduleUse use;
    use.weight = kOwnWeight;
    use.weightPoints = {{-4, 2}, {4, 2}};  // the same everywhere: p itself, with area 1
    const ScheduleCurves flat = curvesOf(*schedule, use), plain = curvesOf(*schedule, ScheduleUse());
    for (std::size_t i = 0; i < flat.weighted.size(); i += 50)
        EXPECT_NEAR(flat.weighted[i], plain.weighted[i], 1e-9 * plain.weighted[i] + 1e-12);
    use.weightPoints = {{-1e-3, 1e-9}, {1e-3, 1}};  // nothing below log-SNR 0
    const ScheduleCurves high = curvesOf(*schedule, use);
    double area = 0;
    for (std::size_t i = 0; i < high.weighted.size(); ++i) {
        if (high.density.logSnr[i] < -0.1) EXPECT_LT(high.weighted[i], 1e-6);
        area += high.weighted[i] / high.density.density[i] * high.density.mass[i];
    }
    EXPECT_NEAR(area, 1, 1e-9);
}

TEST(ScheduleModel, ReadsTheNewestUsableHistogram) {
    const GrowingList<store::HistogramRow> rows{
        {100, R"({"edges":[-2,0,2,4],"values":[3,2,1],"weights":[5,0,7]})"},
        {200, R"({"edges":[-2,0,2],"values":[1.5,0.5],"weights":[1,1]})"},
        {300, "not json"},
        {400, R"({"edges":[0,1],"values":[null],"weights":[0]})"}};
    const NoiseLoss newest = noiseLossOf(rows);
    EXPECT_EQ(newest.step, 200);
    EXPECT_EQ(newest.loss, (std::vector<double>{1.5, 0.5}));
    const NoiseLoss earlier = noiseLossOf(rows, 150);
    EXPECT_EQ(earlier.logSnr, (std::vector<double>{-1, 3}));  // the empty bin is left out
    EXPECT_TRUE(noiseLossOf({}).loss.empty());
    EXPECT_TRUE(newest.gradient.empty()) << "a run that did not measure it";
    const NoiseLoss measured =
        noiseLossOf({{5, R"({"edges":[-2,0,2],"values":[1.5,0.5],"weights":[1,1],"gradient":[null,3.5]})"}});
    EXPECT_EQ(measured.gradientLogSnr, (std::vector<double>{1}));
    EXPECT_EQ(measured.gradient, (std::vector<double>{3.5}));
}

}  // namespace
}  // namespace kurve::views
