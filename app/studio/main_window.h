#pragma once

#include <QMainWindow>
#include <QPointer>
#include <array>
#include <memory>

#include "app/studio/draft_actions.h"
#include "app/studio/exchange_service.h"
#include "app/studio/last_location.h"
#include "app/studio/layout_actions.h"
#include "app/studio/layout_store.h"
#include "app/studio/overlay.h"
#include "app/studio/playhead_bar.h"
#include "app/studio/project_session.h"
#include "app/studio/run_actions.h"
#include "app/studio/status_line.h"
#include "app/studio/studio_options.h"
#include "app/studio/trace_opener.h"
#include "app/studio/view_actions.h"
#include "app/studio/window_finders.h"
#include "app/studio/window_frame.h"
#include "app/studio/window_header.h"
#include "app/studio/workspace.h"
#include "views/guide/key_bindings.h"

class QStackedWidget;

namespace kurve::views {
class InspectorPanel;
class LaunchPanel;
}  // namespace kurve::views

namespace kurve::studio {

class GuidedTour;
class NoticeList;

/// The window of one project: composition root. It makes the parts and connects intents to the session; it
/// holds no persistent state of its own, so that a change of zoom may rebuild it.
class MainWindow : public QMainWindow {
    Q_OBJECT
public:
    MainWindow(ProjectSession& session, const StudioOptions& options);
    ~MainWindow() override;

    [[nodiscard]] Workspace& workspace(WorkspaceId id) const {
        return *workspaces_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] views::CommandRegistry& commands() { return commands_; }
    [[nodiscard]] ViewActions& viewActions() { return *viewActions_; }
    [[nodiscard]] ExchangeService& exchange() { return *exchange_; }
    [[nodiscard]] DraftActions& draftActions() { return draft_; }
    /// What the palette finds.
    [[nodiscard]] WindowFinders& finders() { return *finders_; }
    [[nodiscard]] views::RunsPanel& runs() { return *runs_; }
    [[nodiscard]] views::InspectorPanel& inspector() { return *inspector_; }
    /// The form of the Train workspace; null until that was opened.
    [[nodiscard]] views::LaunchPanel* launchPanel() const;

    void openWorkspace(WorkspaceId id);
    /// Goes to a panel, also one that was closed, and gives it the focus.
    void showPanel(WorkspaceId id, const QString& panel);
    /// Makes a workspace's panels without going there.
    void makePanels(WorkspaceId id);
    bool makeMorePanels();  ///< of one workspace more; false: all are there
    /// Gives the sides their width for the window's present size.
    void arrangeFrame() { frame_->arrange(width()); }
    void resetLayout();
    /// The focused panel of the open workspace takes it whole, or gives it back.
    void toggleMaximised();
    void toggleSide(WindowFrame::Side side);
    /// Brings the inspector back if its side is hidden.
    void showInspector();
    void focusNextArea();
    /// The user guide, at a page of it ("data") or where it was left.
    void showGuide(const QString& page = {});
    void showTour();
    [[nodiscard]] GuidedTour* tour() { return tour_; }  ///< null where pictures are taken
    void toggleKeys();
    void say(const QString& text) { status_->say(text); }
    void retract(const QString& text) { status_->retract(text); }
    void showDisk() { status_->showDisk(); }  ///< after a change of the budget
    /// The corpus panel's import form; files are sorted into it and checked.
    void openTextImport(const QStringList& files);
    /// What depends on the current run's phase: commands, form, header, status bar.
    void updateRun();
    /// Reads a trace of a run on a worker and shows it; `file` is relative to the run's folder.
    void openTrace(const QString& runId, const QString& file) { traces_.open(runId, file); }
    /// The same instead of the shown one: denoising step and position stay.
    void replaceTrace(const QString& runId, const QString& file) { traces_.replace(runId, file); }
    /// The same, as the reference beside the shown one.
    void openBeside(const QString& runId, const QString& file) { traces_.openBeside(runId, file); }
    void openNewestTrace() { traces_.openNewest(); }
    [[nodiscard]] const TraceOpener& traces() const { return traces_; }

Q_SIGNALS:
    void projectChosen(const QString& folder);
    void zoomChosen(double scale);
    void themeChosen(kurve::views::ThemeMode mode);

protected:
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void moveEvent(QMoveEvent* event) override;

private:
    [[nodiscard]] views::StudioContext context();
    void buildFrame();
    void addReadingStatus();
    void buildWorkspaces();
    void buildMenus();
    void connectSession();
    void restoreSession(const StudioOptions& options);
    void confirmQuit(const QStringList& jobs);

    ProjectSession& session_;
    views::CommandRegistry commands_;
    views::KeyBindings bindings_{commands_};
    RunActions runActions_;
    TraceOpener traces_;
    LastLocation lastLocation_;
    DraftActions draft_;
    ExchangeService* exchange_ = nullptr;
    ViewActions* viewActions_ = nullptr;
    NoticeList* notices_ = nullptr;
    QStringList writtenRuns_;  ///< the last selection of runs that exist
    views::RunsPanel* runs_ = nullptr;
    views::InspectorPanel* inspector_ = nullptr;
    WindowHeader* header_ = nullptr;
    GuidedTour* tour_ = nullptr;
    PlayheadBar* playheadBar_ = nullptr;
    std::array<Workspace*, kWorkspaces> workspaces_{};
    QStackedWidget* centre_ = nullptr;
    WindowFrame* frame_ = nullptr;
    StatusLine* status_ = nullptr;
    Palette* palette_ = nullptr;
    WindowFinders* finders_ = nullptr;
    HelpOverlay* help_ = nullptr;
    std::unique_ptr<LayoutStore> layout_;
    std::unique_ptr<LayoutActions> layouts_;
    bool quitConfirmed_ = false;  ///< although jobs stop
    bool restoring_ = true;       ///< while the window is built or destroyed: changes are not the user's
};

}  // namespace kurve::studio
