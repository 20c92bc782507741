// Settings of a sampler that are set for a prompt or an evaluation: chips, typed by the family's fields.
#include "views/common/form/sampler_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

#include "core/config/field_spec.h"
#include "tests/support/gui_app.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

using Values = QMap<QString, QString>;

std::shared_ptr<const Schema> family() {
    auto schema = std::make_shared<Schema>();
    schema->title = "Coin";
    schema->fields = {
        integerField("model.hidden", 8, "width"),
        integerField("sampler.steps", 10, "steps").range(1, 100),
        realField("sampler.temperature", 1.0, "flatter above 1").range(0.01, 10),
        choiceField("sampler.selection", "likelihood", {"likelihood", "ppl"}, "who chooses"),
        runField("sampler.scorer", "the run that chooses").fits({kExactLikelihood}),
        flagField("sampler.clamp", false, "round each estimate"),
        choiceField("sampler.schedule", "own", {"own", "cosine"}, "noise levels").orPrefixes({"file:"})};
    return schema;
}

class SamplerSettingsTest : public ::testing::Test {
protected:
    SamplerSettingsTest() {
        applyTheme(ThemeMode::Light, 1.0);
        settings_.setSchema(family(), {"sampler.steps"});
        QObject::connect(&settings_, &SamplerSettings::changed, [this] { ++changes_; });
    }
    template <class T>
    T* find(const char* name) {
        return settings_.findChild<T*>(QLatin1String(name));
    }
    [[nodiscard]] QString errorAt(const char* key) {
        auto* label = find<QLabel>((std::string("test.error.") + key).c_str());
        return label != nullptr && !label->isHidden() ? label->text() : QString();
    }
    QApplication& app_ = test::guiApp();
    SamplerSettings settings_{QStringLiteral("test")};
    int changes_ = 0;
};

TEST_F(SamplerSettingsTest, OffersTheSamplerFieldsWithoutAControlElsewhere) {
    settings_.add("sampler.clamp");
    settings_.button()->click();
    auto* list = settings_.findChild<ChoiceList*>();
    ASSERT_NE(list, nullptr);
    EXPECT_EQ(list->shownCount(), 4) << "neither the model's, nor steps, nor those already set";
    list->search()->setText("flatter");
    ASSERT_EQ(list->shownCount(), 1) << "found by its description";
    QTest::keyClick(list->search(), Qt::Key_Return);
    ASSERT_TRUE(test::waitFor([&] { return settings_.values().contains("sampler.temperature"); }));
    list->hide();
    settings_.setSchema(nullptr);
    EXPECT_FALSE(settings_.button()->isEnabled()) << "unknown yet";
}

TEST_F(SamplerSettingsTest, EachTypeHasItsEditorAndStartsWithTheRunsValue) {
    settings_.setOwn({{"sampler.temperature", "0.5"}, {"sampler.clamp", "true"}});
    for (const char* key : {"sampler.temperature", "sampler.clamp", "sampler.schedule"}) settings_.add(key);
    EXPECT_EQ(
        settings_.values(),
        (Values{{"sampler.temperature", "0.5"}, {"sampler.clamp", "true"}, {"sampler.schedule", "own"}}));
    find<QCheckBox>("test.set.sampler.clamp")->setChecked(false);
    auto* schedule = find<QComboBox>("test.set.sampler.schedule");
    EXPECT_EQ(schedule->count(), 2);
    schedule->setCurrentIndex(1);
    auto* temperature = find<QLineEdit>("test.set.sampler.temperature");
    EXPECT_EQ(temperature->accessibleName(), "temperature");
    EXPECT_TRUE(temperature->toolTip().contains("flatter above 1")) << temperature->toolTip().toStdString();
    temperature->setText(" 2.5 ");
    EXPECT_EQ(
        settings_.values(),
        (Values{{"sampler.temperature", "2.5"}, {"sampler.clamp", "false"}, {"sampler.schedule", "cosine"}}));
    EXPECT_EQ(changes_, 6) << "added and edited, each once";
    settings_.set("sampler.schedule", "file:schedules/mine.toml");
    EXPECT_EQ(settings_.values()["sampler.schedule"], "file:schedules/mine.toml");
    EXPECT_EQ(settings_.problem(), "");
}

TEST_F(SamplerSettingsTest, AnErrorIsShownAtItsField) {
    settings_.set("sampler.temperature", "70");
    EXPECT_FALSE(errorAt("sampler.temperature").isEmpty());
    EXPECT_TRUE(settings_.problem().startsWith("temperature: ")) << settings_.problem().toStdString();
    auto* temperature = find<QLineEdit>("test.set.sampler.temperature");
    EXPECT_TRUE(temperature->property("invalid").toBool());
    temperature->setText("warm");
    EXPECT_FALSE(settings_.problem().isEmpty());
    temperature->setText("");
    EXPECT_FALSE(settings_.problem().isEmpty());
    temperature->setText("0.7");
    EXPECT_EQ(errorAt("sampler.temperature"), "");
    EXPECT_EQ(settings_.problem(), "");
    EXPECT_TRUE(settings_.setProblem("sampler.temperature", "an error of the engine"));
    EXPECT_EQ(errorAt("sampler.temperature"), "an error of the engine");
    temperature->setText("0.8");
    EXPECT_EQ(errorAt("sampler.temperature"), "") << "until it is changed";
    EXPECT_FALSE(settings_.setProblem("sampler.nothing", "x"));
    settings_.set("sampler.top_k", "4");
    EXPECT_EQ(errorAt("sampler.top_k"), "Coin has no such setting; remove it");
}

TEST_F(SamplerSettingsTest, RemovesOneByItsButtonAndByKeys) {
    settings_.setValues(
        {{"sampler.temperature", "2"}, {"sampler.schedule", "cosine"}, {"sampler.clamp", "true"}});
    find<QToolButton>("test.drop.sampler.clamp")->click();
    EXPECT_EQ(settings_.values().size(), 2);
    QTest::keyClick(find<QLineEdit>("test.set.sampler.temperature"), Qt::Key_Backspace, Qt::ControlModifier);
    EXPECT_EQ(settings_.values(), (Values{{"sampler.schedule", "cosine"}}));
    EXPECT_FALSE(settings_.isHidden());
    settings_.remove("sampler.schedule");
    EXPECT_TRUE(settings_.isHidden()) << "no chips, no height";
}

TEST_F(SamplerSettingsTest, SelectionByAScorerAddsTheScorer) {
    settings_.add("sampler.selection");
    auto* selection = find<QComboBox>("test.set.sampler.selection");
    selection->setCurrentIndex(selection->findData("ppl"));
    EXPECT_TRUE(errorAt("sampler.selection").contains("exact likelihood")) << "none is there";
    settings_.remove("sampler.selection");
    settings_.setScorers({{"t2", "teacher, longer", {}}, {"t1", "teacher", {}}});
    settings_.set("sampler.selection", "ppl");
    EXPECT_EQ(settings_.values(), (Values{{"sampler.selection", "ppl"}, {"sampler.scorer", "t2"}}));
    EXPECT_EQ(settings_.problem(), "");
    auto* scorer = find<QComboBox>("test.set.sampler.scorer");
    EXPECT_EQ(scorer->currentText(), "teacher, longer");
    scorer->setCurrentIndex(1);
    EXPECT_EQ(settings_.values()["sampler.scorer"], "t1");
    settings_.setScorers({{"t1", "teacher", {}}});
    EXPECT_EQ(settings_.values()["sampler.scorer"], "t1") << "another list keeps the choice";
    settings_.remove("sampler.scorer");
    EXPECT_FALSE(errorAt("sampler.selection").isEmpty());
}

TEST_F(SamplerSettingsTest, ARunWithItsOwnScorerNeedsNoOther) {
    settings_.setOwn({{"sampler.scorer", "mine"}});
    settings_.setScorers({{"t2", "teacher", {}}});
    settings_.set("sampler.selection", "ppl");
    EXPECT_EQ(settings_.values(), (Values{{"sampler.selection", "ppl"}}));
    EXPECT_EQ(settings_.problem(), "");
}

TEST_F(SamplerSettingsTest, ValuesSurviveALaterDescription) {
    settings_.setSchema(nullptr);
    settings_.setValues({{"sampler.temperature", "3"}});
    changes_ = 0;
    settings_.setSchema(family(), {"sampler.steps"});
    EXPECT_EQ(settings_.values(), (Values{{"sampler.temperature", "3"}}));
    EXPECT_EQ(changes_, 0);
    EXPECT_TRUE(find<QLineEdit>("test.set.sampler.temperature")->toolTip().contains("flatter"));
}

}  // namespace
}  // namespace kurve::views
