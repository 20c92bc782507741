// The list of a run's checkpoints and what can be done with each; nothing is removed before it is said what
// that frees.
#include "views/runs/checkpoint_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSpinBox>
#include <QTest>
#include <QTreeWidget>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wire_table.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/choice_list.h"
#include "views/common/text/elided_label.h"
#include "views/runs/fork_form.h"
#include "views/runs/run_settings.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using Kind = RunRequest::Kind;

store::CheckpointRow checkpoint(std::int64_t step, double metric, std::int64_t bytes, bool pinned = false) {
    return {
        step, store::RunFile("checkpoints/step-0000000" + std::to_string(step)), "", metric, bytes, pinned,
        0};
}

RunConfig toyConfig(const std::string& changes = {}) {
    Schema schema{"toy", "Toy", "", {}, {}};
    schema.fields = {realField("train.lr", 0.001, "peak learning rate").range(0, 1),
                     flagField("train.fused", false, "one kernel"),
                     textField("train.init_from", "", "run whose weights it begins from"),
                     choiceField("model.kind", "a", {"a", "b"}, "which kind")};
    const auto engine = EngineInfo::fromJson({{"families", {toJson(schema)}}});
    return *RunConfig::parse("family = \"toy\"\nname = \"t\"\n" + changes, "test", engine->schemas());
}

class CheckpointTableTest : public ::testing::Test {
protected:
    void SetUp() override {
        QObject::connect(&table_, &CheckpointTable::requested, &table_,
                         [this](const RunRequest& request) { requests_.push_back(request); });
        data_.checkpoints = {checkpoint(4, 30, 2000000), checkpoint(8, 20, 2000000, true),
                             checkpoint(9, std::nan(""), 3000000)};
        table_.setRun("r", &data_, false);
    }
    template <class T>
    T* part(const char* name) {
        return table_.findChild<T*>(QLatin1String(name));
    }
    QApplication& app_ = test::guiApp();  // before the first widget
    CheckpointTable table_;
    RunData data_;
    std::vector<RunRequest> requests_;
};

TEST_F(CheckpointTableTest, ActsOnTheSelectedRow) {
    auto* rows = part<QTreeWidget>("inspector.checkpoints");
    ASSERT_EQ(rows->topLevelItemCount(), 3);
    EXPECT_TRUE(rows->topLevelItem(2)->isSelected()) << "the newest at first";
    rows->setCurrentItem(rows->topLevelItem(0));
    part<QPushButton>("checkpoints.resume")->click();
    table_.fork().setConfig(toyConfig());
    ASSERT_TRUE(table_.fork().add("train.lr"));
    part<QLineEdit>("fork.train.lr")->clear();
    QTest::keyClicks(part<QLineEdit>("fork.train.lr"), "1e-4");
    EXPECT_EQ(part<QPushButton>("checkpoints.fork")->text(), "Fork at 4, 1 set");
    part<QPushButton>("checkpoints.fork")->click();
    part<QPushButton>("checkpoints.pin")->click();
    rows->setCurrentItem(rows->topLevelItem(1));
    EXPECT_EQ(part<QPushButton>("checkpoints.pin")->text(), "Unpin");
    part<QPushButton>("checkpoints.pin")->click();
    ASSERT_EQ(requests_.size(), 4u);
    EXPECT_EQ(requests_[0].kind, Kind::Resume);
    EXPECT_EQ(requests_[0].checkpoint, "step-00000004");
    EXPECT_EQ(requests_[1].kind, Kind::Fork);
    EXPECT_EQ(requests_[1].settings, (QStringList{"train.lr=1e-4"}));
    EXPECT_EQ(requests_[2].kind, Kind::Pin);
    EXPECT_EQ(requests_[3].kind, Kind::Unpin);
    EXPECT_EQ(requests_[3].checkpoint, "step-00000008");
    table_.setRun("r", &data_, true);
    EXPECT_FALSE(part<QPushButton>("checkpoints.resume")->isEnabled()) << "it trains already";
    EXPECT_TRUE(part<QPushButton>("checkpoints.fork")->isEnabled());
    table_.setRun("other", &data_, false);
    EXPECT_TRUE(rows->topLevelItem(2)->isSelected()) << "of another run its newest";
}

TEST_F(CheckpointTableTest, WhatIsOnAnotherMachineIsFetchedBeforeItIsUsed) {
    EXPECT_TRUE(part<QPushButton>("checkpoints.fetch")->isHidden()) << "all are here";
    table_.fork().setConfig(toyConfig());
    table_.setAway("gpu", {"step-00000009"});
    table_.setRun("r", &data_, false);
    auto* rows = part<QTreeWidget>("inspector.checkpoints");
    EXPECT_EQ(rows->topLevelItem(2)->text(2), "on gpu");
    EXPECT_EQ(rows->topLevelItem(0)->text(2), "2.0 MB");
    ASSERT_TRUE(rows->topLevelItem(2)->isSelected());
    for (const char* needsWeights : {"checkpoints.sample", "checkpoints.fork"})
        EXPECT_FALSE(part<QPushButton>(needsWeights)->isEnabled()) << needsWeights;
    EXPECT_TRUE(part<QPushButton>("checkpoints.resume")->isEnabled()) << "the run goes on there";
    part<QPushButton>("checkpoints.fetch")->click();
    ASSERT_EQ(requests_.size(), 1u);
    EXPECT_EQ(requests_[0].kind, Kind::Fetch);
    EXPECT_EQ(requests_[0].checkpoint, "step-00000009");
    rows->setCurrentItem(rows->topLevelItem(0));
    EXPECT_TRUE(part<QPushButton>("checkpoints.sample")->isEnabled());
    EXPECT_FALSE(part<QPushButton>("checkpoints.fetch")->isEnabled());
    table_.setAway("gpu", {});
    table_.setRun("r", &data_, false);
    EXPECT_EQ(rows->topLevelItem(2)->text(2), "3.0 MB") << "fetched";
}

TEST_F(CheckpointTableTest, OfACopyItsMachinePinsAndPrunes) {
    const nlohmann::json surplus{{"run", "r"},
                                 {"prunable_bytes", 2000000},
                                 {"checkpoints", {{{"path", "checkpoints/step-00000004"}}}}};
    table_.setRun("r", &data_, true);
    table_.setRetention(surplus);
    EXPECT_FALSE(part<QPushButton>("checkpoints.prune")->isEnabled());
    table_.setRun("r", &data_, false);
    EXPECT_TRUE(part<QPushButton>("checkpoints.prune")->isEnabled()) << "it has ended";
    EXPECT_TRUE(part<QPushButton>("checkpoints.pin")->isEnabled());
    table_.setAway("gpu", {});
    table_.setRun("r", &data_, false);
    table_.setRetention(surplus);
    EXPECT_FALSE(part<QPushButton>("checkpoints.prune")->isEnabled());
    EXPECT_FALSE(part<QPushButton>("checkpoints.pin")->isEnabled());
    table_.setRun("r", &data_, true);
    EXPECT_TRUE(part<QPushButton>("checkpoints.pin")->isEnabled()) << "the engine there is told";
}

TEST_F(CheckpointTableTest, AForkIsValidatedBeforeItStarts) {
    ForkForm& form = table_.fork();
    EXPECT_FALSE(form.add("train.lr")) << "its settings have not been read";
    form.setConfig(toyConfig());
    EXPECT_FALSE(form.add("no.such"));
    ASSERT_TRUE(form.add("model.kind"));
    ASSERT_TRUE(form.add("train.fused"));
    ASSERT_TRUE(form.add("train.lr"));
    EXPECT_EQ(form.settings(), (QStringList{"model.kind=a", "train.fused=false", "train.lr=0.001"}));
    part<QComboBox>("fork.model.kind")->setCurrentText("b");
    part<QCheckBox>("fork.train.fused")->click();
    auto* rate = part<QLineEdit>("fork.train.lr");
    rate->clear();
    QTest::keyClicks(rate, "7");
    EXPECT_FALSE(form.isValid()) << "above its range";
    const auto* name = form.findChild<ElidedLabel*>();
    EXPECT_TRUE(name->text().startsWith("model.kind was ")) << name->text().toStdString();
    EXPECT_TRUE(rate->property("invalid").toBool());
    EXPECT_TRUE(part<QLabel>("fork.problem")->text().contains("train.lr"));
    EXPECT_FALSE(part<QPushButton>("checkpoints.fork")->isEnabled());
    rate->clear();
    QTest::keyClicks(rate, "0.5");
    EXPECT_TRUE(part<QPushButton>("checkpoints.fork")->isEnabled());
    EXPECT_EQ(form.settings(), (QStringList{"model.kind=b", "train.fused=true", "train.lr=0.5"}));
    form.remove("model.kind");
    EXPECT_EQ(form.settings(), (QStringList{"train.fused=true", "train.lr=0.5"}));
    form.openList();
    auto* list = table_.findChild<ChoiceList*>("fork.list");
    list->search()->setText("kind");
    QTest::keyClick(list->search(), Qt::Key_Return);
    EXPECT_NE(part<QComboBox>("fork.model.kind"), nullptr);
    form.setConfig(std::nullopt);
    EXPECT_TRUE(form.settings().isEmpty()) << "another run begins anew";
}

// The form said 0.001 and the fork trained with 0.0007; nor could 0.001 be had.
TEST_F(CheckpointTableTest, AForkKeepsWhatWasChangedWhileTrainingUpToItsCheckpoint) {
    const testing::TemporaryFolder run;
    const auto store = [&](const char* step, const char* state) {
        const auto folder = run.path() / "checkpoints" / step;
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "state.json") << state;
    };
    store("step-00000004", R"({"step": 4, "live": []})");
    store("step-00000008", R"({"step": 8, "live": [[5, "train.lr", "0.01"], [6, "train.lr", "0.0007"]]})");
    store("step-00000009", "damaged");
    ForkForm& form = table_.fork();
    form.setConfig(toyConfig());
    table_.setFolder(run.path());
    table_.setRun("b", &data_, false);
    auto* rows = part<QTreeWidget>("inspector.checkpoints");
    rows->setCurrentItem(rows->topLevelItem(1));
    ASSERT_TRUE(form.add("train.lr"));
    auto* rate = part<QLineEdit>("fork.train.lr");
    const auto* name = form.findChild<ElidedLabel*>();
    EXPECT_EQ(rate->text(), "0.0007");
    EXPECT_TRUE(name->text().endsWith("was 0.0007")) << name->text().toStdString();
    rate->clear();
    QTest::keyClicks(rate, "0.001");
    EXPECT_EQ(form.settings(), QStringList{"train.lr=0.001"}) << "as the run began";
    part<QPushButton>("checkpoints.fork")->click();
    ASSERT_EQ(requests_.size(), 1u);
    EXPECT_EQ(requests_[0].settings, QStringList{"train.lr=0.001"});
    for (const int unchanged : {0, 2}) {
        rows->setCurrentItem(rows->topLevelItem(unchanged));
        EXPECT_TRUE(name->text().endsWith("was 0.001")) << name->text().toStdString();
        EXPECT_EQ(form.settings(), QStringList{"train.lr=0.001"}) << "what was typed stays";
        rows->setCurrentItem(rows->topLevelItem(1));
    }
    data_.checkpoints.clear();
    table_.setRun("c", &data_, false);
    EXPECT_TRUE(name->text().endsWith("was 0.001")) << "another run has its own";
}

TEST_F(CheckpointTableTest, AForkBeginsFromItsCheckpointAlone) {
    table_.fork().setConfig(toyConfig("[train]\ninit_from = \"base\"\n"));
    ASSERT_TRUE(table_.fork().add("train.init_from"));
    EXPECT_EQ(table_.fork().settings(), QStringList{"train.init_from="});
}

// It was made and had "completed" at once, with nothing learned under its settings.
TEST_F(CheckpointTableTest, AForkAtTheEndOfThePlanProposesMoreSteps) {
    Schema schema{"toy", "Toy", "", {}, {}};
    schema.fields = {integerField("train.steps", 9, "steps").atLeast(0),
                     realField("train.lr", 0.001, "peak learning rate").range(0, 1)};
    const auto engine = EngineInfo::fromJson({{"families", {toJson(schema)}}});
    table_.fork().setConfig(*RunConfig::parse("family = \"toy\"\nname = \"t\"\n", "test", engine->schemas()));
    auto* fork = part<QPushButton>("checkpoints.fork");
    auto* rows = part<QTreeWidget>("inspector.checkpoints");
    table_.show();
    requests_.clear();  // it has requested the retention
    fork->setFocus();
    fork->click();
    EXPECT_TRUE(requests_.empty()) << "nothing would be trained";
    EXPECT_EQ(table_.focusWidget(), part<QLineEdit>("fork.train.steps"));
    EXPECT_EQ(table_.fork().settings(), QStringList{"train.steps=18"});
    EXPECT_TRUE(part<QLabel>("fork.note")->text().contains("planned to end at step 9"));
    auto* steps = part<QLineEdit>("fork.train.steps");
    steps->clear();
    QTest::keyClicks(steps, "5");
    EXPECT_FALSE(fork->isEnabled()) << "before it begins";
    EXPECT_TRUE(part<QLabel>("fork.problem")->text().contains("at step 9"));
    rows->setCurrentItem(rows->topLevelItem(0));
    EXPECT_TRUE(fork->isEnabled()) << "from step 4 to step 5";
    rows->setCurrentItem(rows->topLevelItem(2));
    steps->setText("12");
    Q_EMIT steps->textEdited("12");
    fork->click();
    ASSERT_EQ(requests_.size(), 1u);
    EXPECT_EQ(requests_[0].settings, QStringList{"train.steps=12"});
    table_.fork().remove("train.steps");
    fork->click();
    ASSERT_EQ(requests_.size(), 2u) << "it was offered and declined: another sampler needs no training";
    EXPECT_TRUE(requests_[1].settings.isEmpty());
}

TEST_F(CheckpointTableTest, ShowsWhatPruningFreesFirst) {
    table_.show();
    ASSERT_FALSE(requests_.empty()) << "requested when it is shown";
    EXPECT_EQ(requests_.back().kind, Kind::Retention);
    EXPECT_EQ(requests_.back().keepLast, 0) << "by the run's own policy";
    EXPECT_FALSE(part<QPushButton>("checkpoints.prune")->isEnabled()) << "the freed size is unknown yet";
    nlohmann::json answer{{"run", "r"},
                          {"keep_last", 1},
                          {"keep_best", 0},
                          {"bytes", 7000000},
                          {"prunable_bytes", 2000000},
                          {"checkpoints",
                           {{{"path", "checkpoints/step-00000004"}, {"kept_as", nlohmann::json::array()}},
                            {{"path", "checkpoints/step-00000008"}, {"kept_as", {"pinned"}}},
                            {{"path", "checkpoints/step-00000009"}, {"kept_as", {"newest"}}}}}};
    const std::size_t before = requests_.size();
    table_.setRetention(answer);
    EXPECT_EQ(requests_.size(), before) << "an answer sends no request";
    auto* rows = part<QTreeWidget>("inspector.checkpoints");
    EXPECT_TRUE(rows->topLevelItem(0)->text(3).contains("not kept"));
    EXPECT_EQ(rows->topLevelItem(1)->text(3), "pinned");
    auto* prune = part<QPushButton>("checkpoints.prune");
    EXPECT_TRUE(prune->isEnabled());
    EXPECT_TRUE(prune->text().contains("2")) << prune->text().toStdString();
    EXPECT_TRUE(part<QLabel>("checkpoints.about")->text().contains("removes 1 "));
    prune->click();
    EXPECT_EQ(requests_.back().kind, Kind::Prune);
    EXPECT_EQ(requests_.back().keepLast, 1);
    part<QSpinBox>("checkpoints.best")->setValue(2);
    EXPECT_FALSE(prune->isEnabled()) << "what these numbers free is not known yet";
    EXPECT_EQ(requests_.back().kind, Kind::Retention);
    EXPECT_EQ(requests_.back().keepBest, 2);
    for (const auto& damaged : test::damagedCopies(answer)) table_.setRetention(damaged);
    table_.setRetention(answer);
    part<QSpinBox>("checkpoints.best")->setValue(2);
    answer["run"] = "another";
    answer["keep_best"] = 7;
    table_.setRetention(answer);
    EXPECT_EQ(part<QSpinBox>("checkpoints.best")->value(), 2) << "that was about another run";
}

TEST_F(CheckpointTableTest, TheIntactCheckpointIsOfferedForResuming) {
    EXPECT_EQ(part<QPushButton>("checkpoints.resume")->text(), "Resume from 9");
    table_.offerIntact(8, "weights.safetensors does not match its hash");
    EXPECT_EQ(part<QPushButton>("checkpoints.resume")->text(), "Resume from 8");
    EXPECT_EQ(part<QLabel>("checkpoints.about")->text(), "weights.safetensors does not match its hash");
    part<QPushButton>("checkpoints.resume")->click();
    ASSERT_FALSE(requests_.empty());
    EXPECT_EQ(requests_.back().kind, Kind::Resume);
    EXPECT_EQ(requests_.back().checkpoint, "step-00000008");
}

TEST_F(CheckpointTableTest, PinsTheSelectedCheckpointIfAny) {
    EXPECT_TRUE(table_.pinSelected());
    ASSERT_FALSE(requests_.empty());
    EXPECT_EQ(requests_.back().kind, Kind::Pin);
    EXPECT_EQ(requests_.back().checkpoint, "step-00000009");
    table_.setRun("run-2", nullptr, false);
    EXPECT_FALSE(table_.pinSelected());
}

TEST_F(CheckpointTableTest, WideRowsAreScrollableInANarrowInspector) {
    auto* rows = part<QTreeWidget>("inspector.checkpoints");
    rows->setFixedWidth(90);
    table_.show();
    ASSERT_TRUE(test::waitFor([&] { return rows->horizontalScrollBar()->maximum() > 0; }));
    EXPECT_TRUE(rows->horizontalScrollBar()->isVisible());

    RunSettings settings;
    settings.setConfig(toyConfig());
    settings.resize(150, 300);
    settings.show();
    const auto* values = settings.findChild<QTreeWidget*>("inspector.settings");
    EXPECT_TRUE(test::waitFor([&] { return values->header()->length() <= values->viewport()->width(); }))
        << values->header()->length();
}

}  // namespace
}  // namespace kurve::views
