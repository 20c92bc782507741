#include "views/runs/project_changes.h"

#include <gtest/gtest.h>

#include <QKeyEvent>
#include <fstream>

#include "core/store/project_revision.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"

namespace kurve::views {
namespace {

const char* const kRevision =
    R"({"commit":"1a2b3c4d5e6f","branch":"a<b","changed":["x.toml"],"untracked":["y.toml"],"complete":false})";

class ProjectChangesTest : public ::testing::Test {
protected:
    ProjectChangesTest() { test::guiApp(); }
    testing::TemporaryFolder run_;
};

TEST_F(ProjectChangesTest, ReadsTheDiffWhenItIsShown) {
    std::ofstream(run_.path() / store::kProjectDiffFile) << "diff --git a/x b/x\n-lr = 1\n+lr = 2\n";
    ProjectChanges changes;
    changes.setRun(run_.path(), kRevision);
    EXPECT_EQ(changes.toPlainText(), "") << "not shown yet";
    changes.show();
    EXPECT_EQ(changes.toPlainText(),
              "Untracked files:\n  y.toml\n\ndiff --git a/x b/x\n-lr = 1\n+lr = 2\n\n… "
              "truncated\n");
    changes.setRun(run_.path(), R"({"commit":"1a","changed":[],"untracked":[]})");
    EXPECT_EQ(changes.toPlainText(), "");
    QKeyEvent escape(QEvent::KeyPress, Qt::Key_Escape, Qt::NoModifier);
    QApplication::sendEvent(&changes, &escape);
    EXPECT_FALSE(changes.isVisible());
}

TEST_F(ProjectChangesTest, ReportsAMissingFile) {
    ProjectChanges changes;
    changes.show();
    changes.setRun(run_.path(), kRevision);
    EXPECT_TRUE(changes.toPlainText().contains("project.diff")) << changes.toPlainText().toStdString();
}

TEST_F(ProjectChangesTest, TheFactIsOneLine) {
    const QString text = projectRevisionText(kRevision);
    EXPECT_TRUE(text.startsWith("commit 1a2b3c4d on a&lt;b, ")) << text.toStdString();
    EXPECT_TRUE(text.contains("2 files changed") && text.contains(kProjectChangesLink)) << text.toStdString();
    EXPECT_EQ(projectRevisionText(R"({"commit":"1a2b3c4d5e6f","branch":""})"),
              "commit 1a2b3c4d, nothing changed");
    EXPECT_EQ(projectRevisionText(""), "");
    EXPECT_EQ(projectRevisionText("no json"), "");
}

}  // namespace
}  // namespace kurve::views
