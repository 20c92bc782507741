// One panel over the whole workspace, or over another.
#include <QApplication>
#include <QDockWidget>
#include <QTabBar>
#include <algorithm>
#include <utility>

#include "app/studio/window/workspace.h"

namespace kurve::studio {

void Workspace::toggleMaximised(QDockWidget& dock) {
    if (isMaximised()) {
        restoreState(std::exchange(unmaximised_, {}));
        moved_.stop();
        return resized_.start();  // the proportions are those of before
    }
    if (dock.isFloating()) return;
    layoutBefore_ = saveLayout();
    const QByteArray before = saveState();
    for (auto& [id, each] : docks_)
        if (each != &dock && !each->isFloating()) each->hide();
    unmaximised_ = before;
    moved_.stop();
}

void Workspace::maximiseTab(int index) {
    const auto* tabs = qobject_cast<QTabBar*>(sender());
    for (const auto& [id, each] : docks_)
        if (each->windowTitle() == tabs->tabText(index)) return toggleMaximised(*each);
}

void Workspace::replaceWhileEmpty(const views::Panel& panel) {
    const auto& kinds = panelKinds();
    const auto next = std::find_if(kinds.begin(), kinds.end(), [&](const PanelKind& kind) {
        return kind.placement == DockPlacement::Tab && kind.anchor == panel.panelId();
    });
    if (next == kinds.end()) return;
    connect(&panel, &views::Panel::availableChanged, this,
            [this, front = dock(panel.panelId()), other = next->id, replaced = false](bool on) mutable {
                QDockWidget* standIn = dock(other);
                if (standIn == nullptr || !tabifiedDockWidgets(front).contains(standIn)) return;
                if (!isInFront(on ? *standIn : *front) || (on && !replaced)) return;
                replaced = !on;
                (on ? front : standIn)->raise();
            });
}

QDockWidget* Workspace::currentDock() const {
    QDockWidget* shown = nullptr;
    for (const PanelKind& kind : panelKinds()) {
        QDockWidget* each = dock(kind.id);
        if (each == nullptr || !isInFront(*each)) continue;
        if (each->isAncestorOf(QApplication::focusWidget())) return each;
        if (shown == nullptr || each->height() > shown->height()) shown = each;
    }
    return shown;
}

}  // namespace kurve::studio
