#include "app/studio/window_commands.h"

#include <QDockWidget>
#include <QMenuBar>
#include <map>

#include "app/studio/guided_tour.h"
#include "app/studio/main_window.h"
#include "app/studio/reading_status.h"
#include "views/common/theme.h"

namespace kurve::studio {

using namespace views;

namespace {

constexpr double kLeastZoom = 1.0, kMostZoom = 3.0;

QString tr(const char* text) {
    return MainWindow::tr(text);
}

void addWorkspaces(MainWindow& window) {
    for (int i = 0; i < kWorkspaces; ++i) {
        const auto id = static_cast<WorkspaceId>(i);
        window.commands().add(
            {QStringLiteral("workspace.") + workspaceName(id),
             workspaceTitle(id).replace(QLatin1Char('&'), QStringLiteral("&&")), tr("View"),
             QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)), tr("Go to this workspace")},
            [&window, id] { window.openWorkspace(id); });
    }
}

void addFinders(MainWindow& window) {
    const QString view = tr("View");
    CommandRegistry& commands = window.commands();
    commands.add({"palette.open", tr("Command palette"), view, QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
                  tr("Find any action by typing")},
                 [&window] { window.finders().commands(); });
    commands.add({"palette.runs", tr("Go to run"), view, QKeySequence(Qt::CTRL | Qt::Key_P),
                  tr("Find a run by its name")},
                 [&window] { window.finders().runs(); });
    commands.add({"messages.open", tr("Messages"), view, QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M),
                  tr("What the status bar has said, the newest first")},
                 [&window] { window.finders().messages(); });
    commands.add({"focus.next", tr("Next area"), view, QKeySequence(Qt::CTRL | Qt::Key_Tab),
                  tr("Runs, centre, inspector, playhead")},
                 [&window] { window.focusNextArea(); });
}

void addZoom(MainWindow& window) {
    const QString view = tr("View");
    CommandRegistry& commands = window.commands();
    const double scale = theme().scale;  // the window is built anew when it changes
    commands.add({"zoom.in",
                  tr("Larger"),
                  view,
                  QKeySequence(Qt::CTRL | Qt::Key_Equal),
                  tr("Enlarge everything"),
                  {QKeySequence(Qt::CTRL | Qt::Key_Plus)}},
                 [&window, scale] {
                     Q_EMIT window.zoomChosen(std::min(kMostZoom, scale + (scale < 1.5 ? 0.1 : 0.25)));
                 });
    commands.add(
        {"zoom.out", tr("Smaller"), view, QKeySequence(Qt::CTRL | Qt::Key_Minus), tr("Shrink everything")},
        [&window, scale] {
            Q_EMIT window.zoomChosen(std::max(kLeastZoom, scale - (scale <= 1.5 ? 0.1 : 0.25)));
        });
    commands.add({"zoom.reset", tr("Normal size"), view, QKeySequence(Qt::CTRL | Qt::Key_0), tr("100 %")},
                 [&window] { Q_EMIT window.zoomChosen(kLeastZoom); });
}

void addThemes(MainWindow& window) {
    struct Choice {
        const char *id, *title;
        ThemeMode mode;
    };
    for (const auto& [id, title, mode] :
         {Choice{"theme.light", QT_TR_NOOP("Light theme"), ThemeMode::Light},
          Choice{"theme.dark", QT_TR_NOOP("Dark theme"), ThemeMode::Dark},
          Choice{"theme.contrast", QT_TR_NOOP("High-contrast theme"), ThemeMode::Contrast},
          Choice{"theme.system", QT_TR_NOOP("Theme of the system"), ThemeMode::System}})
        window.commands().add({QLatin1String(id), tr(title), tr("View"), {}, tr("Colours of the window")},
                              [&window, mode = mode] { Q_EMIT window.themeChosen(mode); });
}

void addLayout(MainWindow& window) {
    const QString menu = tr("Window");
    CommandRegistry& commands = window.commands();
    commands.add({"layout.reset", tr("Reset layout"), menu, {}, tr("Every panel back to its place")},
                 [&window] { window.resetLayout(); });
    commands.add({"side.runs", tr("Show or hide the runs"), menu, QKeySequence(Qt::CTRL | Qt::Key_B), {}},
                 [&window] { window.toggleSide(WindowFrame::Runs); });
    commands.add(
        {"side.inspector", tr("Show or hide the inspector"), menu, QKeySequence(Qt::CTRL | Qt::Key_I), {}},
        [&window] { window.toggleSide(WindowFrame::Inspector); });
}

void addHelp(MainWindow& window) {
    const QString menu = tr("Help");
    CommandRegistry& commands = window.commands();
    commands.add({"help.guide", tr("User guide"), menu, QKeySequence(Qt::SHIFT | Qt::Key_F1),
                  tr("How to train, look inside and compare")},
                 [&window] { window.showGuide(); });
    commands.add(
        {"help.tour", tr("Guided tour"), menu, {}, tr("Four stops: train, look inside, compare, your text")},
        [&window] { window.showTour(); });
    commands.add({"run.compare_reference",
                  tr("Compare with the reference run"),
                  tr("Run"),
                  {},
                  tr("The selected run and the one of its kind that came with Kurve")},
                 [&window] {
                     if (GuidedTour* tour = window.tour()) tour->compareWithReference();
                 });
    commands.add(
        {"help.keys", tr("Keys"), menu, QKeySequence(Qt::Key_F1), tr("The keys of the focused view")},
        [&window] { window.toggleKeys(); });
}

void addProject(MainWindow& window) {
    const QString menu = tr("Project");
    CommandRegistry& commands = window.commands();
    commands.add({"project.new", tr("New project…"), menu, QKeySequence(QKeySequence::New),
                  tr("A copy of a template: empty, the sample, or a study")},
                 [&window] { window.finders().newProject(); });
    commands.add({"project.open", tr("Open project…"), menu, QKeySequence(QKeySequence::Open),
                  tr("A folder with a project.toml")},
                 [&window] { window.finders().chooseProject(); });
    commands.add(
        {"project.recent", tr("Open recent project…"), menu, QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_O),
         tr("One of those opened lately, by its name")},
        [&window] { window.finders().projects(); });
    commands.add(
        {"project.import", tr("Import logs as runs…"), menu, QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O),
         tr("TensorBoard event files, CSV or JSON lines; or drop them on the window")},
        [&window] { window.exchange().askImport(); });
    commands.add({"data.import",
                  tr("Import text…"),
                  menu,
                  {},
                  tr("A TSV or parallel text files as a corpus, checked first; or drop them on the window")},
                 [&window] { window.openTextImport({}); });
    commands.add({"project.import_folder",
                  tr("Import a folder of event files…"),
                  menu,
                  {},
                  tr("Every folder below it that holds TensorBoard event files becomes a run")},
                 [&window] { window.exchange().askImportFolder(); });
    commands.add({"project.import_readable",
                  tr("Import what can be read"),
                  menu,
                  {},
                  tr("The files that the last import found damaged, without what cannot be read")},
                 [&window] { window.exchange().importReadable(); });
    commands.add(
        {"project.cancel_exchange", tr("Cancel the import or report"), menu, {}, tr("Nothing of it is kept")},
        [&window] { window.exchange().cancel(); });
    commands.add({"project.reading",
                  tr("Stop or go on reading the runs"),
                  menu,
                  {},
                  tr("Of a project that is opened for the first time; the newest are read first")},
                 [&window] { window.findChild<ReadingStatus*>()->toggle(); });
    commands.add({"app.quit", tr("Quit"), menu, QKeySequence(QKeySequence::Quit),
                  tr("Close the window; training goes on")},
                 [&window] { window.close(); });
}

}  // namespace

void addWindowCommands(MainWindow& window) {
    addWorkspaces(window);
    addFinders(window);
    addZoom(window);
    addThemes(window);
    addLayout(window);
    addHelp(window);
    addProject(window);
}

void fillMenus(QMenuBar& bar, const CommandRegistry& commands, const std::vector<QDockWidget*>& docks) {
    bar.clear();
    std::map<QString, QMenu*> menus;
    // The title as the bar shows it, with its key (Alt+P).
    for (const auto& [name, title] : {std::pair{tr("Project"), tr("&Project")},
                                      {tr("Edit"), tr("&Edit")},
                                      {tr("Run"), tr("&Run")},
                                      {tr("View"), tr("&View")},
                                      {tr("Playhead"), tr("Pla&yhead")},
                                      {tr("Window"), tr("&Window")},
                                      {tr("Help"), tr("&Help")}})
        menus[name] = bar.addMenu(title);
    for (const auto& entry : commands.entries()) {
        QMenu*& menu = menus[entry.command.category];
        if (!menu) {  // a panel's own: before Window and Help, which people look for at the end
            menu = new QMenu(entry.command.category, &bar);
            bar.insertMenu(menus[tr("Window")]->menuAction(), menu);
        }
        menu->addAction(entry.action);
    }
    QMenu* window = menus[tr("Window")];
    window->addSeparator();
    for (QDockWidget* dock : docks) window->addAction(dock->toggleViewAction());
}

}  // namespace kurve::studio
