// The draft and the form made from a schema.
#include "views/launch/draft/draft.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <fstream>
#include <set>

#include "core/base/file.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/theme/theme.h"
#include "views/launch/draft_file.h"
#include "views/launch/field_row.h"
#include "views/launch/settings_form.h"

namespace kurve::views {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DraftTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        kurve::testing::writeSyntheticProject(folder_.path());
        info_ = *EngineInfo::fromJson(nlohmann::json::parse(kurve::testing::syntheticDescription()));
        draft_.setEngine(&info_);
        draft_.setExperiment(QString::fromStdString((folder_ / "experiments" / "toy.toml").string()));
    }
    kurve::testing::TemporaryFolder folder_;
    EngineInfo info_;
    Draft draft_;
};

TEST_F(DraftTest, ShowsTheFileOverTheDefaults) {
    ASSERT_TRUE(draft_.isValid());
    EXPECT_EQ(draft_.valueText("train.steps"), "2000");
    EXPECT_EQ(draft_.valueText("model.hidden"), "128");
    EXPECT_TRUE(draft_.differsFromDefault("train.steps"));
    EXPECT_FALSE(draft_.isOverridden("train.steps"));
    EXPECT_TRUE(draft_.sets().isEmpty());
}

TEST_F(DraftTest, AnotherMachineIsPartOfTheCommandLineAndHasItsOwnDevices) {
    draft_.setDevice("cpu");
    draft_.setMachines({{"gpu", {"cpu", "cuda:0"}}, {"unchecked", {}}});
    draft_.setMachine("gpu");
    EXPECT_EQ(draft_.device(), "") << "was one of this machine";
    EXPECT_EQ(draft_.devices(), (QStringList{"cpu", "cuda:0"}));
    draft_.setDevice("cuda:0");
    EXPECT_TRUE(draft_.isValid());
    EXPECT_TRUE(draft_.commandLine("/p").endsWith(" --machine gpu --device cuda:0"));
    EXPECT_EQ(draft_.queueItem().machine, "gpu");
    EXPECT_FALSE(draft_.queueItem().words.contains("gpu")) << "the queue names it itself";
    draft_.setDevice("cuda:7");
    EXPECT_EQ(draft_.errors().value(Draft::kDevice),
              "device cuda:7 is not available; choose automatic or one of cpu, cuda:0");
    draft_.setMachine("unchecked");
    draft_.setDevice("cuda:7");
    EXPECT_TRUE(draft_.isValid()) << "its devices are not known";
    Draft other;
    other.setEngine(&info_);
    other.setExperiment(draft_.experiment());
    other.restore(draft_.save());
    EXPECT_EQ(other.machine(), "unchecked");
    EXPECT_TRUE(other.errors().contains(Draft::kMachine)) << "there is none of that name";
}

TEST_F(DraftTest, TheDeviceIsPartOfTheCommandLineAndOfTheQueue) {
    EXPECT_FALSE(draft_.commandLine("/p").contains("--device")) << "automatic";
    draft_.setDevice("cpu");
    ASSERT_TRUE(draft_.isValid());
    EXPECT_TRUE(draft_.commandLine("/p").endsWith(" --device cpu")) << draft_.commandLine("/p").toStdString();
    EXPECT_EQ(draft_.queueItem().device, "cpu");
    EXPECT_FALSE(draft_.queueItem().words.contains("cpu")) << "the queue names it itself";
    draft_.setDevice("cuda:3");
    EXPECT_FALSE(draft_.isValid());
    EXPECT_EQ(draft_.errors().value(Draft::kDevice),
              "device cuda:3 is not available; choose automatic or one of cpu");
    Draft other;
    other.setEngine(&info_);
    other.setExperiment(draft_.experiment());
    other.restore(draft_.save());
    EXPECT_EQ(other.device(), "cuda:3") << "saved, though not available here";
    other.setDevice({});
    EXPECT_TRUE(other.isValid());
}

TEST_F(DraftTest, ProcessesArePartOfTheCommandLineAndOfTheQueue) {
    EXPECT_FALSE(draft_.commandLine("/p").contains("--nproc"));
    draft_.setProcesses(3);
    ASSERT_TRUE(draft_.isValid());
    EXPECT_TRUE(draft_.commandLine("/p").endsWith(" --nproc 3")) << draft_.commandLine("/p").toStdString();
    EXPECT_EQ(draft_.queueItem().words, draft_.words() + QStringList({"--nproc", "3"}));
    EXPECT_FALSE(draft_.words().contains("--nproc")) << "a dry run is one process";
    QueueState queue;
    queue.items.push_back(draft_.queueItem());
    queue.items.back().id = "a";
    queue.items.back().words[1] = "experiments/a.toml";
    EXPECT_EQ(QueueState::fromJson(queue.toJson()).items.size(), 1U);
    queue.items.back().words.last() = "many";
    EXPECT_TRUE(QueueState::fromJson(queue.toJson()).items.empty()) << "nothing else is started";
    Draft other;
    other.setEngine(&info_);
    other.setExperiment(draft_.experiment());
    other.restore(draft_.save());
    EXPECT_EQ(other.processes(), 3);
}

TEST_F(DraftTest, ARunOnAnotherCorpusIsNamedAfterThatAndNotAfterTheExperiment) {
    const std::string usual = draft_.config()->name(), family = draft_.schema()->family;
    draft_.setValue("data.train", "data/mine.train.tsv");
    EXPECT_EQ(draft_.config()->name(), "mine-" + family);
    EXPECT_TRUE(draft_.sets().contains("name=mine-" + QString::fromStdString(family)));
    EXPECT_TRUE(draft_.queueItem().title.startsWith("mine-"));
    draft_.setValue("model.hidden", "64, 128");
    EXPECT_TRUE(draft_.queueItem(1).title.startsWith("mine-")) << draft_.queueItem(1).title.toStdString();
    draft_.setName("by me");
    EXPECT_TRUE(draft_.queueItem(1).title.startsWith("by me"));
    draft_.setName({});
    draft_.revert("data.train");
    draft_.revert("model.hidden");
    EXPECT_EQ(draft_.config()->name(), usual);
}

TEST_F(DraftTest, LostChangesAreRestored) {
    EXPECT_FALSE(draft_.canGoBack());
    draft_.setValue("model.hidden", "64");
    draft_.revertAll();
    EXPECT_FALSE(draft_.isOverridden("model.hidden"));
    draft_.goBack();
    EXPECT_EQ(draft_.valueText("model.hidden"), "64");
    draft_.goBack();
    EXPECT_EQ(draft_.valueText("model.hidden"), "128") << "and there again";
    draft_.setValue("model.hidden", "96");
    const QString first = draft_.experiment();
    const auto other = folder_ / "experiments" / "other.toml";
    std::filesystem::copy_file(folder_ / "experiments" / "toy.toml", other);
    draft_.setExperiment(QString::fromStdString(other.string()));
    draft_.goBack();
    EXPECT_EQ(draft_.experiment(), first);
    EXPECT_EQ(draft_.valueText("model.hidden"), "96");
}

TEST_F(DraftTest, AnotherExperimentKeepsTheChangesAndReportsTheDroppedOnes) {
    auto description = nlohmann::json::parse(kurve::testing::syntheticDescription());
    auto other = description["families"][0];
    other["id"] = "plain";
    other["presets"] = nlohmann::json::array();
    std::erase_if(other["fields"].get_ref<nlohmann::json::array_t&>(),
                  [](const auto& field) { return field["key"] == "model.layers"; });
    description["families"].push_back(other);
    info_ = *EngineInfo::fromJson(description);
    draft_.setEngine(&info_);
    const QString first = draft_.experiment(),
                  second = QString::fromStdString((folder_ / "experiments" / "plain.toml").string());
    std::ofstream(second.toStdString()) << "family = \"plain\"\nname = \"plain\"\n[train]\nlr = 0.5\n";
    QSignalSpy taken(&draft_, &Draft::experimentTaken);
    draft_.setPreset("small");
    draft_.setValue("model.dropout", "0.25");
    draft_.setValue("model.layers", "4");
    draft_.setValue("train.lr", "0.5");
    draft_.setExperiment(second);
    ASSERT_TRUE(draft_.isValid()) << draft_.errors().value("").toStdString();
    EXPECT_EQ(draft_.sets(), QStringList{"model.dropout=0.25"}) << "its file says that learning rate";
    ASSERT_EQ(taken.size(), 1);
    EXPECT_EQ(taken[0][0].toStringList(), QStringList{"model.dropout"});
    EXPECT_EQ(taken[0][1].toStringList(), (QStringList{"model.layers = 4", "preset = small"}));
    draft_.goBack();
    EXPECT_EQ(draft_.experiment(), first);
    EXPECT_EQ(draft_.preset(), "small");
    EXPECT_EQ(draft_.valueText("model.layers"), "4");
    EXPECT_EQ(draft_.valueText("train.lr"), "0.5");
}

TEST_F(DraftTest, AFileThatChangesLeavesTheDraftAsItIsUntilItIsReloaded) {
    const auto write = [&](const char* text) { std::ofstream(folder_ / "experiments" / "toy.toml") << text; };
    draft_.setValue("model.hidden", "64");
    write("family = \"toy\"\nname = \"toy\"\n\n[train]\nsteps = 3000\nlr = 2e-3\n[model]\nhidden = 32\n");
    draft_.checkFile();
    EXPECT_EQ(draft_.fileState(), Draft::FileState::Changed);
    EXPECT_TRUE(draft_.isValid());
    EXPECT_EQ(draft_.valueText("train.steps"), "2000");
    EXPECT_EQ(draft_.config()->integer("train.steps"), 2000);
    EXPECT_EQ(draft_.sets(), QStringList({"train.steps=2000", "model.hidden=64"}))
        << "what starts is what is shown, though the engine reads the file anew";
    draft_.reloadFile();
    EXPECT_EQ(draft_.fileState(), Draft::FileState::Same);
    EXPECT_EQ(draft_.valueText("train.steps"), "3000");
    EXPECT_EQ(draft_.valueText("model.hidden"), "64") << "the change stays on top";
    EXPECT_EQ(draft_.sets(), QStringList{"model.hidden=64"});
}

TEST_F(DraftTest, AMissingOrDamagedFileIsReportedAndTheSettingsStay) {
    const auto file = folder_ / "experiments" / "toy.toml";
    std::ofstream(file) << "family = \"toy\"\n[train\n";
    draft_.checkFile();
    EXPECT_FALSE(draft_.isValid()) << "the engine could not read it";
    EXPECT_TRUE(draft_.hasSettings());
    EXPECT_EQ(draft_.valueText("train.steps"), "2000");
    std::filesystem::remove(file);
    draft_.checkFile();
    EXPECT_EQ(draft_.fileState(), Draft::FileState::Gone);
    EXPECT_FALSE(draft_.isValid());
    DraftFile toml(folder_ / "experiments");
    toml.showDraft(draft_);
    EXPECT_TRUE(toml.text().contains("steps = 2000")) << "it can still be kept";
    kurve::testing::writeSyntheticProject(folder_.path());
    draft_.checkFile();
    EXPECT_EQ(draft_.fileState(), Draft::FileState::Same) << "an editor had it under another name";
    EXPECT_TRUE(draft_.isValid());
}

TEST_F(DraftTest, SeveralValuesMakeAMatrix) {
    draft_.setValue("train.lr", "1e-4..1e-2:x10");
    draft_.setValue("model.hidden", "64, 128");
    draft_.setValue("model.layers", "4");
    ASSERT_TRUE(draft_.isValid());
    ASSERT_EQ(draft_.runs().size(), 6u);
    EXPECT_EQ(draft_.axes(), (QStringList{"model.hidden=64, 128", "train.lr=1e-4..1e-2:x10"}));
    std::set<QString> all;
    for (std::size_t run = 0; run < 6; ++run) all.insert(draft_.queueItem(run).words.join(' '));
    EXPECT_EQ(all.size(), 6u);
    EXPECT_EQ(draft_.queueItem(0).title, "toy hidden=64 lr=0.0001");
    EXPECT_THAT(draft_.queueItem(0).experiment.toStdString(), HasSubstr("steps = 2000"))
        << "its file as it is";
    EXPECT_TRUE(draft_.queueItem(0).words.contains("model.layers=4"));
    EXPECT_TRUE(draft_.queueItem(0).words.contains("model.hidden=64"));
    EXPECT_TRUE(draft_.queueItem(0).words.contains("name=toy hidden=64 lr=0.0001"));
    EXPECT_EQ(draft_.config()->real("train.lr"), 1e-4);
    EXPECT_THAT(draft_.commandLine("/p").toStdString(), HasSubstr("# first of 6"));
    Draft other;
    other.setEngine(&info_);
    other.setExperiment(draft_.experiment());
    draft_.setDraws(3);
    EXPECT_EQ(draft_.runs().size(), 3u);
    other.restore(draft_.save());
    EXPECT_EQ(other.runs(), draft_.runs());
    draft_.setValue("train.lr", "1e-4");
    draft_.setValue("model.hidden", "64");
    EXPECT_EQ(draft_.runs().size(), 1u);
    EXPECT_TRUE(draft_.queueItem().words.contains("train.lr=1e-4"));
}

TEST_F(DraftTest, AMatrixIsCheckedRunByRun) {
    draft_.setValue("train.lr", "1e-4, 7");
    EXPECT_TRUE(draft_.errors().contains("train.lr"));
    draft_.setValue("train.lr", "1e-4..1e-2");
    EXPECT_THAT(draft_.errors().value("train.lr").toStdString(), HasSubstr("use random draws"));
    draft_.setDraws(5);
    EXPECT_TRUE(draft_.isValid());
    EXPECT_EQ(draft_.runs().size(), 5u);
    draft_.setDraws(0);
    draft_.setValue("train.lr", "1e-4, x");
    EXPECT_TRUE(draft_.errors().contains("train.lr"));
    draft_.setValue("train.lr", "1e-4, 2e-4");
    draft_.setValue("model.hidden", "8..1024:4");
    EXPECT_THAT(draft_.errors().value("model.hidden").toStdString(), HasSubstr("200"));
    EXPECT_THAT(draft_.errors().value("model.hidden").toStdString(), Not(HasSubstr("--refine")));
    draft_.setValue("train.lr", "1e-4..1e-2");
    draft_.setValue("model.hidden", "512..8");
    draft_.setDraws(5);
    EXPECT_EQ(draft_.errors().keys(), QStringList{"model.hidden"}) << "the field that is wrong";
    EXPECT_THAT(draft_.errors().value("model.hidden").toStdString(), Not(HasSubstr("KEY=")));
    draft_.setDraws(0);
    draft_.setValue("train.lr", "1e-4, 2e-4");
    draft_.setValue("model.hidden", "64");
    draft_.setValue("data.train", "a, b");  // a text with a comma is a text
    EXPECT_TRUE(draft_.isValid());
    EXPECT_EQ(draft_.runs().size(), 2u);
}

TEST_F(DraftTest, ChangesBecomeSetsAndRevert) {
    draft_.setValue("model.hidden", "256");
    draft_.setName("my run");
    EXPECT_TRUE(draft_.isValid());
    EXPECT_EQ(draft_.sets(), (QStringList{"name=my run", "model.hidden=256"}));
    EXPECT_THAT(draft_.commandLine("/p").toStdString(),
                HasSubstr("--set 'name=my run' --set model.hidden=256"));
    EXPECT_EQ(draft_.config()->integer("model.hidden"), 256);
    draft_.setValue("model.hidden", "128");  // the file's own value is no change
    EXPECT_EQ(draft_.sets(), QStringList{"name=my run"});
    draft_.setValue("train.lr", "5e-4");
    draft_.revert("train.lr");
    EXPECT_EQ(draft_.valueText("train.lr"), "0.002");
}

TEST_F(DraftTest, EveryWrongFieldIsNamedAtOnce) {
    draft_.setValue("model.hidden", "3");
    draft_.setValue("train.lr", "fast");
    draft_.setValue("model.kind", "loop");
    EXPECT_FALSE(draft_.isValid());
    EXPECT_EQ(draft_.errors().keys(), (QStringList{"model.hidden", "model.kind", "train.lr"}));
    draft_.revertAll();
    EXPECT_TRUE(draft_.isValid());
}

// The engine said so when the run started, which may be at night in a queue.
TEST_F(DraftTest, AMissingScheduleFileIsAnErrorAtItsField) {
    auto described = nlohmann::json::parse(kurve::testing::syntheticDescription());
    for (auto& field : described["families"][0]["fields"])
        if (field["key"] == "model.kind") field["prefixes"] = {"file:", "free:"};
    const auto info = EngineInfo::fromJson(described);
    ASSERT_TRUE(info);
    draft_.setEngine(&*info);
    draft_.setProject(QString::fromStdString(folder_.path().string()));
    ASSERT_TRUE(draft_.isValid());
    draft_.setValue("model.kind", "file:schedules/mine.toml");
    EXPECT_THAT(draft_.errors().value("model.kind").toStdString(), HasSubstr("schedules/mine.toml"));
    std::filesystem::create_directories(folder_ / "schedules");
    ASSERT_TRUE(writeFileAtomically(folder_ / "schedules/mine.toml", "points = [[0, 4], [1, 5]]\n"));
    draft_.checkFile();
    EXPECT_THAT(draft_.errors().value("model.kind").toStdString(), HasSubstr("points")) << "it rises";
    ASSERT_TRUE(writeFileAtomically(folder_ / "schedules/mine.toml", "points = [[0, 4], [1, -4]]\n"));
    draft_.checkFile();
    EXPECT_TRUE(draft_.isValid()) << draft_.errors().value("model.kind").toStdString();
    EXPECT_EQ(draft_.sets(), QStringList{"model.kind=file:schedules/mine.toml"});
    EXPECT_EQ(draft_.queueItem().words.mid(2), (QStringList{"--set", "model.kind=free:0=4,1=-4"}))
        << "what waits does not follow the file";
}

TEST_F(DraftTest, PresetReplacesDefaultsAndTravelsOnTheCommandLine) {
    draft_.setPreset("small");
    EXPECT_EQ(draft_.valueText("model.hidden"), "64");
    EXPECT_EQ(draft_.sets(), QStringList{"preset=small"});
}

TEST_F(DraftTest, ABrokenFileIsAnErrorWithItsLine) {
    const auto file = folder_ / "experiments" / "broken.toml";
    std::ofstream(file) << "family = \"toy\"\n[model]\nhiden = 3\n";
    draft_.setExperiment(QString::fromStdString(file.string()));
    EXPECT_FALSE(draft_.isValid());
    EXPECT_THAT(draft_.errors().value("").toStdString(), HasSubstr("broken.toml:3"));
    EXPECT_THAT(draft_.errors().value("").toStdString(), HasSubstr("hidden"));
}

TEST_F(DraftTest, AdoptsTheSettingsOfARun) {
    ASSERT_TRUE(draft_.adopt(
        "family = \"toy\"\nname = \"x\"\n[model]\nlayers = 7\n[train]\nsteps = 2000\nlr = 0.002\n",
        draft_.experiment()));
    EXPECT_EQ(draft_.sets(), QStringList{"model.layers=7"});
    EXPECT_FALSE(draft_.adopt("family = \"other\"\n", draft_.experiment()));
}

TEST_F(DraftTest, IsSavedAsAnExperimentFile) {
    draft_.setValue("model.hidden", "64");
    DraftFile view(folder_ / "experiments");
    view.showDraft(draft_);
    QSignalSpy saved(&view, &DraftFile::saved), said(&view, &DraftFile::said);
    auto* name = view.findChild<QLineEdit*>("launch.file_name");
    auto* save = view.findChild<QPushButton*>("launch.save");
    name->setText("toy");
    save->click();
    EXPECT_EQ(saved.count(), 0) << "never over another one";
    EXPECT_EQ(said.count(), 1);
    name->setText("narrow");
    save->click();
    ASSERT_EQ(saved.count(), 1);
    Draft other;
    other.setEngine(&info_);
    other.setExperiment(saved[0][0].toString());
    ASSERT_TRUE(other.isValid());
    EXPECT_EQ(other.config()->name(), "narrow");
    EXPECT_EQ(other.config()->contentHash(), draft_.config()->contentHash());
    EXPECT_TRUE(other.sets().isEmpty());
    const std::string text = *readFile(folder_ / "experiments" / "narrow.toml");
    EXPECT_THAT(text, HasSubstr("hidden = 64"));
    EXPECT_THAT(text, ::testing::Not(HasSubstr("layers"))) << "what is as in the preset is left out";
    draft_.setValue("model.hidden", "64, 128");
    view.showDraft(draft_);
    EXPECT_TRUE(view.text().isEmpty());
    EXPECT_FALSE(save->isEnabled());
}

TEST_F(DraftTest, SurvivesSavingAndRestoring) {
    draft_.setPreset("small");
    draft_.setValue("model.layers", "5");
    draft_.setName("n");
    Draft again;
    again.setEngine(&info_);
    again.setExperiment(draft_.experiment());
    again.restore(draft_.save());
    EXPECT_EQ(again.sets(), draft_.sets());
}

class FormTest : public DraftTest {
protected:
    void SetUp() override {
        DraftTest::SetUp();
        form_ = std::make_unique<SettingsForm>(
            [this](const FieldSpec& field) {
                const QString key = QString::fromStdString(field.key);
                return SettingsForm::FieldState{draft_.valueText(key), draft_.errors().value(key),
                                                draft_.differsFromDefault(key), draft_.isOverridden(key)};
            },
            [](const FieldSpec&) { return std::vector<Choice>(); });
        QObject::connect(form_.get(), &SettingsForm::edited, &draft_, &Draft::setValue);
        QObject::connect(form_.get(), &SettingsForm::reverted, &draft_, &Draft::revert);
        QObject::connect(&draft_, &Draft::changed, form_.get(), &SettingsForm::refresh);
        form_->setSchema(draft_.schema());
        form_->show();
    }
    template <class T>
    T* editor(const QString& key) {
        (void)form_->row(key);
        return form_->findChild<T*>("launch.field." + key);
    }
    std::unique_ptr<SettingsForm> form_;
};

TEST_F(FormTest, HasATypedEditorForEveryField) {
    const Schema schema = kurve::testing::syntheticSchema();
    for (const FieldSpec& field : schema.fields) {
        const QString key = QString::fromStdString(field.key);
        QWidget* widget = editor<QWidget>(key);
        ASSERT_NE(widget, nullptr) << field.key;
        EXPECT_FALSE(widget->accessibleName().isEmpty());
        EXPECT_TRUE(widget->toolTip().contains(QString::fromStdString(field.doc))) << field.key;
    }
    EXPECT_NE(editor<QCheckBox>("train.clip_on"), nullptr);
    EXPECT_EQ(editor<QComboBox>("model.kind")->count(), 3);
    EXPECT_TRUE(editor<QLineEdit>("model.hidden")->toolTip().contains("Difformer's code"));
}

TEST_F(FormTest, APathHasTheRowAndShowsItsFile) {
    form_->resize(620, 500);
    auto* path = editor<QLineEdit>("data.train");
    auto* number = editor<QLineEdit>("model.hidden");
    draft_.setValue("data.train", "data/a-folder-with-a-long-name/another-one/and-one-more/train.tsv");
    QTest::qWait(20);
    EXPECT_GT(path->width(), 300);
    EXPECT_LE(number->width(), px(150)) << "numbers stay short";
    EXPECT_EQ(path->cursorPosition(), path->text().size()) << "the end is visible";
}

TEST_F(FormTest, TypingChangesTheDraftAndErrorsAreAtTheField) {
    auto* line = editor<QLineEdit>("model.hidden");
    line->setFocus();
    line->selectAll();
    QTest::keyClicks(line, "4");
    EXPECT_EQ(draft_.valueText("model.hidden"), "4");
    EXPECT_TRUE(line->property("invalid").toBool());
    QTest::keyClicks(line, "00");
    EXPECT_TRUE(draft_.isValid());
    EXPECT_FALSE(line->property("invalid").toBool());
    EXPECT_TRUE(form_->row("model.hidden")->findChild<QToolButton*>() != nullptr);
    QTest::keyClick(line, Qt::Key_Backspace, Qt::ControlModifier);
    EXPECT_EQ(line->text(), "128");
}

TEST_F(FormTest, SearchAndChangedOnlyHideTheRest) {
    form_->setSearch("dropped");  // found in the documentation
    EXPECT_TRUE(form_->row("model.dropout")->isVisible());
    EXPECT_FALSE(form_->row("model.hidden")->isVisible());
    form_->setSearch("");
    form_->setChangedOnly(true);
    EXPECT_TRUE(form_->row("train.steps")->isVisible());
    EXPECT_FALSE(form_->row("train.warmup_steps")->isVisible());
    EXPECT_TRUE(form_->focusField("seed"));
}

TEST_F(FormTest, DuringARunOnlyLiveFieldsCanBeChanged) {
    form_->setRunning(true);
    auto* rate = editor<QLineEdit>("train.lr");
    EXPECT_FALSE(rate->isEnabled());
    EXPECT_FALSE(editor<QLineEdit>("model.hidden")->isEnabled());
    QSignalSpy set(form_.get(), &SettingsForm::liveSet);
    for (auto* button : form_->row("train.lr")->findChildren<QToolButton*>())
        if (button->isCheckable()) button->click();
    ASSERT_TRUE(rate->isEnabled());
    rate->setText("1e-4");
    QTest::keyClick(rate, Qt::Key_Return);
    ASSERT_EQ(set.count(), 1);
    EXPECT_EQ(set.first().at(1).toString(), "1e-4");
    EXPECT_TRUE(draft_.sets().isEmpty()) << "the draft is another run";
    QTest::keyClicks(rate, "9");
    QFocusEvent menu(QEvent::FocusOut, Qt::PopupFocusReason), leave(QEvent::FocusOut);
    QApplication::sendEvent(rate, &menu);
    EXPECT_NE(rate->text(), "0.002") << "something may be pasted";
    QApplication::sendEvent(rate, &leave);
    EXPECT_EQ(rate->text(), "0.002") << "what the run has, until it says otherwise";
}

}  // namespace
}  // namespace kurve::views
