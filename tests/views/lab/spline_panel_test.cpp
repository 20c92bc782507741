#include "views/spline/spline_panel.h"
#include "tests/support/fake_services.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QSignalSpy>
#include <QSlider>
#include <QTest>

#include "core/curve/spline_model.h"
#include "core/curve/spline_sweep.h"
#include "tests/support/gui_app.h"
#include "views/common/chart/plot_card.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/form/number_control.h"
#include "views/common/theme/theme.h"
#include "views/spline/grid_chart.h"
#include "views/spline/spline_form.h"

namespace kurve::views {
namespace {

class SplinePanelTest : public testing::Test {
protected:
    SplinePanelTest() {
        applyTheme(ThemeMode::Light, 1.0);
        const StudioContext context;
        services_.offerTo(context);
        panel_ = std::make_unique<SplinePanel>(context);
        panel_->resize(1200, 760);
        panel_->show();
        EXPECT_TRUE(test::waitFor([&] { return panel_->hasData(); }));
    }
    template <class T>
    T* find(const char* name) const {
        T* widget = panel_->findChild<T*>(QLatin1String(name));
        EXPECT_NE(widget, nullptr) << name;
        return widget;
    }
    bool becomes(const char* label, const QString& text) const {
        auto* value = find<QLabel>(label);
        return test::waitFor([&] { return value->text() == text; });
    }
    void choosePreset(int index) const {
        auto* presets = find<QComboBox>("spline.preset");
        presets->setCurrentIndex(index);
        Q_EMIT presets->activated(index);
    }

    QApplication& app_ = test::guiApp();
    test::FakeServices services_;
    std::unique_ptr<SplinePanel> panel_;
};

TEST_F(SplinePanelTest, FollowsTheControls) {
    EXPECT_TRUE(panel_->hasData());
    EXPECT_EQ(find<QLabel>("spline.report.shape")->text(), "25 × 50, k 2");
    find<QDoubleSpinBox>("spline.words")->setValue(10);
    EXPECT_TRUE(becomes("spline.report.shape", "10 × 20, k 2"));
    find<QComboBox>("spline.degreeBy")->setCurrentIndex(1);
    find<QDoubleSpinBox>("spline.degree")->setValue(5);
    EXPECT_TRUE(becomes("spline.report.shape", "10 × 20, k 5"));
    find<QComboBox>("spline.pointsBy")->setCurrentIndex(1);
    find<QDoubleSpinBox>("spline.controlPoints")->setValue(8);
    EXPECT_TRUE(becomes("spline.report.rank", "8 of 10"));
    EXPECT_TRUE(panel_->statement().startsWith("10 words on 8 control points of degree 5"));
}

TEST_F(SplinePanelTest, KeepsTheLastPlotUntilTheNextIsComputed) {
    auto* shape = find<QLabel>("spline.report.shape");
    QStringList seen{shape->text()};
    for (const int words : {200, 150, 120, 10}) {
        find<QDoubleSpinBox>("spline.words")->setValue(words);
        EXPECT_EQ(shape->text(), "25 × 50, k 2") << "nothing may be computed on this thread";
    }
    EXPECT_TRUE(panel_->statement().startsWith("25 words"));
    EXPECT_TRUE(test::waitFor([&] {
        if (shape->text() != seen.back()) seen << shape->text();
        return seen.back().startsWith("10 ×");
    }));
    EXPECT_LE(seen.size(), 3) << "what was overtaken is not computed: " << seen.join("; ").toStdString();
    EXPECT_TRUE(panel_->statement().startsWith("10 words"));
}

TEST_F(SplinePanelTest, TheChosenMatrixIsShownOfTheSameShape) {
    auto* caption = find<QLabel>("spline.map.caption");
    EXPECT_TRUE(caption->text().contains("25 × 50"));
    find<QComboBox>("spline.map.shown")->setCurrentIndex(1);
    EXPECT_TRUE(test::waitFor([&] { return caption->text().contains("50 × 25"); }));
    find<QDoubleSpinBox>("spline.words")->setValue(10);
    EXPECT_TRUE(test::waitFor([&] { return caption->text().contains("20 × 10"); }));
    find<QComboBox>("spline.map.shown")->setCurrentIndex(2);
    EXPECT_TRUE(test::waitFor([&] { return caption->text().contains("10 × 10"); }));
}

TEST_F(SplinePanelTest, WarnsOfAHighInputGainAndTheRidgeHelps) {
    EXPECT_FALSE(find<QLabel>("spline.warning")->isVisible());
    find<QDoubleSpinBox>("spline.words")->setValue(32);
    choosePreset(8);  // one control point a word
    EXPECT_TRUE(becomes("spline.report.shape", "32 × 32, k 2"));
    EXPECT_TRUE(find<QLabel>("spline.warning")->isVisible());
    find<QDoubleSpinBox>("spline.ridge")->setValue(0.01);
    EXPECT_TRUE(test::waitFor([&] { return !find<QLabel>("spline.warning")->isVisible(); }, 3000));
}

TEST_F(SplinePanelTest, InvalidShapesAreExplained) {
    find<QComboBox>("spline.pointsBy")->setCurrentIndex(1);
    find<QComboBox>("spline.degreeBy")->setCurrentIndex(1);
    find<QDoubleSpinBox>("spline.controlPoints")->setValue(4);
    find<QDoubleSpinBox>("spline.degree")->setValue(9);
    EXPECT_TRUE(test::waitFor([&] { return find<QLabel>("spline.error")->isVisible(); }, 3000));
    find<QDoubleSpinBox>("spline.degree")->setValue(3);
    EXPECT_TRUE(test::waitFor([&] { return !find<QLabel>("spline.error")->isVisible(); }, 3000));
    EXPECT_TRUE(becomes("spline.report.shape", "25 × 4, k 3"));
}

TEST_F(SplinePanelTest, EveryMatrixDrawsInBothThemes) {
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark}) {
        applyTheme(mode, 1.0);
        for (int matrix = 0; matrix < 3; ++matrix) {
            find<QComboBox>("spline.map.shown")->setCurrentIndex(matrix);
            EXPECT_TRUE(test::waitFor([&] { return !panel_->working(); }));
            EXPECT_FALSE(panel_->grab().isNull());
        }
    }
    find<QSlider>("spline.words.slider")->setValue(0);  // one word
    EXPECT_TRUE(becomes("spline.report.rank", "1 of 1"));
    EXPECT_FALSE(panel_->grab().isNull());
}

TEST_F(SplinePanelTest, ReadsOutTheValueUnderTheMouse) {
    const auto hover = [&](const char* card, double x, double y) {
        auto* plot = find<PlotCard>(card)->plot();
        plot->replot();
        const QPointF at(plot->xAxis->coordToPixel(x), plot->yAxis->coordToPixel(y));
        QMouseEvent move(QEvent::MouseMove, at, at, Qt::NoButton, Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(plot, &move);
    };
    auto* map = find<QLabel>("spline.map.caption");
    const QString before = map->text();
    hover("spline.map", 1, 1);
    EXPECT_TRUE(map->text().startsWith("word 1, control point 1: 0.2"))
        << map->text().toStdString();  // (1 - .01 * 48)^2
    EXPECT_TRUE(find<PlotCard>("spline.basis")->plot()->graphCount() > 50);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(find<PlotCard>("spline.map")->plot(), &leave);
    EXPECT_EQ(map->text(), before);
    hover("spline.basis", 0.01, 0.5);
    EXPECT_TRUE(find<QLabel>("spline.basis.caption")->text().startsWith("word 1 = c1 0.27 + c2"))
        << find<QLabel>("spline.basis.caption")->text().toStdString();
    find<QComboBox>("spline.degreeBy")->setCurrentIndex(1);
    find<QDoubleSpinBox>("spline.degree")->setValue(10);
    EXPECT_TRUE(becomes("spline.report.shape", "25 × 50, k 10"));
    hover("spline.basis", 0.5, 0.2);
    const auto* caption = find<QLabel>("spline.basis.caption");  // its tip is whole where it is narrow
    const QString all = caption->toolTip().isEmpty() ? caption->text() : caption->toolTip();
    EXPECT_EQ(all.count(" + "), 5) << all.toStdString();
}

TEST(NumberControl, SliderAndBoxAgree) {
    test::guiApp();
    using Scale = NumberControl::Scale;
    for (const Scale scale : {Scale::Linear, Scale::Logarithmic, Scale::FineNearZero}) {
        NumberControl control(QStringLiteral("x"), QStringLiteral("x"), {1, 1000, 1, 0, scale});
        auto* slider = control.findChild<QSlider*>();
        int changes = 0;
        QObject::connect(&control, &NumberControl::valueChanged, [&] { ++changes; });
        slider->setValue(slider->maximum());
        EXPECT_EQ(control.value(), 1000);
        EXPECT_EQ(changes, 1);
        slider->setValue(0);
        EXPECT_EQ(control.value(), 1);
        control.setValue(37);
        const int there = slider->value();
        EXPECT_EQ(control.value(), 37);
        EXPECT_GT(there, 0);
        control.setValue(38);
        EXPECT_GE(slider->value(), there);
        EXPECT_EQ(changes, 4);
    }
}

TEST(SplineModel, PresetsAreTable3) {
    const auto shape = [](std::size_t preset, int words) {
        const curve::SplinePreset& p = curve::splinePresets()[preset];
        curve::SplineSettings settings;
        settings.words = words;
        settings.rho = p.rho;
        settings.kappa = p.kappa;
        settings.degreeGiven = p.degree > 0;
        settings.degree = p.degree;
        return settings.shape();
    };
    EXPECT_EQ(shape(0, 25).controlPoints, 88);
    EXPECT_EQ(shape(0, 25).degree, 8);
    EXPECT_EQ(shape(1, 25).controlPoints, 100);
    EXPECT_EQ(shape(1, 25).degree, 5);
    EXPECT_EQ(shape(5, 128).controlPoints, 154);
    EXPECT_EQ(shape(5, 128).degree, 15);
    const curve::SplinePicture wmt = curve::pictureOf(shape(4, 25));
    int dead = 0;
    for (const curve::BasisCurve& curve : wmt.basis) dead += curve.dead ? 1 : 0;
    EXPECT_EQ(dead, 14);
    EXPECT_EQ(dead, wmt.report.deadControlPoints);
}

TEST(SplineModel, TheMapsOfAPictureBelongToEachOther) {
    const curve::SplineShape shape{4, 6, 2};
    const curve::Matrix psi = curve::pictureOf(shape).map;
    const curve::Matrix inverse = curve::pictureOf(shape, curve::SplineMap::Inverse).map;
    const curve::Matrix gram = curve::pictureOf(shape, curve::SplineMap::Coupling).map;
    ASSERT_EQ(inverse.rows, 6);
    ASSERT_EQ(gram.rows, 4);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            double one = 0, coupled = 0;  // more points than words: Psi Psi^+ is the identity
            for (int m = 0; m < 6; ++m) {
                one += psi.at(i, m) * inverse.at(m, j);
                coupled += psi.at(i, m) * psi.at(j, m);
            }
            EXPECT_NEAR(one, i == j ? 1 : 0, 1e-12);
            EXPECT_NEAR(gram.at(i, j), coupled, 1e-15);
        }
}

TEST(SplineModel, BasisCurvesKeepToTheirSupport) {
    const curve::SplinePicture picture = curve::pictureOf({10, 20, 3});
    for (std::size_t j = 0; j < picture.basis.size(); ++j) {
        const curve::BasisCurve& curve = picture.basis[j];
        ASSERT_GT(curve.u.size(), 3u);
        EXPECT_LE(curve.u.back() - curve.u.front(), 4.0 / 17 + 2.0 / 600);  // k + 1 spans and two feet
        EXPECT_TRUE(j == 0 || curve.value.front() == 0);
    }
}

// The grid of SCLM, App. C.2 at L = 25: rho 0.5, 0.8, 1.0, 1.2, >= 1.5 as float64 / float32.
TEST(SplineSweep, GridIsThatOfThePaper) {
    const CancelToken cancelled;
    curve::SplineShape like;
    like.words = 25;
    const auto expectRow = [&](int rule, const std::vector<double>& narrow) {
        const curve::GridRow row = curve::gridRow(like, rule, cancelled);
        ASSERT_EQ(row.cells.size(), curve::gridRhos().size());
        for (std::size_t i = 0; i < narrow.size(); ++i) {
            EXPECT_NEAR(row.cells[i].mse32, narrow[i], 1e-9)
                << curve::gridRules()[static_cast<std::size_t>(rule)].name;
            EXPECT_NEAR(row.cells[i].mse64, i < 2 ? narrow[i] : 0, 1e-9);
        }
    };
    expectRow(0, {.48, .2, 0, 0, 0, 0, 0, 0});      // k = 2
    expectRow(2, {.48, .2, .08, 0, 0, 0, 0, 0});    // k = 5
    expectRow(8, {.48, .2, .08, .04, 0, 0, 0, 0});  // k = M / 2
    cancelled.request();
    EXPECT_TRUE(curve::gridRow(like, 0, cancelled).cells.empty());
}

TEST(SplineSweep, RatiosPassThroughTheEffectiveShape) {
    const curve::SplineShape shape{25, 50, 3};
    const curve::SplineReport report = curve::report(shape);
    for (const bool overDegree : {false, true}) {
        const curve::RatioSweep sweep = curve::ratioSweep(shape, overDegree);
        const auto at = std::find(sweep.at.begin(), sweep.at.end(), sweep.chosen);
        ASSERT_NE(at, sweep.at.end());
        const auto i = static_cast<std::size_t>(at - sweep.at.begin());
        EXPECT_NEAR(sweep.rl[i], report.R_L, 1e-9);
        EXPECT_NEAR(sweep.rm[i], report.R_M, 1e-9);
        EXPECT_NEAR(sweep.r1[i], report.R_1, 1e-9);
    }
}

TEST(SplineSweep, FieldsGiveTheSameShapeAgain) {
    curve::SplineSettings settings;
    settings.countGiven = settings.degreeGiven = true;
    settings.controlPoints = 40;
    settings.degree = 4;
    std::map<std::string, std::string> fields;
    for (const auto& [key, value] : curve::mapFields(settings)) fields[key] = value;
    EXPECT_EQ(fields["map.rho"], "1.6");
    EXPECT_EQ(fields["map.degree"], "4");
    EXPECT_EQ(fields["map.knots"], "clamped");
    settings.degreeGiven = false;
    for (const auto& [key, value] : curve::mapFields(settings)) fields[key] = value;
    EXPECT_EQ(fields["map.degree"], "0");
    EXPECT_EQ(fields["map.kappa"], "0.01");
}

TEST_F(SplinePanelTest, TheGridIsDrawnRowByRowAndAClickSelectsACell) {
    auto* grid = panel_->findChild<GridChart*>();
    ASSERT_NE(grid, nullptr);
    EXPECT_TRUE(test::waitFor([&] { return grid->rowsDrawn() == 9; }, 20000));
    Q_EMIT grid->cellChosen(1.5, 2);
    EXPECT_TRUE(becomes("spline.report.shape", "25 × 38, k 5"));
    // The same by keys: to the first column and row, then one to the right and two down.
    auto* plot = grid->plot();
    plot->setFocus();
    for (int i = 0; i < 2; ++i) QTest::keyClick(plot, Qt::Key_Left, Qt::ShiftModifier);
    for (int i = 0; i < 9; ++i) QTest::keyClick(plot, Qt::Key_Up);
    QTest::keyClick(plot, Qt::Key_Right);
    for (int i = 0; i < 2; ++i) QTest::keyClick(plot, Qt::Key_Down);
    EXPECT_TRUE(plot->accessibleDescription().startsWith("25 × 20, k 5"))
        << plot->accessibleDescription().toStdString();
    QTest::keyClick(plot, Qt::Key_Return);
    EXPECT_TRUE(becomes("spline.report.shape", "25 × 20, k 5"));
    find<QDoubleSpinBox>("spline.words")->setValue(12);
    EXPECT_TRUE(becomes("spline.report.shape", "12 × 10, k 5"));
    EXPECT_TRUE(test::waitFor([&] { return grid->rowsDrawn() == 9; }, 20000));
}

TEST_F(SplinePanelTest, SettingsAreRestored) {
    find<QDoubleSpinBox>("spline.words")->setValue(12);
    find<QComboBox>("spline.degreeBy")->setCurrentIndex(1);
    find<QDoubleSpinBox>("spline.degree")->setValue(4);
    find<QComboBox>("spline.knots")->setCurrentIndex(1);
    const QJsonObject saved = panel_->saveState();
    SplinePanel next{StudioContext()};
    QSignalSpy changed(&next, &SplinePanel::stateChanged);
    next.restoreState(saved);
    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(next.saveState(), saved);
    auto* form = next.findChild<SplineForm*>();
    EXPECT_EQ(form->settings().words, 12);
    EXPECT_TRUE(form->settings().degreeGiven);
    EXPECT_EQ(form->settings().degree, 4);
    EXPECT_EQ(form->settings().knots, curve::Knots::Unclamped);
    next.restoreState(QJsonObject{{"spline.knots", 9}, {"spline.words", "many"}});  // damaged
    EXPECT_EQ(form->settings().knots, curve::Knots::Unclamped);
    EXPECT_EQ(form->settings().words, 12);
}

TEST_F(SplinePanelTest, UseInDraftSetsTheFields) {
    const QMap<QString, QString>& requested = services_.settings;
    find<QDoubleSpinBox>("spline.ridge")->setValue(0.01);
    find<QPushButton>("spline.useInDraft")->click();
    EXPECT_EQ(requested.value("map.rho"), "2");
    EXPECT_EQ(requested.value("map.ridge"), "0.01");
    EXPECT_EQ(requested.size(), 8);
}

}  // namespace
}  // namespace kurve::views
