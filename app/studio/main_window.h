#pragma once

#include <QMainWindow>
#include <array>
#include <map>
#include <vector>

#include "app/studio/overlay.h"
#include "app/studio/playhead_bar.h"
#include "app/studio/project_session.h"
#include "app/studio/studio_options.h"
#include "app/studio/workspace.h"

class QLabel;
class QPushButton;
class QSplitter;
class QStackedWidget;

namespace kurve::views {
class InspectorPanel;
class LaunchPanel;
class RunsPanel;
}  // namespace kurve::views

namespace kurve::studio {

/// The window of one project: composition root. It makes the frame and the panels and connects intents to the
/// session; it holds no state of its own worth keeping, so that a change of zoom may build it anew.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    MainWindow(ProjectSession& session, const StudioOptions& options);
    ~MainWindow() override;

    void openWorkspace(WorkspaceId id);
    /// Gives the sides their width for the window's present size.
    void arrangeFrame();
    [[nodiscard]] Workspace& workspace(WorkspaceId id) const {
        return *workspaces_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] views::CommandRegistry& commands() { return commands_; }
    [[nodiscard]] views::RunsPanel& runs() { return *runs_; }
    [[nodiscard]] views::InspectorPanel& inspector() { return *inspector_; }
    void say(const QString& text);
    /// Reads a trace of a run on a worker and shows it; `file` is relative to the run's folder.
    void openTrace(const QString& runId, const QString& file);

    void showTrace(std::shared_ptr<const trace::Trace> trace);

Q_SIGNALS:
    void projectChosen(const QString& folder);
    void zoomChosen(double scale);
    void themeChosen(kurve::views::ThemeMode mode);

protected:
    void closeEvent(QCloseEvent* event) override;

private:
    [[nodiscard]] views::StudioContext context();
    void buildFrame();
    QWidget* buildHeader();
    void buildStatusBar();
    void registerProjectCommands();
    void registerRunCommands();
    void registerViewCommands();
    void buildMenus();
    void fillWindowMenu();
    void wire(views::Panel* panel);
    void connectSession();
    void openNewestTrace();
    void startTraining();
    void updateRun();
    void updateProgress();
    void updateMemory();
    void openPalette();
    void openRunFinder();
    void cycleFocus();
    void restoreSession();
    void saveLayout();

    ProjectSession& session_;
    views::CommandRegistry commands_;
    views::RunsPanel* runs_ = nullptr;
    views::InspectorPanel* inspector_ = nullptr;
    views::LaunchPanel* launch_ = nullptr;
    PlayheadBar* playheadBar_ = nullptr;
    std::array<Workspace*, kWorkspaces> workspaces_{};
    std::array<QPushButton*, kWorkspaces> tabs_{};
    QStackedWidget* centre_ = nullptr;
    QSplitter* splitter_ = nullptr;
    QLabel *live_ = nullptr, *message_ = nullptr, *progress_ = nullptr, *memory_ = nullptr, *saved_ = nullptr;
    Palette* palette_ = nullptr;
    HelpOverlay* help_ = nullptr;
    QMenu* windowMenu_ = nullptr;
    QTimer clock_, saveLayout_, forget_;
    bool restoring_ = true;
};

}  // namespace kurve::studio
