#include "app/studio/window/window_commands.h"

#include <algorithm>

#include "app/studio/tour/guided_tour.h"
#include "app/studio/window/main_window.h"
#include "app/studio/window/reading_status.h"
#include "views/common/shell/command_registry.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

using namespace views;

namespace {

constexpr double kLeastZoom = 1.0, kMostZoom = 3.0;

QString tr(const char* text) {
    return MainWindow::tr(text);
}

void addWorkspaces(MainWindow& window) {
    const CommandGroup add(&window.commands(), tr("View"), nullptr, "workspace.");
    for (int i = 0; i < kWorkspaces; ++i) {
        const auto id = static_cast<WorkspaceId>(i);
        add(workspaceName(id), workspaceTitle(id).replace(QLatin1Char('&'), QStringLiteral("&&")),
            Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i), tr("Open this workspace"),
            [&window, id] { window.openWorkspace(id); });
    }
}

void addFinders(MainWindow& window) {
    const CommandGroup add(&window.commands(), tr("View"));
    add("palette.open", tr("Command palette"), Qt::CTRL | Qt::SHIFT | Qt::Key_P, tr("Find a command by name"),
        [&window] { window.finders().commands(); });
    add("palette.runs", tr("Go to run"), Qt::CTRL | Qt::Key_P, tr("Find a run by its name"),
        [&window] { window.finders().runs(); });
    add("messages.open", tr("Messages"), Qt::CTRL | Qt::SHIFT | Qt::Key_M,
        tr("Messages of the status bar, newest first"), [&window] { window.finders().messages(); });
    add("focus.next", tr("Next area"), Qt::CTRL | Qt::Key_Tab,
        tr("Move the focus: runs, workspace, inspector, playhead"), [&window] { window.focusNextArea(); });
}

void addZoom(MainWindow& window) {
    const QString view = tr("View");
    CommandRegistry& commands = window.commands();
    const double scale = theme().scale;  // the window is built anew when it changes
    commands.add({"zoom.in",
                  tr("Enlarge interface"),
                  view,
                  QKeySequence(Qt::CTRL | Qt::Key_Equal),
                  tr("Increase the size of text and controls"),
                  {QKeySequence(Qt::CTRL | Qt::Key_Plus)}},
                 [&window, scale] {
                     Q_EMIT window.zoomChosen(std::min(kMostZoom, scale + (scale < 1.5 ? 0.1 : 0.25)));
                 });
    const CommandGroup add(&commands, view);
    add("zoom.out", tr("Shrink interface"), Qt::CTRL | Qt::Key_Minus,
        tr("Decrease the size of text and controls"), [&window, scale] {
            Q_EMIT window.zoomChosen(std::max(kLeastZoom, scale - (scale <= 1.5 ? 0.1 : 0.25)));
        });
    add("zoom.reset", tr("Reset interface size"), Qt::CTRL | Qt::Key_0, tr("100 %"),
        [&window] { Q_EMIT window.zoomChosen(kLeastZoom); });
}

void addThemes(MainWindow& window) {
    const CommandGroup group(&window.commands(), tr("View"));
    const auto add = [&](const char* id, const QString& title, ThemeMode mode) {
        group(id, title, {}, tr("Window colours"), [&window, mode] { Q_EMIT window.themeChosen(mode); });
    };
    add("theme.light", tr("Light theme"), ThemeMode::Light);
    add("theme.dark", tr("Dark theme"), ThemeMode::Dark);
    add("theme.contrast", tr("High-contrast theme"), ThemeMode::Contrast);
    add("theme.system", tr("System theme"), ThemeMode::System);
}

void addLayout(MainWindow& window) {
    const CommandGroup add(&window.commands(), tr("Window"));
    add("layout.reset", tr("Reset layout"), {}, tr("Move every panel to its default position"),
        [&window] { window.resetLayout(); });
    add("panel.maximise", tr("Maximise / restore panel"), Qt::Key_F11,
        tr("Give the focused panel the whole workspace; a double click on its title does the same"),
        [&window] { window.toggleMaximised(); });
    add("side.runs", tr("Show / hide run list"), Qt::CTRL | Qt::Key_B, {},
        [&window] { window.toggleSide(WindowFrame::Runs); });
    add("side.inspector", tr("Show / hide inspector"), Qt::CTRL | Qt::Key_I, {},
        [&window] { window.toggleSide(WindowFrame::Inspector); });
}

void addHelp(MainWindow& window) {
    const CommandGroup add(&window.commands(), tr("Help"));
    add("help.guide", tr("User guide"), Qt::SHIFT | Qt::Key_F1, tr("How to train, inspect and compare"),
        [&window] { window.showGuide(); });
    add("help.tour", tr("Guided tour"), {}, tr("Four steps: train, inspect, compare, import text"),
        [&window] { window.showTour(); });
    const CommandGroup addRun(&window.commands(), tr("Run"));
    addRun("run.compare_reference", tr("Compare with reference run"), {},
           tr("Select this run and the most similar bundled run"), [&window] {
               if (GuidedTour* tour = window.tour()) tour->compareWithReference();
           });
    add("help.shortcuts", tr("Keyboard shortcuts"), Qt::Key_F1,
        tr("Shortcuts of the focused view and of the window"), [&window] { window.toggleKeys(); });
}

void addProject(MainWindow& window) {
    const CommandGroup add(&window.commands(), tr("Project"));
    add("project.new", tr("New project…"), QKeySequence::New, tr("From a template: empty, sample, or study"),
        [&window] { window.finders().newProject(); });
    add("project.open", tr("Open project…"), QKeySequence::Open, tr("A folder with a project.toml"),
        [&window] { window.finders().chooseProject(); });
    add("project.recent", tr("Open recent project…"), Qt::CTRL | Qt::ALT | Qt::Key_O,
        tr("Choose a recently opened project"), [&window] { window.finders().projects(); });
    add("project.import", tr("Import logs as runs…"), Qt::CTRL | Qt::SHIFT | Qt::Key_O,
        tr("TensorBoard event files, CSV or JSON lines; dropping them on the window also works"),
        [&window] { window.exchange().askImport(); });
    add("data.import", tr("Import text…"), {},
        tr("A TSV or parallel text files as a corpus; dropping them on the window also works"),
        [&window] { window.openTextImport({}); });
    add("project.import_folder", tr("Import folder of event files…"), {},
        tr("Each subfolder with TensorBoard event files becomes a run"),
        [&window] { window.exchange().askImportFolder(); });
    add("project.import_model", tr("Import model…"), {},
        tr("A folder of published weights (config.json, safetensors, tokenizer) as a run"),
        [&window] { window.exchange().askImportModel(); });
    add("project.import_readable", tr("Import readable entries"), {},
        tr("Import the damaged files of the last import, without their damaged entries"),
        [&window] { window.exchange().importReadable(); });
    add("project.cancel_exchange", tr("Cancel import or report"), {}, tr("Discard partial results"),
        [&window] { window.exchange().cancel(); });
    add("project.reading", tr("Pause / resume reading runs"), {},
        tr("Of a project that is opened for the first time; newest runs first"),
        [&window] { window.findChild<ReadingStatus*>()->toggle(); });
    add("project.machines", tr("Machines…"), {},
        tr("Other machines that train for this project: add, check, follow their runs"),
        [&window] { window.showMachines(); });
    add("app.quit", tr("Quit"), QKeySequence::Quit, tr("Close the window; training continues"),
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

}  // namespace kurve::studio
