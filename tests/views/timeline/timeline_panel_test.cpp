#include "views/timeline/timeline_panel.h"
#include "tests/support/fake_services.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QContextMenuEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <QToolButton>
#include <cmath>
#include <limits>

#include "tests/support/chunk_trace.h"
#include "tests/support/figure.h"
#include "tests/support/shown_panel.h"
#include "tests/support/synthetic_trace.h"
#include "tests/support/trace_declarations.h"
#include "views/common/text/elided_label.h"

namespace kurve::views {
namespace {

class TimelinePanelTest : public ::testing::Test, protected test::ShownPanel<TimelinePanel> {
protected:
    TimelinePanelTest() : ShownPanel(1000, 620) {}
    void load(const test::SyntheticTrace& spec = {}) {
        selection_.setTrace(std::make_shared<trace::Trace>(test::syntheticTrace(spec)));
    }
};

TEST_F(TimelinePanelTest, EmptyStateSaysWhatToDo) {
    EXPECT_FALSE(panel_->hasData());
    test::FakeServices services;
    services.offerTo(context_);
    for (QPushButton* button : panel_->findChildren<QPushButton*>()) button->click();
    EXPECT_EQ(services.runs, 1);
    EXPECT_EQ(services.shown, QStringList{"prompt"});
}

TEST_F(TimelinePanelTest, ShowsTheLastStepFirstAndFollowsThePlayhead) {
    load();
    EXPECT_TRUE(panel_->hasData());
    EXPECT_EQ(playhead_.denoiseSteps(), 20);
    EXPECT_EQ(playhead_.denoiseStep(), 19);
    EXPECT_TRUE(panel_->statement().contains("light shineth")) << panel_->statement().toStdString();
    playhead_.setDenoiseStep(4);
    EXPECT_TRUE(panel_->findChild<QLabel*>("timeline.where")->text().contains("<b>5</b> / 20"));
}

TEST_F(TimelinePanelTest, KeysMoveTheWindowsPlayheadAndPosition) {
    load();
    QTest::keyClick(panel_->canvas(), Qt::Key_Home);
    // Without an active window Qt delivers no shortcuts; the actions are what the keys trigger.
    press("first");
    EXPECT_EQ(playhead_.denoiseStep(), 0);
    press("forward");
    press("forward10");
    EXPECT_EQ(playhead_.denoiseStep(), 11);
    press("back");
    EXPECT_EQ(playhead_.denoiseStep(), 10);
    press("last");
    press("forward");
    EXPECT_EQ(playhead_.denoiseStep(), 19);
    press("position_down");
    press("position_down");
    EXPECT_EQ(selection_.position(), 1);
    press("position_up");
    press("position_up");
    EXPECT_EQ(selection_.position(), 0);
    EXPECT_EQ(commands_.action("timeline.play")->shortcut(), QKeySequence(Qt::Key_Space));
}

TEST_F(TimelinePanelTest, EditKeyGoesFromChangeToChange) {
    load();
    const auto& trace = *selection_.trace();
    press("first");
    int found = 0;
    while (true) {
        const int before = playhead_.denoiseStep();
        press("next_edit");
        const int now = playhead_.denoiseStep();
        if (now == before) break;
        ++found;
        bool flips = false;
        for (int position = 0; position < trace.positions; ++position)
            flips = flips || trace.state[trace.cell(now, position)] == 4;
        EXPECT_TRUE(flips) << now;
    }
    EXPECT_GT(found, 3);
}

TEST_F(TimelinePanelTest, PlaysLoopsAndStops) {
    load({.steps = 6});
    press("speed4");
    int returns = 0, last = 0;
    QObject::connect(&playhead_, &Playhead::denoiseStepChanged, [&](int step) {
        returns += step < last ? 1 : 0;
        last = step;
    });
    press("play");
    EXPECT_TRUE(panel_->playing());
    EXPECT_TRUE(test::waitFor([&] { return returns >= 2; }));
    press("play");
    EXPECT_FALSE(panel_->playing());
    panel_->findChild<QToolButton*>("timeline.loop")->setChecked(false);
    press("first");
    press("play");
    EXPECT_TRUE(test::waitFor([&] { return !panel_->playing(); }));
    EXPECT_EQ(playhead_.denoiseStep(), 5);
}

TEST_F(TimelinePanelTest, DraggingInTheMapScrubs) {
    load();
    panel_->canvas()->renderNow();
    QWidget* canvas = panel_->canvas();
    QTest::mousePress(canvas, Qt::LeftButton, {}, {200, 80});
    panel_->canvas()->renderNow();
    const int first = playhead_.denoiseStep();
    EXPECT_LT(first, 10);
    EXPECT_GE(selection_.position(), 0);
    QTest::mouseMove(canvas, {560, 80});
    EXPECT_TRUE(test::waitFor([&] { return playhead_.denoiseStep() > first; }));
    QTest::mouseRelease(canvas, Qt::LeftButton, {}, {560, 80});
}

TEST_F(TimelinePanelTest, EachMeasureDrawsAnotherPicture) {
    load();
    playhead_.setDenoiseStep(8);
    const QImage confidence = panel_->canvas()->renderNow().copy();
    press("measure");
    EXPECT_EQ(panel_->findChild<QComboBox*>("timeline.measure")->currentText(), "margin");
    const QImage margin = panel_->canvas()->renderNow().copy();
    press("measure");
    const QImage entropy = panel_->canvas()->renderNow().copy();
    EXPECT_NE(confidence, margin);
    EXPECT_NE(margin, entropy);
    press("measure");
    EXPECT_EQ(panel_->findChild<QComboBox*>("timeline.measure")->currentText(), "latent norm");
    EXPECT_NE(panel_->canvas()->renderNow().copy(), entropy);
    auto words = test::syntheticTrace();
    words.blocks.clear();
    selection_.setTrace(std::make_shared<trace::Trace>(words));
    EXPECT_EQ(panel_->findChild<QComboBox*>("timeline.measure")->currentText(), "confidence")
        << "no latents, no norm";
    for (int i = 0; i < 3; ++i) press("measure");
    EXPECT_EQ(panel_->findChild<QComboBox*>("timeline.measure")->currentText(), "confidence");
}

TEST_F(TimelinePanelTest, AMaskedModelsNoiseLevelIsItsMaskRatio) {
    auto trace = test::syntheticTrace({.steps = 4});
    test::declareMasks(trace);
    trace.logSnr = {-std::numeric_limits<double>::infinity(), std::log(1.0 / 3), 0, std::log(3.0)};
    selection_.setTrace(std::make_shared<trace::Trace>(std::move(trace)));
    const auto* where = panel_->findChild<QLabel*>("timeline.where");
    EXPECT_TRUE(where->text().endsWith("mask ratio 0.25")) << where->text().toStdString();
    press("first");
    EXPECT_TRUE(where->text().endsWith("mask ratio 1.00")) << where->text().toStdString();
}

/// A chunk trace as it comes from its file.
std::shared_ptr<const trace::Trace> chunks() {
    auto made = std::make_shared<trace::Trace>(test::chunkTrace());
    trace::joinTexts(*made);
    return made;
}

TEST_F(TimelinePanelTest, ChunksOpenToTheirTokensAndClose) {
    const auto whole = chunks();
    selection_.setTrace(whole);
    auto* levels = panel_->findChild<QComboBox*>("timeline.level");
    ASSERT_FALSE(levels->isHidden());
    EXPECT_EQ(levels->currentText(), "chunks");
    EXPECT_TRUE(panel_->statement().contains("1 of 3 chunks changed")) << panel_->statement().toStdString();
    const QImage ofChunks = panel_->canvas()->renderNow().copy();
    selection_.setPosition(1);
    playhead_.setDenoiseStep(3);
    press("open_unit");
    EXPECT_EQ(selection_.trace(), whole->below);
    EXPECT_EQ(selection_.position(), 2) << "the chunk's first token";
    EXPECT_EQ(playhead_.denoiseStep(), 3);
    EXPECT_EQ(levels->currentText(), "tokens");
    EXPECT_NE(panel_->canvas()->renderNow().copy(), ofChunks);
    press("open_unit");
    EXPECT_EQ(selection_.trace(), whole->below) << "a token has nothing in it";
    selection_.setPosition(5);
    press("close_unit");
    EXPECT_EQ(selection_.trace(), whole);
    EXPECT_EQ(selection_.position(), 2) << "the chunk that holds it";
    load();
    EXPECT_TRUE(levels->isHidden()) << "one level";
}

TEST_F(TimelinePanelTest, ATraceWithoutMeasuresIsDrawn) {
    auto bare = std::make_shared<trace::Trace>(*chunks());
    bare->below = nullptr;
    bare->spans.clear();
    bare->tokens.clear();
    bare->blocks.clear();
    selection_.setTrace(bare);
    press("measure");
    EXPECT_FALSE(panel_->canvas()->renderNow().isNull());
    QTest::mouseMove(panel_->canvas(), {400, 100});
    EXPECT_FALSE(panel_->canvas()->renderNow().isNull());
    EXPECT_TRUE(panel_->statement().contains("chunks")) << panel_->statement().toStdString();
}

TEST_F(TimelinePanelTest, UnlinkedItHasItsOwnStep) {
    load();
    playhead_.setDenoiseStep(5);
    press("unlink");
    auto* button = panel_->findChild<QToolButton*>("timeline.unlink");
    EXPECT_EQ(button->text(), "own step 6");
    playhead_.setDenoiseStep(12);
    EXPECT_TRUE(panel_->findChild<QLabel*>("timeline.where")->text().contains("<b>6</b> / 20"));
    press("forward");
    press("forward");
    EXPECT_EQ(button->text(), "own step 8");
    EXPECT_EQ(playhead_.denoiseStep(), 12) << "the window's stays";
    press("unlink");
    EXPECT_TRUE(button->text().isEmpty());
    EXPECT_TRUE(panel_->findChild<QLabel*>("timeline.where")->text().contains("<b>13</b> / 20"));
    press("forward");
    EXPECT_EQ(playhead_.denoiseStep(), 13);
}

TEST_F(TimelinePanelTest, EachSpeedIsTwiceThePreviousAlsoInALongTrace) {
    // At speed 1 a step of 200 lasts 32 ms, one of 128 lasts 36; a picture is shown for 16 ms at least.
    struct Played {
        int steps;
        const char* speed;
        std::vector<int> seen;  // after each picture
    };
    const std::vector<int> one{1, 2, 3, 4, 5, 6, 7, 8, 9}, two{2, 4, 6, 8, 10, 12, 14, 16, 18};
    const std::vector<Played> cases{{200, "speed3", one},
                                    {200, "speed4", two},
                                    {128, "speed3", one},
                                    {128, "speed4", {1, 3, 5, 7, 8, 10, 12, 14, 16}}};
    for (const auto& [steps, speed, expected] : cases) {
        const auto pictures = expected.size();
        load({.steps = steps});
        press("first");
        std::vector<int> seen;
        const auto heard = QObject::connect(&playhead_, &Playhead::denoiseStepChanged,
                                            [&] { seen.push_back(playhead_.denoiseStep()); });
        press(speed);
        press("play");
        EXPECT_TRUE(test::waitFor([&] { return seen.size() >= pictures; }));
        press("play");
        QObject::disconnect(heard);
        ASSERT_GE(seen.size(), pictures);
        seen.resize(pictures);
        EXPECT_EQ(seen, expected) << speed << " of " << steps;
    }
}

TEST_F(TimelinePanelTest, AnotherTraceReplacesTheFirst) {
    load();
    panel_->canvas()->renderNow();
    load({.words = 3, .steps = 2});
    EXPECT_EQ(playhead_.denoiseSteps(), 2);
    panel_->canvas()->renderNow();
    selection_.setTrace(nullptr);
    EXPECT_FALSE(panel_->hasData());
    EXPECT_EQ(playhead_.denoiseSteps(), 0);
    panel_->canvas()->renderNow();
}

TEST_F(TimelinePanelTest, ATraceNamesItsRunAlsoWhenAnotherIsSelected) {
    auto trace = test::syntheticTrace({});
    trace.meta["run"] = "the-run";
    trace.meta["checkpoint_step"] = "12000";
    selection_.setTrace(std::make_shared<trace::Trace>(std::move(trace)));
    EXPECT_TRUE(panel_->statement().startsWith("the-run, step ")) << panel_->statement().toStdString();
    selection_.setRuns({"the-run"});
    EXPECT_FALSE(panel_->statement().contains("not the selected"));
    const QImage before = panel_->canvas()->renderNow().copy();
    selection_.setRuns({"another"});
    EXPECT_TRUE(panel_->statement().contains("not the selected run")) << panel_->statement().toStdString();
    EXPECT_NE(panel_->canvas()->renderNow(), before) << "above the text";
    const QByteArray figure = test::svgOf(*panel_->canvas());
    EXPECT_TRUE(figure.contains("the-run")) << "its run";
    EXPECT_FALSE(figure.contains(">selected<")) << "the selection is not part of a figure";
}

TEST_F(TimelinePanelTest, APinnedTraceIsComparedWithTheNextOne) {
    load();
    QWidget* bar = panel_->findChild<QWidget*>("timeline.beside");
    press("compare");  // pins this trace
    EXPECT_EQ(selection_.reference(), selection_.trace());
    EXPECT_TRUE(bar->isHidden()) << "a trace is not compared with itself";
    load({.steps = 40, .seed = 11});
    EXPECT_FALSE(bar->isHidden());
    playhead_.setDenoiseStep(20);
    const QImage byStep = panel_->canvas()->renderNow().copy();
    EXPECT_TRUE(panel_->statement().contains("at its step 20:")) << "B has 20 steps";
    press("link");
    press("link");
    EXPECT_EQ(panel_->findChild<QComboBox*>("timeline.link")->currentText(), "fraction done");
    EXPECT_EQ(selection_.linkBy(), inspect::LinkBy::Fraction) << "every view links them in the same way";
    EXPECT_TRUE(panel_->statement().contains("at its step 11:")) << panel_->statement().toStdString();
    EXPECT_NE(panel_->canvas()->renderNow().copy(), byStep);
    press("swap");
    EXPECT_EQ(selection_.trace()->steps, 20);
    EXPECT_EQ(selection_.reference()->steps, 40);
    EXPECT_FALSE(bar->isHidden());
    press("compare");
    EXPECT_TRUE(bar->isHidden());
    const QImage alone = panel_->canvas()->renderNow().copy();
    press("compare");
    EXPECT_NE(panel_->canvas()->renderNow().copy(), alone);
}

TEST_F(TimelinePanelTest, SearchGoesFromMatchToMatchCyclically) {
    load();
    const auto& trace = *selection_.trace();
    int position = 0, changes = 0;
    for (int n = 0; n < trace.positions && changes < 2; ++n) {
        changes = 0;
        for (int s = 1; s < trace.steps; ++s)
            changes += trace.tokens[trace.cell(s, n)] != trace.tokens[trace.cell(s - 1, n)] ? 1 : 0;
        position = n;
    }
    ASSERT_GE(changes, 2);
    press("first");
    auto* box = panel_->findChild<QLineEdit*>("timeline.find_text");
    box->setText(QStringLiteral("position %1").arg(position));
    EXPECT_EQ(panel_->findChild<QLabel*>("timeline.find_count")->text(),
              QStringLiteral("%1 matches").arg(changes));
    std::vector<int> steps;
    for (int i = 0; i <= changes; ++i) {
        QTest::keyClick(box, Qt::Key_Return);
        EXPECT_EQ(selection_.position(), position);
        steps.push_back(playhead_.denoiseStep());
        EXPECT_NE(trace.tokens[trace.cell(steps.back(), position)],
                  trace.tokens[trace.cell(steps.back() - 1, position)]);
    }
    EXPECT_EQ(steps.front(), steps.back()) << "cyclic";
    EXPECT_LT(steps[0], steps[1]);
    QTest::keyClick(box, Qt::Key_Return, Qt::ShiftModifier);
    EXPECT_EQ(playhead_.denoiseStep(), steps[static_cast<std::size_t>(changes) - 1]);
}

TEST_F(TimelinePanelTest, MatchesAreMarkedInTheMap) {
    load();
    const QImage plain = panel_->canvas()->renderNow().copy();
    auto* box = panel_->findChild<QLineEdit*>("timeline.find_text");
    box->setText(QStringLiteral("changed"));
    EXPECT_NE(panel_->canvas()->renderNow().copy(), plain);
    box->clear();
    EXPECT_EQ(panel_->canvas()->renderNow().copy(), plain);
    press("pin");
    load({.steps = 12, .seed = 4});
    const QImage beside = panel_->canvas()->renderNow().copy();
    box->setText(QStringLiteral("changed"));
    EXPECT_NE(panel_->canvas()->renderNow().copy(), beside) << "also beside another trace";
}

TEST_F(TimelinePanelTest, ATokenUnderThePointerShowsItsCandidates) {
    load();
    panel_->canvas()->renderNow();
    const QImage before = panel_->canvas()->renderNow().copy();
    QImage shown = before;
    // The text stands in the lower part: the first row of words that answers shows its tip.
    for (int y = panel_->canvas()->height() - 20; y > panel_->canvas()->height() / 2 && shown == before;
         y -= 12) {
        QTest::mouseMove(panel_->canvas(), {40, y});
        panel_->canvas()->renderNow();
        shown = panel_->canvas()->renderNow().copy();
    }
    EXPECT_NE(shown, before);
}

TEST_F(TimelinePanelTest, ChoicesAreRestored) {
    trace::Trace recorded = test::syntheticTrace();
    recorded.file = "traces/requested.safetensors";
    selection_.setTrace(std::make_shared<trace::Trace>(recorded));
    press("measure");
    press("grid");
    press("speed3");
    selection_.setLinkBy(inspect::LinkBy::Noise);
    playhead_.setDenoiseStep(4);
    press("loop_from");
    const QJsonObject kept = panel_->saveState();
    panel_->resize(1000, 900);  // it has no need to grow for its trace
    const QImage picture = panel_->canvas()->renderNow().copy();
    panel_ = nullptr;
    views::CommandRegistry commands;
    selection_.setLinkBy(inspect::LinkBy::Step);
    context_.commands = &commands;
    panel_ = std::make_unique<TimelinePanel>(context_);
    panel_->resize(1000, 900);
    panel_->show();
    panel_->restoreState(kept);
    playhead_.setDenoiseStep(4);
    EXPECT_EQ(panel_->saveState(), kept);
    EXPECT_EQ(selection_.linkBy(), inspect::LinkBy::Noise);
    EXPECT_EQ(panel_->canvas()->renderNow().copy(), picture);
}

// The window rebuilds its panels for another zoom.
TEST_F(TimelinePanelTest, APinIsShownInARebuiltPanel) {
    load({.steps = 20, .seed = 11});
    press("pin");
    load({.steps = 20, .seed = 12});
    const auto beside = [&] { return panel_->findChild<QWidget*>("timeline.beside")->isVisible(); };
    ASSERT_TRUE(beside());
    panel_ = nullptr;
    views::CommandRegistry commands;
    context_.commands = &commands;
    panel_ = std::make_unique<TimelinePanel>(context_);
    panel_->show();
    EXPECT_TRUE(beside());
    panel_ = nullptr;
}

TEST_F(TimelinePanelTest, AComparisonEndsInAllViewsAndCanBeRestored) {
    load({.steps = 20, .seed = 11});
    press("pin");
    load({.steps = 20, .seed = 12});
    const auto b = selection_.reference();
    ASSERT_NE(b, nullptr);
    panel_->findChild<QToolButton*>("timeline.beside.compare")->click();
    EXPECT_FALSE(panel_->findChild<QWidget*>("timeline.beside")->isVisible());
    EXPECT_EQ(selection_.reference(), nullptr) << "in all views";
    press("compare");
    EXPECT_EQ(selection_.reference(), b);
    EXPECT_TRUE(panel_->findChild<QWidget*>("timeline.beside")->isVisible());
    press("compare");
    load({.steps = 20, .seed = 13});
    press("pin");
    press("compare");
    EXPECT_EQ(selection_.reference(), selection_.trace()) << "pinned again";
}

TEST_F(TimelinePanelTest, LongNamesOfBothTracesAreElided) {
    panel_->resize(700, 480);
    auto first = test::syntheticTrace({.steps = 20, .seed = 11}), second = first;
    first.meta["prompt"] =
        "and forgive us our debts, as we forgive our debtors, and lead us not into temptation";
    second.meta["prompt"] =
        "in the beginning God created the heavens and the earth, and the earth was without form";
    selection_.setTrace(std::make_shared<trace::Trace>(first));
    press("pin");
    selection_.setTrace(std::make_shared<trace::Trace>(second));
    QApplication::processEvents();
    for (const auto& [id, trace] :
         {std::pair{"timeline.beside.nameA", &second}, {"timeline.beside.nameB", &first}}) {
        const auto* name = dynamic_cast<ElidedLabel*>(panel_->findChild<QLabel*>(id));
        ASSERT_NE(name, nullptr) << id;
        EXPECT_TRUE(name->isVisible());
        const QString shown = name->shownText();
        EXPECT_TRUE(shown.endsWith(QChar(0x2026)) && shown.size() > 8) << shown.toStdString();
        EXPECT_TRUE(name->text().contains(QString::fromStdString(trace->meta["prompt"])));
        EXPECT_LE(name->fontMetrics().horizontalAdvance(shown), name->width());
    }
}

TEST_F(TimelinePanelTest, StatisticsOfBothTracesAreShown) {
    panel_->resize(1400, 900);
    load({.steps = 20, .seed = 11});
    press("pin");
    load({.steps = 20, .seed = 12});
    const QImage both = panel_->canvas()->renderNow().copy();
    auto other = std::make_shared<trace::Trace>(*selection_.reference());
    for (float& entropy : other->entropy) entropy *= 0.5F;  // not shown in the maps
    selection_.setReference(other);
    EXPECT_NE(panel_->canvas()->renderNow().copy(), both) << "B's mean entropy is another";
}

/// Counts context menu events of a widget, as the window's filter does.
class MenuRequests : public QObject {
public:
    explicit MenuRequests(QWidget& widget) { widget.installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override {
        count += event->type() == QEvent::ContextMenu ? 1 : 0;
        return false;
    }
    int count = 0;
};

TEST_F(TimelinePanelTest, ARightClickOpensThePositionsMenuOnly) {
    load();
    panel_->canvas()->renderNow();
    MenuRequests requests(*panel_);
    const QPoint pixel(200, 120);
    QContextMenuEvent event(QContextMenuEvent::Mouse, pixel, panel_->canvas()->mapToGlobal(pixel));
    QApplication::sendEvent(panel_->canvas(), &event);
    EXPECT_EQ(requests.count, 0) << "only the position's menu";
    QTest::mouseMove(panel_->canvas(), pixel);
    panel_->canvas()->renderNow();
    QTest::mousePress(panel_->canvas(), Qt::RightButton, {}, pixel);
    panel_->canvas()->renderNow();
    QTest::mouseRelease(panel_->canvas(), Qt::RightButton, {}, pixel);
    panel_->canvas()->renderNow();
    QMenu* menu = nullptr;
    EXPECT_TRUE(
        test::waitFor([&] { return (menu = panel_->findChild<QMenu*>("intervention.menu")) != nullptr; }));
    ASSERT_NE(menu, nullptr);
    menu->close();
    // Outside of the positions it is the view's.
    commands_.add({"view.export", "Export", "Edit", {}, ""}, [] {});
    const QPoint beside(panel_->canvas()->width() - 2, panel_->canvas()->height() - 2);
    QTest::mouseMove(panel_->canvas(), beside);
    panel_->canvas()->renderNow();
    QTest::mousePress(panel_->canvas(), Qt::RightButton, {}, beside);
    panel_->canvas()->renderNow();
    QTest::mouseRelease(panel_->canvas(), Qt::RightButton, {}, beside);
    panel_->canvas()->renderNow();
    ASSERT_TRUE(test::waitFor([&] { return (menu = panel_->findChild<QMenu*>("view.menu")) != nullptr; }));
    EXPECT_EQ(menu->actions().size(), 1);
    menu->close();
}

TEST_F(TimelinePanelTest, ControlsHaveNames) {
    for (const QWidget* control : panel_->findChildren<QWidget*>()) {
        const bool interactive =
            qobject_cast<const QComboBox*>(control) || qobject_cast<const QToolButton*>(control);
        if (!interactive || qobject_cast<const QLineEdit*>(control->parent())) continue;  // its clear button
        EXPECT_FALSE(control->objectName().isEmpty());
        EXPECT_FALSE(control->accessibleName().isEmpty()) << control->objectName().toStdString();
    }
}

}  // namespace
}  // namespace kurve::views
