// One setting of the draft's form.
#include "views/launch/field_row.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QSignalSpy>
#include <QTest>

#include "core/config/field_spec.h"
#include "tests/support/gui_app.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

// A preset of the schedule laboratory is a file of the project: the form takes its name as the experiment
// file does.
TEST(FieldRowTest, AChoiceThatMayBeAFileTakesItsName) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    FieldRow row(
        choiceField("diffusion.schedule", "sqrt", {"sqrt", "cosine"}, "noise levels").orPrefixes({"file:"}));
    QSignalSpy edited(&row, &FieldRow::edited);
    auto* box = row.findChild<QComboBox*>();
    ASSERT_NE(box, nullptr);
    ASSERT_TRUE(box->isEditable());
    row.show("sqrt", false, false);
    EXPECT_TRUE(edited.isEmpty());
    box->setEditText("file:schedules/mine.toml");
    ASSERT_FALSE(edited.isEmpty());
    EXPECT_EQ(edited.last().at(1).toString(), "file:schedules/mine.toml");
    row.show("file:schedules/mine.toml", true, true);
    row.show("file:schedules/other.toml", true, true);  // of another experiment
    EXPECT_EQ(box->currentText(), "file:schedules/other.toml");
    EXPECT_EQ(box->count(), 2) << "what is typed or read is no new choice";
    FieldRow fixed(choiceField("model.positions", "sinusoid", {"sinusoid", "learned"}, "positions"));
    EXPECT_FALSE(fixed.findChild<QComboBox*>()->isEditable());
}

TEST(FieldRowTest, ARunIsChosenFromThoseThatFitOrTyped) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    FieldRow row(runField("train.init_from", "whose weights"));
    QSignalSpy edited(&row, &FieldRow::edited);
    auto* box = row.findChild<QComboBox*>("launch.field.train.init_from");
    ASSERT_NE(box, nullptr);
    row.offer({{"b", "newer", {}}, {"a", "older", {}}});
    row.show("", false, false);
    EXPECT_TRUE(edited.isEmpty());
    EXPECT_EQ(box->count(), 3) << "none, and the two";
    box->setCurrentIndex(2);
    EXPECT_EQ(edited.last().at(1).toString(), "a");
    box->setEditText("a@400");
    EXPECT_EQ(edited.last().at(1).toString(), "a@400");
    const auto before = edited.size();
    row.offer({{"c", "newest", {}}, {"b", "newer", {}}, {"a", "older", {}}});
    EXPECT_EQ(box->currentText(), "a@400") << "another list changes no value";
    row.show("c", true, true);
    EXPECT_EQ(edited.size(), before);
    EXPECT_EQ(box->currentText(), "c");
}

}  // namespace
}  // namespace kurve::views
