#include "app/studio/window/menu_bar.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <map>

#include "views/runs/run_actions.h"

namespace kurve::studio {

using views::CommandRegistry;

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("menus", text);
}

/// The menu of the commands whose ids begin so, by its titles from the menu bar on; the longest prefix
/// counts. Commands without an entry are in the menu of their category.
struct Location {
    const char *prefix, *path;
};
constexpr Location kLocations[] = {
    {"runs.", "Run/Run list"},
    {"runs.undo", "Edit"},
    {"runs.redo", "Edit"},
    {"runs.filter", "Edit"},
    {"runs.group_", "View/Group runs"},
    {"disk.", "Run/Run list/Trash"},
    {"run.compare_reference", "Run/Selected run"},
    {"launch.", "Run/Draft"},
    {"spline.", "Run/Draft"},
    {"prompt.", "Run/Prompt"},
    {"prompt.beside", "Run/Prompt/Recorded traces"},
    {"prompt.trash", "Run/Prompt/Recorded traces"},
    {"prompt.requested_", "Run/Prompt/Requested traces"},
    {"corpus.", "Run/Prompt"},
    {"workspace.", "View/Workspace"},
    {"zoom.", "View/Appearance"},
    {"theme.", "View/Appearance"},
    {"monitor.", "View/Training"},
    {"samples.", "View/Training"},
    {"alerts.", "View/Training"},
    {"compare.", "View/Compare"},
    {"query.", "View/Compare"},
    {"curve.", "View/Inspect/Curve"},
    {"curve.turn_", "View/Inspect/Curve/Rotate"},
    {"curve.control_", "View/Inspect/Curve/Control points"},
    {"curve.nudge_", "View/Inspect/Curve/Control points"},
    {"curve.branch", "View/Inspect/Curve/Control points"},
    {"curve.restore", "View/Inspect/Curve/Control points"},
    {"curve.layer.", "View/Inspect/Curve/Layers"},
    {"curve.unlink", "Playhead/Display"},
    {"similarity.", "View/Inspect/Similarity"},
    {"similarity.layer_", "View/Inspect/Similarity/Matrix"},
    {"similarity.step_", "View/Inspect/Similarity/Matrix"},
    {"similarity.cell_", "View/Inspect/Similarity/Matrix"},
    {"similarity.zoom_", "View/Inspect/Similarity/Matrix"},
    {"similarity.unlink", "Playhead/Display"},
    {"candidates.", "View/Inspect/Candidates"},
    {"autoencoder.", "View/Data & Schedule"},
    {"timeline.export", "View/Inspect/Export trace"},
    {"timeline.unlink", "Playhead/Display"},
    {"timeline.measure", "Playhead/Display"},
    {"timeline.grid", "Playhead/Display"},
    {"timeline.open_unit", "Playhead/Display"},
    {"timeline.close_unit", "Playhead/Display"},
    {"timeline.back10", "Playhead/Go to"},
    {"timeline.forward10", "Playhead/Go to"},
    {"timeline.position_", "Playhead/Go to"},
    {"timeline.next_", "Playhead/Go to"},
    {"timeline.previous_", "Playhead/Go to"},
    {"timeline.find", "Playhead/Go to"},
    {"timeline.loop_", "Playhead/Playback"},
    {"timeline.speed", "Playhead/Playback"},
    {"timeline.train_", "Playhead/Training"},
    {"timeline.pin", "Playhead/Compare"},
    {"timeline.compare", "Playhead/Compare"},
    {"timeline.swap", "Playhead/Compare"},
    {"timeline.link", "Playhead/Compare"},
    {"intervention.", "Playhead/Intervention"},
    {"frontier.sweep", "Frontier/Sweep"},
    {"frontier.pause", "Frontier/Sweep"},
    {"frontier.cancel", "Frontier/Sweep"},
    {"frontier.estimate", "Frontier/Sweep"},
    {"frontier.use_", "Frontier/Use settings"},
    {"frontier.slice_", "Frontier/Cursor"},
    {"frontier.level_", "Frontier/Cursor"},
    {"schedule.undo", "Schedule/Edit"},
    {"schedule.redo", "Schedule/Edit"},
    {"schedule.add", "Schedule/Edit"},
    {"schedule.remove", "Schedule/Edit"},
    {"schedule.export_", "Schedule/Export"},
    {"schedule.copy", "Schedule/Export"},
    {"layout.", "Window/Layout"},
};

QString pathOf(const views::Command& command) {
    const Location* best = nullptr;
    std::size_t length = 0;
    for (const Location& one : kLocations) {
        const QLatin1String prefix(one.prefix);
        if (!command.id.startsWith(prefix) || static_cast<std::size_t>(prefix.size()) <= length) continue;
        best = &one;
        length = static_cast<std::size_t>(prefix.size());
    }
    return best != nullptr ? QLatin1String(best->path) : command.category;
}

/// The menus of a bar by their paths, made when they are first used.
class Menus {
public:
    explicit Menus(QMenuBar& bar) : bar_(bar) {
        // The title as the bar shows it, with its key (Alt+P).
        for (const auto& [path, title] : {std::pair{"Project", tr("&Project")},
                                          {"Edit", tr("&Edit")},
                                          {"Run", tr("&Run")},
                                          {"View", tr("&View")},
                                          {"Playhead", tr("Pla&yhead")},
                                          {"Window", tr("&Window")},
                                          {"Help", tr("&Help")}})
            menus_[QLatin1String(path)] = bar.addMenu(title);
    }
    QMenu& at(const QString& path) {
        QMenu*& menu = menus_[path];
        if (menu != nullptr) return *menu;
        const qsizetype slash = path.lastIndexOf(QLatin1Char('/'));
        if (slash >= 0)
            return *(menu = at(path.left(slash)).addMenu(tr(path.mid(slash + 1).toUtf8().constData())));
        menu =
            new QMenu(path, &bar_);  // of a panel: before Window and Help, which are the last by convention
        bar_.insertMenu(menus_[QStringLiteral("Window")]->menuAction(), menu);
        return *menu;
    }

private:
    QMenuBar& bar_;
    std::map<QString, QMenu*> menus_;
};

}  // namespace

void fillMenus(QMenuBar& bar, const CommandRegistry& commands, const std::vector<DockEntry>& docks) {
    for (QMenu* old : bar.findChildren<QMenu*>(QString(), Qt::FindDirectChildrenOnly)) old->deleteLater();
    bar.clear();
    Menus menus(bar);
    for (int i = 0; i < views::kRunActions; ++i) {
        const QLatin1String id(views::commandOf(static_cast<views::RunAction>(i)));
        if (const auto* entry = commands.entry(id))
            menus.at(QLatin1String(views::menuOf(id))).addAction(entry->action);
    }
    for (const auto& entry : commands.entries())
        if (views::menuOf(entry.command.id) == nullptr)
            menus.at(pathOf(entry.command)).addAction(entry.action);
    menus.at(QStringLiteral("Window")).addSeparator();
    for (const DockEntry& entry : docks) {
        QString title = entry.workspace;
        menus.at(tr("Window/%1 panels").arg(title.replace(QLatin1Char('&'), QLatin1String("&&"))))
            .addAction(entry.dock->toggleViewAction());
    }
}

}  // namespace kurve::studio
