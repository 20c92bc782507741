#include "views/prompt/prompt_panel.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include "tests/views/prompt/prompt_panel_fixture.h"
#include "tests/views/prompt/traces.h"
#include "views/common/text/elided_label.h"
#include "views/prompt/trace_table_model.h"

namespace kurve::views {
namespace {

TEST_F(PromptPanelTest, RequestsWhatItShows) {
    find<QLineEdit>("prompt.text")->setText("  let there  be light ");
    find<QSpinBox>("prompt.steps")->setValue(11);
    find<QSpinBox>("prompt.length_beam")->setValue(3);
    find<QSpinBox>("prompt.seed")->setValue(77);
    find<QComboBox>("prompt.checkpoint")->setCurrentIndex(1);
    commands_.action("prompt.run")->trigger();
    ASSERT_EQ(requested_.size(), 1U);
    EXPECT_EQ(requested_[0].runId, "run-1");
    EXPECT_EQ(requested_[0].input, "let there be light");
    EXPECT_EQ(requested_[0].settings.at("sampler.steps"), "11");
    EXPECT_EQ(requested_[0].settings.at("sampler.length_beam"), "3");
    EXPECT_FALSE(requested_[0].settings.contains("sampler.noise_beam")) << "the run's setting";
    EXPECT_EQ(requested_[0].seed, 77U);
    EXPECT_EQ(requested_[0].checkpoint, "best");
    EXPECT_EQ(commands_.action("prompt.run")->shortcut(), QKeySequence("Ctrl+Return"));
    QTest::keyClick(find<QLineEdit>("prompt.text"), Qt::Key_Return);
    EXPECT_EQ(requested_.size(), 2U);
}

TEST_F(PromptPanelTest, AnotherTraceOfAnAnsweredPromptFillsTheBar) {
    auto* steps = find<QSpinBox>("prompt.steps");
    find<QLineEdit>("prompt.text")->setText("let there be light");
    steps->setValue(20);
    panel_->run();
    services_.prompts.say({PromptStatus::Kind::Working, "Denoising…"});
    steps->setValue(30);
    panel_->showRequest(requested_.at(0), true);
    EXPECT_EQ(steps->value(), 30) << "edited since it was sent";
    services_.prompts.say({PromptStatus::Kind::Ready, "20 steps in 0.2 s"});
    PromptRequest earlier = requested_.at(0);
    earlier.settings["sampler.steps"] = "10";
    panel_->showRequest(earlier, true);
    EXPECT_EQ(steps->value(), 10);
}

TEST_F(PromptPanelTest, UpAndDownRecallEarlierPrompts) {
    auto* text = find<QLineEdit>("prompt.text");
    const auto press = [&](Qt::Key key) {
        QTest::keyClick(text, key);
        return text->text();
    };
    EXPECT_EQ(press(Qt::Key_Up), "");
    for (const char* prompt : {"one", "two", "one", "three"}) {
        text->setText(prompt);
        panel_->run();
    }
    text->setText("half a tho");
    EXPECT_EQ(press(Qt::Key_Up), "three");
    EXPECT_EQ(press(Qt::Key_Up), "one");
    EXPECT_EQ(press(Qt::Key_Up), "two") << "a repeated prompt is listed once";
    EXPECT_EQ(press(Qt::Key_Up), "two");
    EXPECT_EQ(press(Qt::Key_Down), "one");
    press(Qt::Key_Down);
    EXPECT_EQ(press(Qt::Key_Down), "half a tho");
    const QJsonObject saved = panel_->saveState();
    PromptPanel next(context_);
    next.restoreState(saved);
    auto* again = next.findChild<QLineEdit*>("prompt.text");
    QTest::keyClick(again, Qt::Key_Up);
    EXPECT_EQ(again->text(), "three");
}

TEST_F(PromptPanelTest, ABeamIsRequestedSavedAndRestored) {
    const auto undo = panel_->useSampler({{"sampler.beam", "4"}, {"sampler.top_k", "9"}});
    EXPECT_EQ(find<QSpinBox>("prompt.beam")->value(), 4);
    const PromptRequest request = panel_->request();
    EXPECT_EQ(request.settings, (std::map<QString, QString>{{"sampler.beam", "4"}, {"sampler.top_k", "9"}}));
    const QJsonObject saved = panel_->saveState();
    undo();
    EXPECT_TRUE(panel_->request().settings.empty());
    panel_->restoreState(saved);
    EXPECT_EQ(find<QSpinBox>("prompt.beam")->value(), 4);
    EXPECT_EQ(panel_->request().settings, request.settings);
}

TEST_F(PromptPanelTest, ShowsNoNumbersBeforeTheRunIsRead) {
    for (const char* name : {"prompt.steps", "prompt.length_beam", "prompt.noise_beam", "prompt.beam"})
        EXPECT_EQ(find<QSpinBox>(name)->text(), "default") << name;
    EXPECT_TRUE(panel_->request().settings.empty());
    find<QSpinBox>("prompt.steps")->setValue(11);
    selection_.setRuns({"run-2"});
    EXPECT_TRUE(panel_->request().settings.empty()) << "another run has its own settings";
}

TEST_F(PromptPanelTest, SettingsWithoutABoxAreRequestedUntilDropped) {
    panel_->useSampler({{"sampler.schedule", "cosine"}, {"sampler.steps", "7"}});
    std::map<QString, QString> settings{{"sampler.schedule", "cosine"}, {"sampler.steps", "7"}};
    EXPECT_EQ(panel_->request().settings, settings);
    find<QToolButton>("prompt.drop.sampler.schedule")->click();
    settings.erase("sampler.schedule");
    EXPECT_EQ(panel_->request().settings, settings);
}

TEST_F(PromptPanelTest, AnErrorOfASettingIsShownAtItsField) {
    panel_->useSampler({{"sampler.scorer", "nobody"}});
    services_.prompts.say({PromptStatus::Kind::Failed, "there is no run nobody", "sampler.scorer"});
    EXPECT_EQ(find<QLabel>("prompt.error.sampler.scorer")->text(), "there is no run nobody");
    EXPECT_EQ(find<QLabel>("prompt.status")->text(), "there is no run nobody");
}

TEST_F(PromptPanelTest, EveryChangeIsSaved) {
    int changes = 0;
    QObject::connect(panel_.get(), &PromptPanel::stateChanged, [&] { ++changes; });
    for (const char* name :
         {"prompt.steps", "prompt.length_beam", "prompt.noise_beam", "prompt.beam", "prompt.seed"}) {
        const int before = changes;
        find<QSpinBox>(name)->setValue(5);
        EXPECT_EQ(changes, before + 1) << name;
    }
    const int before = changes;
    panel_->useSampler({{"sampler.temperature", "0.5"}});
    EXPECT_EQ(changes, before + 1);
    find<QLineEdit>("prompt.set.sampler.temperature")->setText("0.6");
    EXPECT_EQ(changes, before + 2);
}

TEST_F(PromptPanelTest, EachRunHasItsOwnSamplerAlsoAfterARestart) {
    find<QSpinBox>("prompt.beam")->setValue(3);
    panel_->useSampler({{"sampler.temperature", "0.5"}});
    selection_.setRuns({"run-2"});
    EXPECT_TRUE(panel_->request().settings.empty()) << "of the other run";
    find<QSpinBox>("prompt.steps")->setValue(9);
    const QJsonObject saved = panel_->saveState();
    PromptPanel next(context_);
    next.restoreState(saved);
    EXPECT_EQ(next.request().runId, "run-2");
    EXPECT_EQ(next.request().settings, (std::map<QString, QString>{{"sampler.steps", "9"}}));
    selection_.setRuns({"run-1"});
    EXPECT_EQ(next.request().settings,
              (std::map<QString, QString>{{"sampler.beam", "3"}, {"sampler.temperature", "0.5"}}));
    selection_.setRuns({"run-3"});
    EXPECT_EQ(next.saveState().value("runs").toObject().keys(), (QStringList{"run-1", "run-2"}))
        << "a run with default settings has no entry";
}

TEST_F(PromptPanelTest, ATypedPromptCanHaveAReference) {
    auto* text = find<QLineEdit>("prompt.text");
    auto* reference = find<QLineEdit>("prompt.reference");
    auto* button = find<QPushButton>("prompt.reference_button");
    EXPECT_TRUE(reference->parentWidget()->isHidden()) << "hidden until needed";
    text->setText("in the beginning");
    EXPECT_EQ(panel_->request().reference, "");
    button->click();
    EXPECT_FALSE(reference->parentWidget()->isHidden());
    QTest::keyClicks(reference, " at the  start ");
    EXPECT_EQ(panel_->request().reference, "at the start");
    EXPECT_EQ(button->text(), "reference ✓");
    panel_->run();
    text->setText("another");
    EXPECT_EQ(panel_->request().reference, "") << "each prompt has its own";
    const QJsonObject saved = panel_->saveState();
    PromptPanel next(context_);
    next.restoreState(saved);
    auto* again = next.findChild<QLineEdit*>("prompt.text");
    EXPECT_EQ(next.request().reference, "");
    QTest::keyClick(again, Qt::Key_Up);
    EXPECT_EQ(next.request().input, "in the beginning");
    EXPECT_EQ(next.request().reference, "at the start") << "recalled with its prompt";
}

TEST_F(PromptPanelTest, APairHasItsReference) {
    panel_->tryText("  thou  art ", "you are");
    const PromptRequest request = panel_->request();
    EXPECT_EQ(request.input, "thou art");
    EXPECT_EQ(request.reference, "you are");
    EXPECT_FALSE(find<QLineEdit>("prompt.reference")->parentWidget()->isHidden());
    panel_->tryText("no reference", "");
    EXPECT_EQ(panel_->request().reference, "");
}

TEST_F(PromptPanelTest, ShowsTheNumberOfCandidates) {
    auto* button = find<QPushButton>("prompt.candidates");
    EXPECT_TRUE(button->isHidden());
    answer({"in", "out", -1, 0.2, 20, 5});
    EXPECT_FALSE(button->isHidden());
    EXPECT_EQ(button->text(), "5 candidates");
    button->click();
    EXPECT_EQ(services_.shown, QStringList{"candidates"});
    answer({"in", "out", -1, 0.2, 20, 0});
    EXPECT_TRUE(button->isHidden());
}

TEST_F(PromptPanelTest, RefusesWithoutTextOrRun) {
    panel_->run();
    EXPECT_TRUE(requested_.empty());
    EXPECT_EQ(find<QLabel>("prompt.status")->text(), "Type a text first.");
    selection_.setRuns({});
    panel_->run();
    EXPECT_EQ(find<QLabel>("prompt.status")->text(), "Select a run first.");
}

TEST_F(PromptPanelTest, ButtonCancelsWhileTheEngineWorks) {
    services_.prompts.say({PromptStatus::Kind::Working, "Denoising…"});
    auto* button = find<QPushButton>("prompt.run");
    EXPECT_EQ(button->text(), "Cancel");
    button->click();
    EXPECT_EQ(services_.prompts.cancelled, 1);
    services_.prompts.say({PromptStatus::Kind::Ready, "Ready."});
    EXPECT_EQ(button->text(), "Run");
}

TEST_F(PromptPanelTest, ALongStatusIsElidedWithATooltip) {
    panel_->resize(500, 400);
    panel_->show();
    const QString text =
        "checkpoints/step-00000100/weights.safetensors does not match its hash; use the one "
        "saved before it: --checkpoint 80";
    services_.prompts.say({PromptStatus::Kind::Failed, text, {}});
    auto* status = find<ElidedLabel>("prompt.status");
    ASSERT_TRUE(test::waitFor([&] { return status->shownText() != text; }));
    EXPECT_TRUE(status->shownText().startsWith("checkpoints/step-0")) << status->shownText().toStdString();
    EXPECT_EQ(status->toolTip(), text);
}

TEST_F(PromptPanelTest, AnswerIsShownAsPlainText) {
    answer({"in", "a <b> & c", -1, 0.2, 20});
    EXPECT_TRUE(find<QLabel>("prompt.answer")->text().contains("a &lt;b&gt; &amp; c"));
}

TEST_F(PromptPanelTest, OpeningATraceRequestsItAndMovesTheTrainingPlayhead) {
    const RunData data = traces();
    panel_->recorded()->setRun(&data);
    panel_->openNewest();
    EXPECT_EQ(services_.opened, QStringList{"run-1 traces/1300-0.safetensors"});
    EXPECT_EQ(playhead_.trainStep(), 1300);
    EXPECT_TRUE(panel_->hasData());
}

TEST_F(PromptPanelTest, IsOneLineUntilSettingsOrTracesAreFoldedOut) {
    panel_->resize(1400, 60);
    panel_->show();
    auto *settings = find<QPushButton>("prompt.settings"), *traces = find<QPushButton>("prompt.traces");
    auto* steps = find<QSpinBox>("prompt.steps");
    EXPECT_FALSE(steps->isVisible());
    EXPECT_FALSE(find<QWidget>("prompt.lists")->parentWidget()->isVisible());
    EXPECT_EQ(panel_->sizePolicy().verticalPolicy(), QSizePolicy::Maximum);
    const int line = panel_->minimumSizeHint().height();
    EXPECT_LT(line, 50);
    answer({"in", "out", -1, 0.2, 1});
    EXPECT_EQ(panel_->minimumSizeHint().height(), line) << "the output stands beside the prompt";
    settings->click();
    EXPECT_TRUE(steps->isVisible());
    traces->click();
    EXPECT_TRUE(find<QWidget>("prompt.lists")->parentWidget()->isVisible());
    EXPECT_NE(panel_->sizePolicy().verticalPolicy(), QSizePolicy::Maximum);
}

TEST_F(PromptPanelTest, FoldedSettingsNameWhatDiffers) {
    const auto* settings = find<QPushButton>("prompt.settings");
    EXPECT_EQ(settings->text(), "Settings");
    find<QSpinBox>("prompt.steps")->setValue(7);
    find<QSpinBox>("prompt.seed")->setValue(3);
    EXPECT_TRUE(settings->text().contains('7')) << settings->text().toStdString();
    EXPECT_TRUE(settings->text().endsWith("seed 3")) << settings->text().toStdString();
    find<QSpinBox>("prompt.steps")->setValue(0);
    find<QSpinBox>("prompt.seed")->setValue(1);
    EXPECT_EQ(settings->text(), "Settings");
}

TEST_F(PromptPanelTest, AnErrorAtASettingFoldsThemOut) {
    panel_->useSampler({{"sampler.clamp", "maybe"}});
    const auto* settings = find<QPushButton>("prompt.settings");
    EXPECT_FALSE(settings->isChecked());
    services_.prompts.say({PromptStatus::Kind::Failed, "is no boolean", "sampler.clamp"});
    EXPECT_TRUE(settings->isChecked());
}

TEST_F(PromptPanelTest, ControlsHaveNames) {
    for (const char* name : {"prompt.text", "prompt.run", "prompt.checkpoint", "prompt.steps",
                             "prompt.length_beam", "prompt.noise_beam", "prompt.seed", "prompt.recorded"}) {
        auto* control = find<QWidget>(name);
        ASSERT_NE(control, nullptr) << name;
        EXPECT_FALSE(control->accessibleName().isEmpty()) << name;
    }
}

}  // namespace
}  // namespace kurve::views
