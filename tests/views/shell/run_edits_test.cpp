// What is done to runs of the list, where it cannot be written.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTest>

#include "core/store/detail/sqlite.h"
#include "core/store/run_writer.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/data/run_catalog.h"
#include "views/runs/run_annotations.h"
#include "views/runs/run_edits.h"

namespace kurve::views {
namespace {

/// One of the windows on a project.
struct Window {
    explicit Window(const store::Project& project) : catalog(project), edits(catalog, &project) {
        annotations.setNoteStore(edits.notes());
        QObject::connect(&annotations, &RunAnnotations::tagsChanged, &edits, &RunEdits::changeTags);
        QObject::connect(&catalog, &RunCatalog::runsChanged, &annotations,
                         [this] { annotations.setRun(catalog.run(shown)); });
    }
    /// Shows a run, once the runs are read.
    bool show(const QString& id) {
        shown = id;
        if (!soon([this] { return catalog.runs().size() == 2 && catalog.complete(); })) return false;
        annotations.setRun(catalog.run(id));
        return true;
    }
    template <class Holds>
    static bool soon(const Holds& holds) {
        return QTest::qWaitFor(holds, 30000);
    }
    [[nodiscard]] QString stored(const char* id) const {
        return QString::fromStdString(catalog.run(QLatin1String(id))->notes);
    }
    [[nodiscard]] std::vector<std::string> tags() const { return catalog.run(shown)->tags; }
    RunCatalog catalog;
    RunEdits edits;
    RunAnnotations annotations;
    QPlainTextEdit* notes = annotations.findChild<QPlainTextEdit*>("inspector.notes");
    QLineEdit* tagField = annotations.findChild<QLineEdit*>("inspector.tags");
    QLabel* state = annotations.findChild<QLabel*>("inspector.notes.state");
    QString shown;
};

class RunEditsTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        kurve::testing::writeSyntheticProject(folder.path());
        for (const char* id : {"one", "two"}) {
            auto run = *store::RunWriter::open(folder / "runs" / id);
            run->set("name", id);
            run->set("state", "completed");
        }
        project.emplace(*store::Project::open(folder.path()));
    }
    /// Edits of runs fail, as on a full disk.
    void fill(bool full) const {
        store::detail::Database other(folder / "index.db", store::detail::Access::Write);
        other.execute(
            full ? "CREATE TRIGGER full BEFORE UPDATE ON marks BEGIN SELECT RAISE(FAIL, 'disk full'); END"
                 : "DROP TRIGGER full");
    }
    kurve::testing::TemporaryFolder folder;
    std::optional<store::Project> project;
};

void type(QLineEdit* field, const char* text) {
    field->setText(QLatin1String(text));
    field->setModified(true);
    Q_EMIT field->editingFinished();
}

TEST_F(RunEditsTest, TagsOfTwoWindowsAreMerged) {
    Window mine(*project), theirs(*project);
    ASSERT_TRUE(mine.show("one"));
    ASSERT_TRUE(theirs.show("one"));
    type(mine.tagField, "good paper");
    type(theirs.tagField, "seed");
    const auto have = [](const Window& window, std::vector<std::string> tags) {
        return Window::soon([&] {
            auto now = window.tags();
            std::sort(now.begin(), now.end());
            return now == tags;
        });
    };
    EXPECT_TRUE(have(theirs, {"good", "paper", "seed"}));
    EXPECT_TRUE(have(mine, {"good", "paper", "seed"}));
    type(mine.tagField, "good seed");
    EXPECT_TRUE(have(mine, {"good", "seed"}));
    mine.edits.undo();
    mine.edits.undo();
    EXPECT_TRUE(have(mine, {"seed"})) << "undo reverts only the edits of this window";
}

TEST_F(RunEditsTest, EnterInTheTagsRestoresTheFocus) {
    Window window(*project);
    ASSERT_TRUE(window.show("one"));
    QLineEdit elsewhere;
    elsewhere.show();
    window.annotations.show();
    elsewhere.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&elsewhere));
    elsewhere.setFocus();
    window.annotations.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&window.annotations));
    window.notes->setFocus();
    window.annotations.editTags();
    ASSERT_TRUE(window.tagField->hasFocus());
    QTest::keyClicks(window.tagField, "good");
    QTest::keyClick(window.tagField, Qt::Key_Return);
    EXPECT_FALSE(window.tagField->hasFocus());
    EXPECT_TRUE(window.notes->hasFocus());
    EXPECT_TRUE(Window::soon([&] { return window.tags() == std::vector<std::string>{"good"}; }));
}

TEST_F(RunEditsTest, NotesOfTwoWindowsAreMergedAndUndone) {
    Window mine(*project), theirs(*project);
    ASSERT_TRUE(mine.show("one"));
    ASSERT_TRUE(theirs.show("one"));
    theirs.notes->setPlainText("seed 2");
    mine.notes->setPlainText("falls fast");
    ASSERT_TRUE(Window::soon([&] { return theirs.stored("one").count(QLatin1Char(10)) == 1; }))
        << theirs.stored("one").toStdString();
    const QString both = theirs.stored("one");
    EXPECT_TRUE(both.contains("seed 2"));
    EXPECT_TRUE(Window::soon([&] { return mine.notes->toPlainText() == both; }));
    EXPECT_TRUE(Window::soon([&] { return theirs.notes->toPlainText() == both; }));
    EXPECT_TRUE(!mine.state->isHidden() || !theirs.state->isHidden()) << "the second window shows a message";
    mine.edits.undo();
    EXPECT_TRUE(Window::soon([&] { return mine.stored("one") == "seed 2"; }))
        << mine.stored("one").toStdString();
    mine.edits.redo();
    EXPECT_TRUE(Window::soon([&] { return mine.stored("one").contains("falls fast"); }));
    EXPECT_TRUE(mine.stored("one").contains("seed 2"));
}

TEST_F(RunEditsTest, ConcurrentNotesAreMergedWhileTyping) {
    Window mine(*project);
    ASSERT_TRUE(mine.show("one"));
    mine.notes->setPlainText("a line");
    ASSERT_TRUE(Window::soon([&] { return mine.stored("one") == "a line"; }));
    mine.notes->appendPlainText("half of");
    mine.notes->moveCursor(QTextCursor::End);
    store::RunSummary theirs = *mine.catalog.run("one");
    theirs.notes = "their line\na line";
    mine.annotations.setRun(&theirs);
    mine.notes->insertPlainText(" another");
    EXPECT_EQ(mine.notes->toPlainText(), "their line\na line\nhalf of another");
}

TEST_F(RunEditsTest, NotesRefusedByAFullDiskStayInTheirFieldAndAreSavedLater) {
    QJsonObject saved;
    {
        Window window(*project);
        ASSERT_TRUE(window.show("one"));
        window.edits.star({"one"});
        ASSERT_TRUE(Window::soon([&] { return window.catalog.run("one")->starred; }));
        fill(true);
        QStringList reported;
        QObject::connect(&window.edits, &RunEdits::message, [&](const QString& text) { reported << text; });
        window.notes->setPlainText("what I saw");
        ASSERT_TRUE(Window::soon([&] { return !window.state->isHidden(); }));
        EXPECT_TRUE(window.state->text().contains("disk full")) << window.state->text().toStdString();
        EXPECT_EQ(reported.size(), 1) << reported.join('|').toStdString();
        EXPECT_EQ(window.edits.undoText(), "star of “one”") << "unsaved notes are no edit yet";
        ASSERT_TRUE(window.show("two"));
        EXPECT_TRUE(window.state->isHidden());
        EXPECT_EQ(window.notes->toPlainText(), "");
        ASSERT_TRUE(window.show("one"));
        EXPECT_EQ(window.notes->toPlainText(), "what I saw");
        EXPECT_FALSE(window.state->isHidden());
        fill(false);
        ASSERT_TRUE(Window::soon([&] { return window.stored("one") == "what I saw"; }));
        EXPECT_TRUE(window.state->isHidden());
        EXPECT_EQ(window.edits.undoText(), "notes on “one”");
        fill(true);
        window.notes->appendPlainText("more");
        ASSERT_TRUE(Window::soon([&] { return window.edits.notes().anyRefused(); }));
        saved = window.edits.notes().save();
    }
    fill(false);
    Window later(*project);
    later.edits.notes().restore(saved);
    ASSERT_TRUE(later.show("one"));
    EXPECT_TRUE(Window::soon([&] { return later.stored("one") == "what I saw\nmore"; }));
    EXPECT_TRUE(Window::soon([&] { return later.notes->toPlainText() == "what I saw\nmore"; }));
    EXPECT_TRUE(later.edits.notes().save().isEmpty());
}

TEST_F(RunEditsTest, TheLastNoteBeforeTheWindowClosesIsWritten) {
    qputenv("QT_NO_GLIB", "1");  // the other kind of event loop, whose end is more sudden
    for (int i = 0; i < 10; ++i) {
        Window window(*project);
        ASSERT_TRUE(window.show("two"));
        ASSERT_EQ(window.notes->toPlainText(), i == 0 ? QString() : QString::number(i - 1));
        window.notes->setPlainText(QString::number(i));
        window.annotations.finish();
    }
    qunsetenv("QT_NO_GLIB");
}

TEST_F(RunEditsTest, ARunThatTheQueueNeedsIsNotThrownAway) {
    RunCatalog catalog(*project);
    RunEdits edits(catalog, &*project);
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == 2 && catalog.complete(); }, 30000));
    QString said;
    QObject::connect(&edits, &RunEdits::message, [&](const QString& text) { said = text; });
    int asked = 0;
    edits.setNeededRuns([&] {
        ++asked;
        return std::map<QString, QStringList>{{"two", {"tiny"}}};
    });
    edits.trash({"one", "two"}, true);
    EXPECT_EQ(asked, 1) << "not once for each run: it reads every queued experiment";
    EXPECT_TRUE(said.contains("“two”") && said.contains("tiny")) << said.toStdString();
    EXPECT_EQ(edits.undoText(), "");
    edits.trash({"one"}, true);
    EXPECT_TRUE(QTest::qWaitFor([&] { return catalog.run("one")->trashed; }, 30000));
    edits.trash({"two"}, false);
    EXPECT_EQ(edits.undoText(), "restoring of “two”") << "that is always possible";
}

TEST_F(RunEditsTest, AFailedWriteIsReportedAndIsNoEdit) {
    RunCatalog catalog(*project);
    RunEdits edits(catalog, &*project);
    ASSERT_TRUE(QTest::qWaitFor([&] { return catalog.runs().size() == 2 && catalog.complete(); }, 30000));
    const auto starred = [&](const char* id) { return catalog.run(id)->starred; };
    edits.star({"one"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return starred("one"); }, 30000));
    fill(true);
    QString reported;
    QObject::connect(&edits, &RunEdits::message, [&](const QString& text) { reported = text; });
    const auto fails = [&](const auto& action) {
        reported.clear();
        action();
        return QTest::qWaitFor([&] { return reported.contains("disk full"); }, 30000);
    };
    EXPECT_TRUE(fails([&] { edits.trash({"one", "two"}, true); }));
    EXPECT_TRUE(QTest::qWaitFor([&] { return edits.undoText() == "star of “one”"; }, 30000))
        << edits.undoText().toStdString();
    EXPECT_EQ(edits.redoText(), "") << "it was not executed";
    EXPECT_TRUE(fails([&] { edits.undo(); }));
    EXPECT_EQ(edits.undoText(), "star of “one”") << "it still is";
    EXPECT_EQ(edits.redoText(), "");
    fill(false);
    edits.undo();
    EXPECT_TRUE(QTest::qWaitFor([&] { return !starred("one"); }, 30000));
    EXPECT_EQ(edits.redoText(), "star of “one”");
}

}  // namespace
}  // namespace kurve::views
