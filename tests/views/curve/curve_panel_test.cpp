#include "views/curve/curve_panel.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QTest>
#include <QToolButton>

#include "tests/support/gui_app.h"
#include "tests/support/synthetic_trace.h"
#include "views/common/command_registry.h"
#include "views/common/playhead.h"
#include "views/common/selection.h"
#include "views/common/theme.h"

namespace kurve::views {
namespace {

class CurvePanelTest : public testing::Test {
protected:
    CurvePanelTest() {
        applyTheme(ThemeMode::Light, 1.0);
        context_.commands = &commands_;
        context_.playhead = &playhead_;
        context_.selection = &selection_;
        panel_ = std::make_unique<CurvePanel>(context_);
        panel_->resize(1000, 620);
        panel_->show();
    }
    void load(trace::Trace trace) {
        playhead_.setDenoiseSteps(trace.steps);
        playhead_.setDenoiseStep(trace.steps - 1);
        selection_.setTrace(std::make_shared<trace::Trace>(std::move(trace)));
        ASSERT_TRUE(test::waitFor([&] { return panel_->hasData(); }));
    }
    QImage picture() { return panel_->canvas()->renderNow().copy(); }

    QApplication& app_ = test::guiApp();
    CommandRegistry commands_;
    Playhead playhead_;
    Selection selection_;
    StudioContext context_;
    std::unique_ptr<CurvePanel> panel_;
};

TEST_F(CurvePanelTest, ShowsASplineAndSaysSo) {
    load(test::syntheticTrace({.steps = 6}));
    EXPECT_TRUE(panel_->statement().contains("B-spline of degree 2 with 46 control points"))
        << panel_->statement().toStdString();
}

TEST_F(CurvePanelTest, SaysPlainlyThatThereIsNoCurve) {
    load(test::syntheticTrace({.steps = 4, .curve = false}));
    EXPECT_TRUE(panel_->statement().contains("no curve")) << panel_->statement().toStdString();
}

TEST_F(CurvePanelTest, TraceWithoutLatentsNamesTheRemedy) {
    auto trace = test::syntheticTrace({.steps = 3});
    trace.blocks.clear();
    selection_.setTrace(std::make_shared<trace::Trace>(trace));
    const auto said = [&] {
        for (const QLabel* label : panel_->findChildren<QLabel*>())
            if (label->text().contains("record it again")) return true;
        return false;
    };
    EXPECT_TRUE(test::waitFor(said));
    EXPECT_FALSE(panel_->hasData());
}

TEST_F(CurvePanelTest, FollowsThePlayhead) {
    load(test::syntheticTrace({.steps = 8}));
    const QImage last = picture();
    playhead_.setDenoiseStep(1);
    EXPECT_NE(picture(), last);
    playhead_.setDenoiseStep(7);
    EXPECT_EQ(picture(), last);
}

TEST_F(CurvePanelTest, EveryLayerCanBeHidden) {
    load(test::syntheticTrace({.steps = 8}));
    for (const char* id : {"curve", "polygon", "words", "residuals", "vocabulary", "earlier"}) {
        const QImage with = picture();
        auto* button = panel_->findChild<QToolButton*>(QLatin1String("curve.") + QLatin1String(id));
        ASSERT_NE(button, nullptr) << id;
        button->setChecked(false);
        EXPECT_NE(picture(), with) << id;
        button->setChecked(true);
        EXPECT_EQ(picture(), with) << id;
    }
}

TEST_F(CurvePanelTest, PointingAtAWordLightsItsControlPointsAndAClickSelectsIt) {
    load(test::syntheticTrace({.steps = 8}));
    picture();
    // Words stand under the strip in even distances: the first one at its left end.
    QWidget* canvas = panel_->canvas();
    const QImage before = picture();
    QTest::mouseMove(canvas, {20, canvas->height() - 30});
    const QImage pointed = picture();
    EXPECT_NE(before, pointed);
    QTest::mouseClick(canvas, Qt::LeftButton, {}, {20, canvas->height() - 30});
    EXPECT_TRUE(test::waitFor([&] { return selection_.slot() == 0; })) << selection_.slot();
}

TEST_F(CurvePanelTest, WheelZoomsAndFitGoesBack) {
    load(test::syntheticTrace({.steps = 8}));
    const QImage whole = picture();
    QWheelEvent wheel({300, 200}, panel_->canvas()->mapToGlobal(QPointF(300, 200)), {}, {0, 240},
                      Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QTest::mouseMove(panel_->canvas(), {300, 200});
    picture();
    QApplication::sendEvent(panel_->canvas(), &wheel);
    EXPECT_NE(picture(), whole);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(panel_->canvas(), &leave);
    commands_.action("curve.fit")->trigger();
    picture();
    EXPECT_EQ(picture(), whole);
}

TEST_F(CurvePanelTest, NewerTraceReplacesOneStillBeingFitted) {
    selection_.setTrace(std::make_shared<trace::Trace>(test::syntheticTrace({.words = 60, .steps = 20})));
    load(test::syntheticTrace({.words = 7, .steps = 2}));
    EXPECT_TRUE(panel_->statement().contains("7 words")) << panel_->statement().toStdString();
    test::waitFor([] { return false; }, 200);
    EXPECT_TRUE(panel_->statement().contains("7 words"));
}

}  // namespace
}  // namespace kurve::views
