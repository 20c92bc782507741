#include "app/studio/window/window_finders.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QSettings>

#include "app/studio/panels.h"
#include "app/studio/start/new_project_form.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

using namespace views;

namespace {

using ShowPanel = std::function<void(const QString& panel)>;

/// The panel that a command acts in, if it is not visible.
const Panel* hiddenPanelOf(const QWidget* scope) {
    if (scope == nullptr || (scope->isVisible() && !scope->visibleRegion().isEmpty())) return nullptr;
    while (scope != nullptr && qobject_cast<const Panel*>(scope) == nullptr) scope = scope->parentWidget();
    return static_cast<const Panel*>(scope);
}

/// Every command; unavailable ones with the reason. One of a view that is not visible calls `show` first.
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

/// Every panel of the window; choosing one calls `show`.
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

/// Every run that is not in the trash, the newest first; choosing one selects it.
std::vector<Palette::Item> runItems(const RunCatalog& catalog, Selection& selection) {
    std::vector<Palette::Item> items;
    const auto& runs = catalog.runs();
    for (auto it = runs.rbegin(); it != runs.rend(); ++it) {
        if (it->trashed) continue;
        const QString id = QString::fromStdString(it->id), name = runName(*it);
        items.push_back(
            {name,
             QStringLiteral("%1 · %2").arg(QString::fromStdString(it->family), stateStyle(it->state).text),
             momentText(it->started), name + QLatin1Char(' ') + id,
             [&selection, id] { selection.setRuns({id}); }});
    }
    return items;
}

QString commandPrompt() {
    return WindowFinders::tr("Type a command");
}

}  // namespace

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

WindowFinders::WindowFinders(const Parts& parts, ProjectSession& session) : parts_(parts), session_(session) {
    more_.setInterval(0);
    connect(&more_, &QTimer::timeout, this, &WindowFinders::findMore);
}

std::vector<Palette::Item> WindowFinders::allCommands() {
    const ShowPanel show = [this](const QString& panel) { Q_EMIT panelChosen(panel); };
    auto items = commandItems(parts_.commands, show);
    auto panels = panelItems(show);
    std::move(panels.begin(), panels.end(), std::back_inserter(items));
    return items;
}

void WindowFinders::commands() {
    parts_.palette.choose(commandPrompt(), allCommands());
    more_.start();
}

/// A workspace registers its commands when its panels are made, usually when it is first opened. Here they
/// are made one workspace after the other, without blocking typing.
void WindowFinders::findMore() {
    const bool open = parts_.palette.isVisible() && parts_.palette.prompt() == commandPrompt();
    if (!open || !parts_.makeMore()) return more_.stop();
    parts_.palette.replace(allCommands());
}

void WindowFinders::runs() {
    parts_.palette.choose(tr("Run name"), runItems(session_.catalog, session_.selection));
}

void WindowFinders::messages() {
    std::vector<Palette::Item> items;
    const auto& all = parts_.status.messages();
    for (auto message = all.rbegin(); message != all.rend(); ++message)
        items.push_back({message->text,
                         {},
                         message->when.toString(QStringLiteral("HH:mm:ss")),
                         message->text,
                         [text = message->text] { QApplication::clipboard()->setText(text); }});
    parts_.palette.choose(tr("Messages, newest first; Enter copies"), std::move(items));
}

void WindowFinders::projects() {
    auto items =
        projectItems(session_.project().folder(), [this](const QString& f) { Q_EMIT projectChosen(f); });
    items.push_back(
        {tr("Open folder…"), tr("with a project.toml"), {}, tr("Open folder"), [this] { chooseProject(); }});
    parts_.palette.choose(tr("Project name"), std::move(items));
}

void WindowFinders::chooseProject() {
    auto* dialog = new QFileDialog(&parts_.window, tr("Open project"));
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, &WindowFinders::projectChosen);
    dialog->open();
}

void WindowFinders::newProject() {
    if (newProject_ == nullptr) {
        newProject_ = describe(new Overlay(&parts_.window), "new.card", tr("New project"));
        auto* form = new NewProjectForm;
        vboxIn(newProject_, {form});
        connect(form, &NewProjectForm::closed, newProject_, &Overlay::close);
        connect(form, &NewProjectForm::made, this, [this](const QString& folder) {
            newProject_->close();
            Q_EMIT projectChosen(folder);
        });
    }
    newProject_->open({px(560), px(330)});
    newProject_->findChild<NewProjectForm*>()->open();
}

}  // namespace kurve::studio
