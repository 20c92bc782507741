#include "app/studio/window/window_finders.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>

#include "app/studio/start/new_project_form.h"
#include "app/studio/window/finder.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

using views::describe;
using views::vboxIn;

namespace {

QString commandPrompt() {
    return WindowFinders::tr("Type a command");
}

}  // namespace

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
    newProject_->open({views::px(560), views::px(330)});
    newProject_->findChild<NewProjectForm*>()->open();
}

}  // namespace kurve::studio
