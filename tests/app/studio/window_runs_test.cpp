// The whole window on a synthetic project: actions on runs of the list, and undo.
#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTreeWidget>

#include "core/store/run_writer.h"
#include "tests/app/studio/window_fixture.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/empty_state.h"
#include "views/common/theme/theme.h"
#include "views/runs/inspector_panel.h"
#include "views/runs/lineage_tree.h"
#include "views/runs/runs_panel.h"

namespace kurve::studio {
namespace {

constexpr const char* kFirst = "20261120-100000-0001";   // completed
constexpr const char* kSecond = "20261120-110000-0002";  // failed

TEST_F(WindowTest, TheMenuOfARunHasItsActionsAndReasons) {
    const auto app = open();
    auto& runs = panelOf<views::RunsPanel>(*app, "runs");
    app->session()->selection.setRuns({kFirst});
    ASSERT_TRUE(soon([&] { return app->session()->catalog.data(kFirst) != nullptr; }));
    Q_EMIT runs.table()->customContextMenuRequested({5, 5});
    auto* menu = runs.findChild<QMenu*>("runs.menu");
    ASSERT_NE(menu, nullptr);
    EXPECT_TRUE(menu->toolTipsVisible());
    const auto entry = [&](const char* id) {
        return menu->actions().indexOf(app->window()->commands().action(id));
    };
    for (const char* id :
         {"run.resume", "run.extend", "run.reproduce", "run.fork", "run.evaluate", "run.open_trace"})
        EXPECT_GE(entry(id), 0) << id;
    EXPECT_FALSE(menu->actions()[entry("run.resume")]->isEnabled());
    EXPECT_TRUE(menu->actions()[entry("run.resume")]->toolTip().contains("extend it instead"));
    EXPECT_TRUE(menu->actions()[entry("run.reproduce")]->isEnabled());
    menu->close();
    auto* resume = app->window()->panel("inspector")->findChild<QPushButton*>("inspector.resume");
    EXPECT_TRUE(resume->isHidden());
}

TEST_F(WindowTest, AHiddenInspectorIsShownForItsForms) {
    const auto app = open();
    app->session()->selection.setRuns({kSecond});
    app->window()->toggleSide(WindowFrame::Inspector);
    auto* evaluate = app->window()->panel("inspector")->findChild<QPushButton*>("evaluate.go");
    EXPECT_FALSE(evaluate->isVisible());
    panelOf<views::InspectorPanel>(*app, "inspector").openEvaluation();
    EXPECT_TRUE(soon([&] { return evaluate->isVisible(); }));
}

TEST_F(WindowTest, AnUnknownRunIsReportedWithSimilarOnes) {
    const auto options = parseOptions({"--run", "20261120-100000-0009"});
    ASSERT_TRUE(options);
    const auto app = open(*options);
    auto* inspector = app->window()->panel("inspector");
    auto* instead = inspector->findChild<views::EmptyState*>()->button();
    EXPECT_TRUE(soon([&] { return instead->text().contains(kFirst); })) << instead->text().toStdString();
    auto* message = app->window()->findChild<QLabel*>("status.message");
    EXPECT_TRUE(message->text().startsWith("No run 20261120-100000-0009 in this project; did you mean"))
        << message->text().toStdString();
    instead->click();
    EXPECT_EQ(app->session()->selection.runs(), QStringList{kFirst});
    app->session()->selection.setRuns({"zzz"});
    EXPECT_EQ(instead->text(), "Select the newest run");
}

TEST_F(WindowTest, SeveralRunsOfTheCommandLineAreSelected) {
    const auto options =
        parseOptions({QStringLiteral("--run=%1,%2").arg(kSecond, kFirst), "--run", "nowhere"});
    ASSERT_TRUE(options);
    EXPECT_EQ(options->runs, QStringList({kSecond, kFirst, "nowhere"}));
    EXPECT_FALSE(parseOptions({"--run", ","}));
    const auto app = open(*options);
    EXPECT_TRUE(soon([&] { return app->session()->selection.runs() == QStringList({kSecond, kFirst}); }));
    auto* message = app->window()->findChild<QLabel*>("status.message");
    EXPECT_TRUE(message->text().startsWith("No run nowhere")) << message->text().toStdString();
}

TEST_F(WindowTest, EditsOfRunsAreUndoneInOrder) {
    const auto app = open();
    auto& commands = app->window()->commands();
    QAction *undo = commands.action("runs.undo"), *redo = commands.action("runs.redo");
    const auto& catalog = app->session()->catalog;
    EXPECT_FALSE(undo->isEnabled());
    EXPECT_EQ(undo->text(), "Undo");
    app->session()->selection.setRuns({kFirst, kSecond});
    commands.action("runs.star")->trigger();
    EXPECT_EQ(undo->text(), "Undo star of 2 runs");
    ASSERT_TRUE(soon([&] { return catalog.run(kFirst)->starred && catalog.run(kSecond)->starred; }));
    app->session()->selection.setRuns({kFirst});
    app->session()->edits.changeTags(kFirst, {"good", "old"}, {});
    EXPECT_EQ(undo->text(), "Undo tags of “first”");
    app->session()->selection.hideRuns({kSecond}, true);
    EXPECT_EQ(undo->text(), "Undo hiding of “second”");
    ASSERT_TRUE(soon([&] { return catalog.run(kFirst)->tags.size() == 2; }));
    undo->trigger();
    EXPECT_TRUE(app->session()->selection.hiddenRuns().isEmpty());
    EXPECT_EQ(redo->text(), "Redo hiding of “second”");
    undo->trigger();
    EXPECT_TRUE(soon([&] { return catalog.run(kFirst)->tags.empty(); }));
    undo->trigger();
    EXPECT_TRUE(soon([&] { return !catalog.run(kFirst)->starred && !catalog.run(kSecond)->starred; }));
    EXPECT_FALSE(undo->isEnabled());
    redo->trigger();
    EXPECT_TRUE(soon([&] { return catalog.run(kFirst)->starred; }));
}

TEST_F(WindowTest, ANameThatLooksLikeHtmlIsShownAsItIs) {
    const auto app = open();
    const QString name = QStringLiteral("a <b>bold</b> run & more");
    app->session()->selection.setRuns({kFirst});
    app->session()->edits.rename(kFirst, name);
    app->window()->say(QStringLiteral("%1 is selected.").arg(name));
    int shown = 0;
    ASSERT_TRUE(soon([&] {
        shown = 0;
        for (const QLabel* label : app->window()->findChildren<QLabel*>())
            shown += label->text().contains(name);
        return shown >= 2;  // inspector and status line
    }));
    for (const QLabel* label : app->window()->findChildren<QLabel*>())
        if (label->text().contains(name))
            EXPECT_EQ(label->textFormat(), Qt::PlainText) << label->objectName().toStdString();
    const QString tip = app->window()->findChild<QLabel*>("status.message")->toolTip();
    EXPECT_TRUE(tip.contains("&lt;b&gt;") && Qt::mightBeRichText(tip)) << tip.toStdString();
}

TEST_F(WindowTest, NotesOfOneSittingAreUndoneAtOnceAndTheFieldFollows) {
    const auto app = open();
    auto& commands = app->window()->commands();
    const auto& catalog = app->session()->catalog;
    app->session()->selection.setRuns({kFirst});
    auto* notes = app->window()->panel("inspector")->findChild<QPlainTextEdit*>("inspector.notes");
    const QString before = notes->toPlainText();
    notes->setFocus();
    const auto write = [&](const char* text) {
        notes->setPlainText(QLatin1String(text));
        return soon([&] { return catalog.run(kFirst)->notes == text; });
    };
    ASSERT_TRUE(write("falls too fast"));
    ASSERT_TRUE(write("falls too fast: smaller lr"));
    EXPECT_EQ(commands.action("runs.undo")->text(), "Undo notes on “first”");
    commands.action("runs.undo")->trigger();
    EXPECT_TRUE(soon([&] { return catalog.run(kFirst)->notes == before.toStdString(); }));
    EXPECT_TRUE(soon([&] { return notes->toPlainText() == before; })) << notes->toPlainText().toStdString();
    EXPECT_FALSE(commands.action("runs.undo")->isEnabled());
}

TEST_F(WindowTest, ATextFieldKeepsItsOwnUndo) {
    const auto app = open();
    app->window()->activateWindow();
    app->session()->selection.setRuns({kFirst});
    app->window()->commands().action("runs.star")->trigger();
    ASSERT_TRUE(soon([&] { return app->session()->catalog.run(kFirst)->starred; }));
    auto* tags = app->window()->panel("inspector")->findChild<QLineEdit*>("inspector.tags");
    tags->setFocus();
    QTest::keyClicks(tags, "fast");
    QTest::keyClick(tags, Qt::Key_Z, Qt::ControlModifier);
    EXPECT_NE(tags->text(), "fast");
    EXPECT_EQ(app->window()->commands().action("runs.undo")->text(), "Undo star of “first”");
    EXPECT_TRUE(app->session()->catalog.run(kFirst)->starred);
}

// Rows keep the colours they were made with: a note of the dark theme could not be read in the light one.
TEST_F(WindowTest, AnotherThemeRecoloursWhatIsShownAndKeepsTheSelection) {
    {
        auto again = *store::RunWriter::open(project_.path() / "runs" / kSecond);
        again->set("reproduces", kFirst);
        ASSERT_TRUE(again->flush());
    }
    const auto app = open();
    app->session()->selection.setRuns({kSecond});
    const auto noteIs = [&](const views::Theme& theme) {
        const auto* tree = app->window()->findChild<views::LineageTree*>();
        const QTreeWidgetItem* root = tree->topLevelItem(0);
        return root != nullptr && root->childCount() == 1 &&
               root->child(0)->foreground(1).color() == theme.muted;
    };
    ASSERT_TRUE(soon([&] { return noteIs(views::theme()); }));
    const QColor light = views::theme().muted;
    app->window()->commands().action("theme.dark")->trigger();
    EXPECT_TRUE(soon([&] { return views::theme().dark && views::theme().muted != light; }));
    EXPECT_TRUE(soon([&] { return noteIs(views::theme()); }));
    EXPECT_EQ(app->session()->selection.runs(), QStringList{kSecond});
    app->window()->commands().action("theme.light")->trigger();
    EXPECT_TRUE(soon([&] { return !views::theme().dark; }));
}

TEST_F(WindowTest, UndoOutlivesTheWindowButNotTheProject) {
    StudioOptions restoring;
    restoring.restore = true;
    {
        const auto app = open(restoring);
        app->session()->selection.hideRuns({kFirst}, true);
        Q_EMIT app->window()->zoomChosen(1.5);
        ASSERT_TRUE(soon([&] { return views::theme().scale == 1.5; }));
        EXPECT_EQ(app->window()->commands().action("runs.undo")->text(), "Undo hiding of “first”");
        Q_EMIT app->window()->zoomChosen(1.0);
        ASSERT_TRUE(soon([&] { return views::theme().scale == 1.0; }));
        app->window()->close();
    }
    const auto app = open(restoring);
    EXPECT_EQ(app->session()->selection.hiddenRuns(), QStringList{kFirst});
    EXPECT_FALSE(app->window()->commands().action("runs.undo")->isEnabled())
        << "what was restored is no edit";
}

}  // namespace
}  // namespace kurve::studio
