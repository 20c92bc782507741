#pragma once

#include <QMainWindow>
#include <array>
#include <memory>

#include "app/studio/services/alert_service.h"
#include "app/studio/services/exchange_service.h"
#include "app/studio/session/last_location.h"
#include "app/studio/session/project_session.h"
#include "app/studio/session/trace_opener.h"
#include "app/studio/studio_options.h"
#include "app/studio/window/layout_actions.h"
#include "app/studio/window/layout_store.h"
#include "app/studio/window/overlay.h"
#include "app/studio/window/playhead_bar.h"
#include "app/studio/window/run_actions.h"
#include "app/studio/window/status_line.h"
#include "app/studio/window/view_actions.h"
#include "app/studio/window/window_finders.h"
#include "app/studio/window/window_frame.h"
#include "app/studio/window/window_header.h"
#include "app/studio/window/workspace.h"
#include "views/common/services/studio.h"
#include "views/guide/key_bindings.h"

class QStackedWidget;

namespace kurve::studio {

class GuidedTour;
class NoticeList;

/// The window of one project: composition root. It makes the parts, offers the services of the session to the
/// panels, and keeps their state there; it holds none of its own, so that a change of zoom may rebuild it.
class MainWindow : public QMainWindow, public views::Studio {
    Q_OBJECT
public:
    MainWindow(ProjectSession& session, const StudioOptions& options);
    ~MainWindow() override;

    [[nodiscard]] Workspace& workspace(WorkspaceId id) const {
        return *workspaces_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] views::CommandRegistry& commands() { return commands_; }
    [[nodiscard]] ExchangeService& exchange() { return *exchange_; }
    [[nodiscard]] ViewActions& viewActions() { return *viewActions_; }
    /// What the palette finds.
    [[nodiscard]] WindowFinders& finders() { return *finders_; }
    /// By its id; null until its workspace was opened.
    [[nodiscard]] views::Panel* panel(const QString& id) const;

    void openWorkspace(WorkspaceId id);
    void reveal(const QString& panel) override;
    void goTo(const QString& panel) override;
    void make(const QString& panel) override;
    /// Makes a workspace's panels without going there.
    void makePanels(WorkspaceId id);
    bool makeMorePanels();  ///< of one workspace more; false: all are there
    /// Gives the sides their width for the window's present size.
    void arrangeFrame() { frame_->arrange(width()); }
    void resetLayout();
    /// The focused panel of the open workspace takes it whole, or gives it back.
    void toggleMaximised();
    void toggleSide(WindowFrame::Side side);
    void focusNextArea();
    /// The user guide, at a page of it ("data") or where it was left.
    void showGuide(const QString& page = {});
    /// The other machines that can train.
    void showMachines();
    void showTour();
    [[nodiscard]] GuidedTour* tour() { return tour_; }  ///< null where pictures are taken
    void toggleKeys();
    void say(const QString& text) { status_->say(text); }
    /// The corpus panel's import form; files are sorted into it and checked.
    void openTextImport(const QStringList& files);
    /// What depends on the current run's phase: commands, header, status bar.
    void updateRun();
    [[nodiscard]] views::Traces& traces() { return traces_; }

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
    void offerServices();
    void makeDraft();
    /// What every panel is given: its state, the engine's description, a place for its messages.
    void adopt(views::Panel& panel);
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
    std::shared_ptr<views::Services> services_ = std::make_shared<views::Services>();
    RunActions runActions_;
    TraceOpener traces_;
    LastLocation lastLocation_;
    AlertService alerts_;
    ExchangeService* exchange_ = nullptr;
    std::unique_ptr<views::DraftActions> draft_;
    ViewActions* viewActions_ = nullptr;
    NoticeList* notices_ = nullptr;
    QStringList writtenRuns_;  ///< the last selection of runs that exist
    views::Panel *runs_ = nullptr, *inspector_ = nullptr;
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
