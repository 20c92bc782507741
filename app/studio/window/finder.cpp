#include "app/studio/window/finder.h"

#include <QSettings>

#include "core/store/project.h"
#include "views/common/text/format.h"

namespace kurve::studio {

using namespace views;

namespace {

/// The panel that a command acts in, if it is not visible.
const Panel* hiddenPanelOf(const QWidget* scope) {
    if (scope == nullptr || (scope->isVisible() && !scope->visibleRegion().isEmpty())) return nullptr;
    while (scope != nullptr && qobject_cast<const Panel*>(scope) == nullptr) scope = scope->parentWidget();
    return static_cast<const Panel*>(scope);
}

}  // namespace

std::vector<Palette::Item> commandItems(const CommandRegistry& commands, const ShowPanel& show) {
    std::vector<Palette::Item> items;
    for (const auto& entry : commands.entries()) {
        QAction* action = entry.action;
        if (!action->isEnabled() && entry.refusal.isEmpty()) continue;
        const Command& command = entry.command;
        items.push_back({action->text().replace(QStringLiteral("&&"), QStringLiteral("&")), command.help,
                         action->shortcut().toString(QKeySequence::NativeText),
                         command.title + QLatin1Char(' ') + command.category,
                         [action, show, scope = entry.scope] {
                             if (const Panel* hidden = hiddenPanelOf(scope)) show(hidden->panelId());
                             action->trigger();
                         },
                         entry.refusal});
    }
    return items;
}

std::vector<Palette::Item> panelItems(const ShowPanel& show) {
    std::vector<Palette::Item> items;
    for (const PanelKind& kind : panelKinds()) {
        const QString where = QObject::tr("Panel in %1").arg(workspaceTitle(kind.workspace));
        items.push_back({kind.title, where, {}, kind.title + QLatin1Char(' ') + where, [show, id = kind.id] {
                             show(id);
                         }});
    }
    return items;
}

std::vector<Palette::Item> runItems(const RunCatalog& catalog, Selection& selection) {
    std::vector<Palette::Item> items;
    const auto& runs = catalog.runs();
    for (auto it = runs.rbegin(); it != runs.rend(); ++it) {
        if (it->trashed) continue;
        const QString id = QString::fromStdString(it->id),
                      name = QString::fromStdString(it->name.empty() ? it->id : it->name);
        items.push_back(
            {name,
             QStringLiteral("%1 · %2").arg(QString::fromStdString(it->family), stateStyle(it->state).text),
             momentText(it->started), name + QLatin1Char(' ') + id,
             [&selection, id] { selection.setRuns({id}); }});
    }
    return items;
}

std::vector<Palette::Item> projectItems(const std::filesystem::path& current,
                                        const std::function<void(const QString&)>& open) {
    std::vector<Palette::Item> items;
    for (const QString& folder : QSettings().value(QStringLiteral("recent")).toStringList()) {
        if (folder.toStdString() == current.string()) continue;
        const auto project = store::Project::open(folder.toStdString());
        if (!project) continue;  // moved or deleted since
        const QString name = QString::fromStdString(project->name());
        items.push_back(
            {name, folder, {}, name + QLatin1Char(' ') + folder, [open, folder] { open(folder); }});
    }
    return items;
}

}  // namespace kurve::studio
