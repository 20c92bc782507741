// The menus of the window: few entries in each, none twice, and every command in one of them.
#include <gtest/gtest.h>

#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QTableView>
#include <map>
#include <set>

#include "tests/app/studio/window_fixture.h"
#include "views/runs/run_actions.h"
#include "views/runs/runs_panel.h"

namespace kurve::studio {
namespace {

constexpr int kMostEntries = 12;

/// Checks a menu and its submenus; collects the actions.
void checkMenu(const QList<QAction*>& entries, const QString& path, std::set<QAction*>& found) {
    int count = 0;
    std::set<QString> texts;
    for (QAction* entry : entries) {
        if (entry->isSeparator()) continue;
        ++count;
        EXPECT_TRUE(texts.insert(entry->text()).second)
            << path.toStdString() << ": twice: " << entry->text().toStdString();
        if (entry->menu() != nullptr)
            checkMenu(entry->menu()->actions(), path + QLatin1Char('/') + entry->text(), found);
        else
            EXPECT_TRUE(found.insert(entry).second) << entry->objectName().toStdString();
    }
    EXPECT_LE(count, kMostEntries) << path.toStdString();
    EXPECT_GT(count, 0) << path.toStdString();
}

TEST_F(WindowTest, MenusAreShortAndHaveEveryCommandOnce) {
    const auto app = open();
    MainWindow& window = *app->window();
    for (int i = 0; i < kWorkspaces; ++i) window.openWorkspace(static_cast<WorkspaceId>(i));
    std::set<QAction*> found;
    checkMenu(window.menuBar()->actions(), QStringLiteral("menu bar"), found);
    for (const auto& entry : window.commands().entries())
        EXPECT_EQ(found.count(entry.action), 1U) << entry.command.id.toStdString();
    for (const PanelKind& kind : panelKinds())
        EXPECT_EQ(found.count(window.workspace(kind.workspace).dock(kind.id)->toggleViewAction()), 1U)
            << kind.id.toStdString();
}

TEST_F(WindowTest, MenusOfRunsHaveTheOrderOfTheTable) {
    const auto app = open();
    MainWindow& window = *app->window();
    std::map<QMenu*, qsizetype> last;
    for (int i = 0; i < views::kRunActions; ++i) {
        const auto* entry =
            window.commands().entry(QLatin1String(views::commandOf(static_cast<views::RunAction>(i))));
        ASSERT_NE(entry, nullptr) << i;
        for (QMenu* menu : window.menuBar()->findChildren<QMenu*>()) {
            const qsizetype place = menu->actions().indexOf(entry->action);
            if (place < 0) continue;
            EXPECT_GE(place, last[menu]) << entry->command.id.toStdString();
            last[menu] = place;
        }
    }
}

TEST_F(WindowTest, TheContextMenuOfARunIsShort) {
    const auto app = open();
    auto& runs = panelOf<views::RunsPanel>(*app, "runs");
    app->session()->selection.setRuns({"20261120-100000-0001"});
    Q_EMIT runs.table()->customContextMenuRequested({5, 5});
    auto* menu = runs.findChild<QMenu*>("runs.menu");
    ASSERT_NE(menu, nullptr);
    std::set<QAction*> found;
    checkMenu(menu->actions(), QStringLiteral("run"), found);
    menu->close();
}

}  // namespace
}  // namespace kurve::studio
