#include "views/curve/curve_panel.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QJsonObject>
#include <QKeyEvent>
#include <QStandardItemModel>
#include <QTest>
#include <QToolButton>
#include <fstream>

#include "core/store/safetensors.h"
#include "tests/support/figure.h"
#include "tests/support/temporary_folder.h"
#include "tests/views/curve/curve_panel_fixture.h"
#include "views/curve/basis_form.h"

namespace kurve::views {
namespace {

TEST_F(CurvePanelTest, DescribesASpline) {
    load(test::syntheticTrace({.steps = 6}));
    EXPECT_TRUE(panel_->statement().contains("B-spline of degree 2 with 46 control points"))
        << panel_->statement().toStdString();
}

TEST_F(CurvePanelTest, NamesTheRunOfTheTrace) {
    trace::Trace trace = test::syntheticTrace({.steps = 6});
    trace.meta["run"] = "some-run";
    trace.meta["checkpoint_step"] = "12000";
    load(std::move(trace));  // also when another run is selected
    selection_.setRuns({"another"});
    EXPECT_TRUE(panel_->statement().startsWith("some-run, step 12")) << panel_->statement().toStdString();
}

TEST_F(CurvePanelTest, DescribesATraceWithoutACurve) {
    load(test::syntheticTrace({.steps = 4, .curve = false}));
    EXPECT_TRUE(panel_->statement().contains("no curve")) << panel_->statement().toStdString();
}

TEST_F(CurvePanelTest, TraceWithoutLatentsNamesTheRemedy) {
    auto trace = test::syntheticTrace({.steps = 3});
    trace.blocks.clear();
    selection_.setTrace(std::make_shared<trace::Trace>(trace));
    const auto saysRemedy = [&] { return says("record it again"); };
    EXPECT_TRUE(test::waitFor(saysRemedy));
    EXPECT_FALSE(panel_->hasData());
    describeFamilies();
    trace.meta["family"] = "points";  // of a family with latents
    selection_.setTrace(std::make_shared<trace::Trace>(trace));
    EXPECT_FALSE(saysRemedy());
    EXPECT_TRUE(test::waitFor(saysRemedy));
}

TEST_F(CurvePanelTest, AFamilyWithoutLatentsHasNoRemedy) {
    auto trace = test::syntheticTrace({.steps = 3});
    trace.blocks.clear();
    trace.meta["family"] = "words";
    selection_.setTrace(std::make_shared<trace::Trace>(trace));
    EXPECT_TRUE(test::waitFor([&] { return says("record it again"); }));  // before the family is described
    describeFamilies();
    EXPECT_TRUE(says("Masked words models have no latents"));
    EXPECT_FALSE(says("record it again"));
    EXPECT_FALSE(panel_->working());
    load(test::syntheticTrace({.steps = 3}));  // a trace with a curve is shown in any case
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
    for (const char* id :
         {"curve", "polygon", "words", "residuals", "vocabulary", "earlier", "targets", "trails"}) {
        const QImage with = picture();
        auto* button = panel_->findChild<QToolButton*>(QLatin1String("curve.") + QLatin1String(id));
        ASSERT_NE(button, nullptr) << id;
        const bool shown = button->isChecked();
        button->defaultAction()->setChecked(!shown);
        EXPECT_NE(picture(), with) << id;
        button->defaultAction()->setChecked(shown);
        EXPECT_EQ(picture(), with) << id;
    }
}

TEST_F(CurvePanelTest, HoveringATokenHighlightsItsControlPointsAndAClickSelectsIt) {
    load(test::syntheticTrace({.steps = 8}));
    picture();
    // Tokens are equidistant below the strip: the first one at its left end.
    QWidget* canvas = panel_->canvas();
    const QImage before = picture();
    QTest::mouseMove(canvas, {20, canvas->height() - 30});
    const QImage pointed = picture();
    EXPECT_NE(before, pointed);
    QTest::mouseClick(canvas, Qt::LeftButton, {}, {20, canvas->height() - 30});
    EXPECT_TRUE(test::waitFor([&] { return selection_.position() == 0; })) << selection_.position();
}

TEST_F(CurvePanelTest, TheWheelZoomsAndFitResets) {
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
    press("fit");
    picture();
    EXPECT_EQ(picture(), whole);
}

TEST_F(CurvePanelTest, ANewerTraceReplacesOneBeingFitted) {
    selection_.setTrace(std::make_shared<trace::Trace>(test::syntheticTrace({.words = 60, .steps = 20})));
    load(test::syntheticTrace({.words = 7, .steps = 2}));
    EXPECT_TRUE(panel_->statement().contains("7 tokens")) << panel_->statement().toStdString();
    test::waitFor([] { return false; }, 200);
    EXPECT_TRUE(panel_->statement().contains("7 tokens"));
}

TEST_F(CurvePanelTest, LayoutsAreDifferentPictures) {
    load(test::syntheticTrace({.steps = 8}));
    const QImage plane = picture();
    press("planes");
    const QImage planes = picture();
    EXPECT_NE(planes, plane);
    press("space");
    const QImage space = picture();
    EXPECT_NE(space, planes);
    press("turn_right");
    EXPECT_NE(picture(), space);
    press("turn_reset");
    EXPECT_EQ(picture(), space);
    press("stacked");
    EXPECT_NE(picture(), space);
    press("space");  // toggles back to the plane, without stacked steps
    EXPECT_EQ(panel_->view().layout, CurveLayout::Plane);
    EXPECT_FALSE(commands_.action("curve.stacked")->isChecked());
    EXPECT_FALSE(commands_.action("curve.turn_right")->isEnabled());
    EXPECT_EQ(picture(), plane);
}

TEST_F(CurvePanelTest, APinnedTraceIsShownWithTheNextOnTheSameAxes) {
    load(test::syntheticTrace({.steps = 8}));
    press("pin");
    const std::vector<std::vector<double>> axes = panel_->view().model()->basis().axes;
    load(test::syntheticTrace({.words = 9, .steps = 4, .seed = 12}));
    EXPECT_EQ(panel_->view().model()->words(), 9);
    ASSERT_NE(panel_->view().other(), nullptr);
    EXPECT_EQ(panel_->view().model()->basis().axes, axes);
    EXPECT_EQ(panel_->view().other()->basis().axes, axes);
    press("refit");
    EXPECT_TRUE(test::waitFor([&] { return !panel_->working(); }));
    EXPECT_NE(panel_->view().model()->basis().axes, axes);
    EXPECT_EQ(panel_->view().other()->basis().axes, panel_->view().model()->basis().axes);
    playhead_.setDenoiseStep(1);
    EXPECT_EQ(panel_->view().stepOfOther(), 1);
    const QImage byStep = picture();
    selection_.setLinkBy(inspect::LinkBy::Fraction);
    EXPECT_EQ(panel_->view().stepOfOther(), 2) << "a third of eight steps";
    EXPECT_NE(picture(), byStep) << "as the timeline shows them";
}

TEST_F(CurvePanelTest, AFigureHasVectorsAndTextsOnly) {
    load(test::syntheticTrace({.steps = 4}));
    press("pin");
    const QByteArray figure = test::svgOf(*panel_->canvas());

    EXPECT_EQ(test::count(figure, "<image"), 0);
    EXPECT_EQ(test::count(figure, ">dark</text>"), 4) << "in plot and strip, of A and of B";
    EXPECT_GT(test::count(figure, "<polyline"), 100) << "basis functions and segments of the curve";
}

TEST_F(CurvePanelTest, UnlinkedItsKeysMoveItsOwnStep) {
    auto* forward = commands_.add({"timeline.forward", "Step forward", "Playhead", Qt::Key_Right, ""}, [] {});
    load(test::syntheticTrace({.steps = 8}));
    playhead_.setDenoiseStep(3);
    press("unlink");
    const QImage own = picture();
    playhead_.setDenoiseStep(6);
    EXPECT_EQ(picture(), own);
    QKeyEvent claim(QEvent::ShortcutOverride, Qt::Key_Right, Qt::NoModifier);
    claim.ignore();
    QApplication::sendEvent(panel_.get(), &claim);
    EXPECT_TRUE(claim.isAccepted()) << "not by the timeline";
    QTest::keyClick(panel_.get(), Qt::Key_Right);
    EXPECT_EQ(panel_->findChild<QToolButton*>("curve.unlink")->text(), "own step 5");
    EXPECT_EQ(playhead_.denoiseStep(), 6);
    forward->setShortcut(Qt::Key_W);
    QTest::keyClick(panel_.get(), Qt::Key_W);
    EXPECT_EQ(panel_->findChild<QToolButton*>("curve.unlink")->text(), "own step 6");
    press("unlink");
    EXPECT_EQ(panel_->view().step, 6);
}

TEST_F(CurvePanelTest, AnLdaBasisNeedsTwoTraces) {
    load(test::syntheticTrace({.steps = 4}));
    auto* kind = panel_->findChild<BasisForm*>()->findChild<QComboBox*>("curve.basis.kind");
    auto* of = panel_->findChild<BasisForm*>()->findChild<QComboBox*>("curve.basis.of");
    const auto lda = [&] { return qobject_cast<QStandardItemModel*>(kind->model())->item(3); };
    EXPECT_FALSE(lda()->isEnabled());
    EXPECT_TRUE(of->isHidden());
    press("pin");
    load(test::syntheticTrace({.steps = 4, .seed = 12}));
    EXPECT_TRUE(lda()->isEnabled());
    EXPECT_FALSE(of->isHidden());
    const auto choose = [&](QComboBox* box, int entry) {
        box->setCurrentIndex(entry);
        Q_EMIT box->activated(entry);
        ASSERT_TRUE(test::waitFor([&] { return !panel_->working(); }));
    };
    choose(kind, 3);
    EXPECT_EQ(panel_->view().model()->axisName(0), "LDA A → B");
    EXPECT_EQ(panel_->view().other()->axisName(0), "LDA A → B");
    EXPECT_EQ(panel_->view().other()->basis().axes, panel_->view().model()->basis().axes);
    press("pin");  // unpins B
    ASSERT_TRUE(test::waitFor([&] { return !panel_->working(); }));
    EXPECT_EQ(panel_->view().model()->axisName(0), "PC 1");
}

TEST_F(CurvePanelTest, AnLdaBasisWithoutPointsOfBothIsNamedPca) {
    auto bare = test::syntheticTrace({.steps = 4});
    bare.blocks.erase("vocab/latent");
    load(std::move(bare));
    press("pin");
    load(test::syntheticTrace({.steps = 4, .seed = 12}));
    const auto choose = [&](const char* name, int entry) {
        auto* box = panel_->findChild<QComboBox*>(name);
        box->setCurrentIndex(entry);
        Q_EMIT box->activated(entry);
        ASSERT_TRUE(test::waitFor([&] { return !panel_->working(); }));
    };
    const auto* button = panel_->findChild<QToolButton*>("curve.basis");
    choose("curve.basis.kind", 3);
    EXPECT_EQ(button->text(), "Basis: LDA of A and B, sentence");
    choose("curve.basis.reference", 4);  // B has no target embeddings
    EXPECT_EQ(button->text(), "Basis: PCA in place of LDA");
    EXPECT_EQ(panel_->view().model()->axisName(0), "PC 1");
}

TEST_F(CurvePanelTest, ALowViewHasStripsOfBothTraces) {
    panel_->resize(480, 330);  // too narrow for a strip beside the plot
    load(test::syntheticTrace({.steps = 8}));
    picture();
    const auto wordAt = [&](int x) {
        QWidget* canvas = panel_->canvas();
        for (int up = 10; up < 60; up += 4) {
            QTest::mouseMove(canvas, {x, canvas->height() - up});
            picture();
            if (panel_->view().pointed().word >= 0) return panel_->view().pointed().word;
        }
        return -1;
    };
    EXPECT_EQ(wordAt(20), 0) << "tokens are below the strip";
    press("pin");
    load(test::syntheticTrace({.words = 9, .steps = 4, .seed = 12}));
    picture();
    EXPECT_EQ(wordAt(20), 0);
    // B's strip begins in the middle.
    int firstOfB = -1, last = 0;
    for (int x = 20; x < panel_->canvas()->width() && firstOfB < 0; x += 12) {
        const int word = wordAt(x);
        if (word >= 0 && word < last) firstOfB = word;
        last = std::max(last, word);
    }
    EXPECT_EQ(firstOfB, 0);
}

TEST_F(CurvePanelTest, ChoicesAreRestored) {
    load(test::syntheticTrace({.steps = 8}));
    commands_.action("curve.layer.trails")->setChecked(true);
    press("lock");
    press("space");
    press("stacked");
    const QJsonObject saved = panel_->saveState();
    panel_ = nullptr;
    CommandRegistry commands;
    context_.commands = &commands;
    panel_ = std::make_unique<CurvePanel>(context_);
    EXPECT_NE(panel_->saveState(), saved);
    panel_->restoreState(saved);
    EXPECT_EQ(panel_->saveState(), saved);
    EXPECT_TRUE(panel_->view().layers.trails);
    EXPECT_EQ(panel_->view().layout, CurveLayout::Space);
    EXPECT_TRUE(panel_->view().stacked);
}

TEST_F(CurvePanelTest, ALockedBasisIsUsedForTheNextTrace) {
    panel_->findChild<QComboBox*>("curve.basis.kind")->setCurrentText("through three tokens");
    load(test::syntheticTrace({.steps = 8}));
    const std::vector<std::vector<double>> axes = panel_->view().model()->basis().axes;
    const std::string name = panel_->view().model()->axisName(0);
    press("lock");
    auto next = test::syntheticTrace({.words = 9, .steps = 4, .seed = 12});
    for (auto& [id, text] : next.tokenTexts) text = "other";
    load(std::move(next));
    EXPECT_EQ(panel_->view().model()->basis().axes, axes);
    EXPECT_EQ(panel_->view().model()->axisName(0), name) << "not of the tokens shown";
    press("lock");
    load(test::syntheticTrace({.words = 8, .steps = 4, .seed = 13}));
    EXPECT_NE(panel_->view().model()->basis().axes, axes);
}

TEST_F(CurvePanelTest, ABranchIsShownOnTheAxesOfItsParent) {
    const auto recorded = [](const char* file, const char* parent, std::uint64_t seed) {
        trace::Trace trace = test::syntheticTrace({.words = 8, .steps = 4, .seed = seed});
        trace.file = std::filesystem::path("/run/traces") / file;
        if (*parent != 0) trace.meta["branch_parent"] = std::string("traces/") + parent;
        return trace;
    };
    const auto axes = [this] { return panel_->view().model()->basis().axes; };
    load(recorded("a", "", 11));
    const auto first = axes();
    load(recorded("b", "a", 12));
    EXPECT_EQ(axes(), first);
    EXPECT_TRUE(panel_->statement().contains("branch tree")) << panel_->statement().toStdString();
    load(recorded("c", "b", 13));
    load(recorded("a", "", 11));
    EXPECT_EQ(axes(), first);
    load(recorded("c", "b", 13));
    press("refit");
    ASSERT_TRUE(test::waitFor([&] { return !panel_->working(); }));
    EXPECT_NE(axes(), first) << "on request";
    EXPECT_FALSE(panel_->statement().contains("branch tree"));
    load(recorded("d", "", 14));
    load(recorded("e", "a", 12));
    EXPECT_FALSE(panel_->statement().contains("branch tree")) << "of another tree";
}

TEST_F(CurvePanelTest, ATraceOpenedWhileTheVocabularyLoadsIsComparedWithItToo) {
    const testing::TemporaryFolder folder;
    const auto recorded = [](int steps) {
        trace::Trace trace = test::syntheticTrace({.words = 6, .steps = steps});
        trace.meta["run"] = "r";
        trace.meta["checkpoint"] = "step-1";
        return std::make_shared<const trace::Trace>(std::move(trace));
    };
    const auto first = recorded(3), second = recorded(4);
    const trace::Block& table = *first->block("vocab/latent");
    std::ofstream(folder / "project.toml") << "name = \"Test\"\n";
    std::filesystem::create_directories(folder / "runs/r/checkpoints/step-1");
    ASSERT_TRUE(store::writeSafetensors(
        folder / "runs/r/checkpoints/step-1/weights.safetensors",
        {{"embedding.weight", {"F32", table.shape, std::as_bytes(std::span(table.data))}}}, {}));
    const auto project = store::Project::open(folder.path());
    ASSERT_TRUE(project) << project.error().text();
    panel_ = nullptr;
    CommandRegistry commands;
    context_.commands = &commands;
    context_.project = &*project;
    panel_ = std::make_unique<CurvePanel>(context_);

    // It becomes available when the first vocabulary begins to load.
    QObject::connect(
        panel_.get(), &Panel::availableChanged, panel_.get(), [&] { selection_.setTrace(second); },
        Qt::SingleShotConnection);
    selection_.setTrace(first);
    ASSERT_TRUE(test::waitFor(
        [&] { return selection_.trace() == second && panel_->hasData() && !panel_->working(); }));
    EXPECT_TRUE(panel_->view().model()->vocabulary()->whole()) << panel_->statement().toStdString();
    selection_.setReference(first);
    ASSERT_TRUE(test::waitFor([&] { return panel_->view().other() != nullptr; }));
    EXPECT_TRUE(panel_->view().other()->vocabulary()->whole());
}

}  // namespace
}  // namespace kurve::views
