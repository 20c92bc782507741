#include "app/studio/window/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QPushButton>
#include <QStackedWidget>
#include <QStatusBar>
#include <algorithm>

#include "app/studio/desktop_notice.h"
#include "app/studio/tour/guided_tour.h"
#include "app/studio/window/distil_status.h"
#include "app/studio/window/fetch_status.h"
#include "app/studio/window/menu_bar.h"
#include "app/studio/window/notice_list.h"
#include "app/studio/window/reading_status.h"
#include "app/studio/window/side_rail.h"
#include "app/studio/window/window_commands.h"
#include "views/common/form/layouts.h"
#include "views/common/text/format.h"
#include "views/corpus/text_import.h"
#include "views/guide/guide_window.h"
#include "views/machines/machines_window.h"
#include "views/runs/run_table.h"
#include "views/runs/similar_runs.h"

namespace kurve::studio {

using namespace views;

namespace {

/// Says which runs are unknown; those stay selected only where all are, so that the inspector can suggest
/// others.
void checkRequested(const QStringList& ids, MainWindow& window, ProjectSession& session) {
    QStringList known;
    for (const QString& id : ids)
        if (session.catalog.run(id) != nullptr) known << id;
    for (const QString& id : ids)
        if (!known.contains(id)) window.say(unknownRunText(id, session.catalog.runs()));
    if (!known.isEmpty() && session.selection.runs() == ids) session.selection.setRuns(known);
}

/// Selects the runs that the command line names, and checks them once all are read.
void selectRequestedRuns(const QStringList& ids, MainWindow& window, ProjectSession& session) {
    if (ids.isEmpty()) return;
    session.selection.setRuns(ids);
    if (session.catalog.complete()) return checkRequested(ids, window, session);
    QObject::connect(&session.catalog, &RunCatalog::completed, &window,
                     [ids, &window, &session] { checkRequested(ids, window, session); });
}

}  // namespace

MainWindow::MainWindow(ProjectSession& session, const StudioOptions& options)
    : session_(session),
      runActions_(session, commands_, *services_),
      traces_(session),
      lastLocation_(session, traces_, nullptr),
      alerts_(session.project()) {
    setObjectName(QStringLiteral("studio"));
    setWindowTitle(QStringLiteral("%1 — Kurve").arg(QString::fromStdString(session.project().name())));
    commands_.setWindow(this);
    addWindowCommands(*this);
    status_ = new StatusLine(*statusBar(), session);
    status_->setParent(this);
    exchange_ = new ExchangeService(session, this);
    exchange_->setParent(this);
    viewActions_ = new ViewActions(session, commands_, this);
    statusBar()->addPermanentWidget(exchange_->readableButton());
    statusBar()->addPermanentWidget(exchange_->cancelButton());
    auto* distil = new DistilStatus(session.distil);
    statusBar()->addPermanentWidget(distil);
    statusBar()->addPermanentWidget(new FetchStatus(session_.machines));
    addReadingStatus();
    connect(distil, &DistilStatus::trainWanted, this, [this](const QString& file) {
        reveal(QStringLiteral("launch"));
        draft_->useSettings({{QStringLiteral("data.distilled"), QStringLiteral("true")},
                             {QStringLiteral("data.distilled_train"), file}});
    });
    palette_ = new Palette(this);
    connect(palette_, &Palette::refused, this, &MainWindow::say);
    finders_ = new WindowFinders({*this, commands_, *status_, *palette_, [this] { return makeMorePanels(); }},
                                 session);
    finders_->setParent(this);
    connect(status_, &StatusLine::messagesWanted, finders_, &WindowFinders::messages);
    connect(finders_, &WindowFinders::projectChosen, this, &MainWindow::projectChosen);
    connect(finders_, &WindowFinders::panelChosen, this, &MainWindow::goTo);
    offerServices();
    makeDraft();
    buildFrame();
    help_ = new HelpOverlay(bindings_, this);
    connectSession();
    restoreSession(options);
    buildMenus();
    restoring_ = false;
    updateRun();
    // A page or run named on the command line takes precedence over the tour.
    const bool offered = !options.workspace && options.runs.isEmpty();
    if (options.tour.isEmpty()) tour_ = new GuidedTour(*this, session_, offered);
}

MainWindow::~MainWindow() {
    // Docks and panels that vanish now say nothing about layout and state, and panels go while what they were
    // given still lives: Qt would delete them after this class's members.
    for (Workspace* space : workspaces_) {
        space->disconnect(this);
        for (Panel* panel : space->panels()) panel->disconnect(this);
    }
    for (Panel* side : {runs_, inspector_}) side->disconnect(this);
    delete takeCentralWidget();
}

// ---- parts ----

void MainWindow::addReadingStatus() {
    statusBar()->addPermanentWidget(new ReadingStatus(session_.catalog));
    const auto refuse = [this] {
        const RunReading& reading = session_.catalog.reading();
        const bool whole = reading.waiting == 0 && reading.left == 0;
        commands_.setRefusal(QStringLiteral("project.reading"),
                             whole ? tr("All runs have been read") : QString());
    };
    connect(&session_.catalog, &RunCatalog::readingChanged, this, refuse);
    refuse();
}

void MainWindow::buildFrame() {
    runs_ = makeRunList(context());
    inspector_ = makeInspector(context());
    header_ = new WindowHeader(session_.project(), commands_);
    playheadBar_ = new PlayheadBar(session_.playhead, session_.selection, session_.catalog);
    centre_ = new QStackedWidget;
    buildWorkspaces();
    frame_ = new WindowFrame({runs_, centre_, inspector_});
    auto* page = new QWidget;
    auto* column = vboxIn(page, {header_}, {.margins = 0, .spacing = 0});
    column->addLayout(
        frameWithRails(*frame_, *services_->find<RunTable>(), [this](auto side) { toggleSide(side); }), 1);
    column->addWidget(playheadBar_);
    setCentralWidget(page);
    layout_ = std::make_unique<LayoutStore>(
        session_, LayoutStore::Parts{*this, *frame_, {workspaces_.begin(), workspaces_.end()}});
    layouts_ = std::make_unique<LayoutActions>(*layout_, *palette_, session_.project());
    layouts_->addCommands(commands_);
    connect(layouts_.get(), &LayoutActions::said, this, &MainWindow::say);
    connect(header_, &WindowHeader::workspaceChosen, this, &MainWindow::openWorkspace);
    connect(header_, &WindowHeader::searchClicked, finders_, &WindowFinders::commands);
    connect(header_, &WindowHeader::projectClicked, finders_, &WindowFinders::projects);
    adopt(*runs_);
    adopt(*inspector_);
}

void MainWindow::buildWorkspaces() {
    for (int i = 0; i < kWorkspaces; ++i) {
        auto* space = new Workspace(static_cast<WorkspaceId>(i), context());
        workspaces_[static_cast<std::size_t>(i)] = space;
        centre_->addWidget(space);
        connect(space, &Workspace::panelMade, this, [this](Panel* panel) { adopt(*panel); });
        connect(space, &Workspace::layoutChanged, this, [this] {
            if (!restoring_) layout_->saveSoon();
        });
    }
}

void MainWindow::buildMenus() {
    std::vector<DockEntry> docks;
    for (const PanelKind& kind : panelKinds())
        if (QDockWidget* dock = workspace(kind.workspace).dock(kind.id))
            docks.push_back({workspaceTitle(kind.workspace), dock});
    fillMenus(*menuBar(), commands_, docks);
}

void MainWindow::connectSession() {
    connect(&session_.queue, &RunQueue::message, this, &MainWindow::say);
    connect(&runActions_, &RunActions::said, this, &MainWindow::say);
    connect(&session_.distil, &DistilService::said, this, &MainWindow::say);
    connect(&session_.machines, &MachineService::said, this, &MainWindow::say);
    connect(&session_.evaluation, &EvaluationService::said, this, &MainWindow::say);
    connect(&session_.samplers, &DefaultSamplers::said, this, &MainWindow::say);
    connect(exchange_, &ExchangeService::said, this, &MainWindow::say);
    connect(exchange_, &ProjectFiles::diskBudgetChanged, status_, &StatusLine::showDisk);
    connect(exchange_, &ExchangeService::textDropped, this, &MainWindow::openTextImport);
    connect(exchange_, &ExchangeService::imported, &session_.selection, &Selection::setRuns);
    connect(viewActions_, &ViewActions::said, this, &MainWindow::say);
    connect(&traces_, &TraceOpener::said, this, &MainWindow::say);
    connect(&traces_, &TraceOpener::opened, this, [this] { openWorkspace(WorkspaceId::Inspect); });
    connect(&session_.inspect, &InspectService::said, this, &MainWindow::say);
    connect(&session_.inspect, &InspectService::retracted, status_, &StatusLine::retract);
    connect(&session_.inspect, &InspectService::traceReady, &traces_, &TraceOpener::show);
    connect(&session_.inspect, &InspectService::traceExtended, &traces_, &TraceOpener::extend);
    connect(&session_.control, &RunControl::changed, this, &MainWindow::updateRun);
    connect(&session_.control, &RunControl::message, this, &MainWindow::say);
    notices_ = new NoticeList(this);
    connect(notices_, &NoticeList::runWanted, this,
            [this](const QString& id) { session_.selection.setRuns({id}); });
    // A notice, since the message in the status bar is temporary.
    connect(&session_.control, &RunControl::neverBegan, this, [this](const QString& id, const QString& why) {
        notices_->add({}, tr("Training did not start"), why);
        if (session_.selection.runs() == QStringList{id}) session_.selection.setRuns(writtenRuns_);
    });
    connect(&session_.selection, &Selection::runsChanged, this, [this](const QStringList& ids) {
        if (std::all_of(ids.begin(), ids.end(),
                        [this](const QString& id) { return session_.catalog.run(id) != nullptr; }))
            writtenRuns_ = ids;
    });
    connect(&session_.control, &RunControl::alarmed, this, [this](const QString& id, const QString& text) {
        const QString name = session_.catalog.nameOf(id);
        notifyDesktop(name, text, this, [this, id, name, text] { notices_->add(id, name, text); });
        QApplication::alert(this);
        say(tr("%1: %2").arg(name, text));
    });
    connect(&session_.selection, &Selection::runsChanged, this,
            [this](const QStringList& ids) { session_.control.setPreferred(ids.value(0)); });
    connect(&session_.selection, &Selection::hiddenChanged, this, [this](const QStringList& ids) {
        session_.put(QStringLiteral("hidden"), ids.join(QLatin1Char(' ')));
    });
    connect(&session_.selection, &Selection::baselineChanged, this,
            [this](const QString& id) { session_.put(QStringLiteral("baseline"), id); });
    connect(&session_.selection, &Selection::runsChanged, this,
            [this] { traces_.follow(centre_->currentWidget() == &workspace(WorkspaceId::Inspect)); });
    connect(&session_.catalog, &RunCatalog::dataChanged, this, [this] {
        traces_.openAwaited();
        if (centre_->currentWidget() == &workspace(WorkspaceId::Inspect)) traces_.fill();
    });
    connect(&session_.catalog, &RunCatalog::noticed, this, &MainWindow::say);
    connect(&session_.catalog, &RunCatalog::problemChanged, this, [this](const QString& text) {
        if (!text.isEmpty()) say(text);
    });
}

void MainWindow::restoreSession(const StudioOptions& options) {
    layout_->restore();
    const QJsonObject state = session_.state();
    session_.selection.setBaseline(state.value(QStringLiteral("baseline")).toString());
    lastLocation_.restore();
    openWorkspace(options.workspace.value_or(
        workspaceOf(state.value(QStringLiteral("workspace")).toString()).value_or(WorkspaceId::Train)));
    selectRequestedRuns(options.runs, *this, session_);
    if (const QString& problem = session_.file().problem(); !problem.isEmpty()) say(problem);
}

// ---- what the commands do ----

void MainWindow::makePanels(WorkspaceId id) {
    Workspace& space = workspace(id);
    if (space.isOpen()) return;
    space.open(layout_->docksOf(id));
    if (!restoring_) buildMenus();
}

bool MainWindow::makeMorePanels() {
    for (const Workspace* space : workspaces_) {
        if (space->isOpen()) continue;
        makePanels(space->id());
        return true;
    }
    return false;
}

void MainWindow::openWorkspace(WorkspaceId id) {
    makePanels(id);
    Workspace& space = workspace(id);
    // Only the visible workspace has a minimum size: the widest of all would squeeze the sides.
    for (Workspace* each : workspaces_) {
        const auto policy = each == &space ? QSizePolicy::Preferred : QSizePolicy::Ignored;
        each->setSizePolicy(policy, policy);
    }
    centre_->setCurrentWidget(&space);
    frame_->setWorkspace(workspaceName(id), id == WorkspaceId::Inspect || id == WorkspaceId::Data);
    if (id == WorkspaceId::Inspect) traces_.fill();
    header_->showWorkspace(id);
    session_.put(QStringLiteral("workspace"), workspaceName(id));
}

void MainWindow::resetLayout() {
    for (Workspace* space : workspaces_) space->resetLayout();
    arrangeFrame();
    layout_->saveSoon();
}

void MainWindow::toggleMaximised() {
    auto* space = qobject_cast<Workspace*>(centre_->currentWidget());
    if (QDockWidget* dock = space ? space->currentDock() : nullptr) space->toggleMaximised(*dock);
}

void MainWindow::toggleSide(WindowFrame::Side side) {
    frame_->toggle(side);
    layout_->saveSoon();
}

void MainWindow::showTour() {
    if (tour_) tour_->begin();
}

void MainWindow::showGuide(const QString& page) {
    auto* guide = findChild<GuideWindow*>();
    if (!guide) guide = new GuideWindow(this);
    if (!page.isEmpty()) guide->open(page);
    guide->show();
    guide->raise();
}

void MainWindow::showMachines() {
    auto* machines = findChild<MachinesWindow*>();
    if (!machines) machines = new MachinesWindow(context(), this);
    machines->show();
    machines->raise();
    machines->activateWindow();
}

void MainWindow::toggleKeys() {
    if (help_->isVisible()) return help_->close();
    QPointer<QWidget> focus = QApplication::focusWidget();
    for (const Workspace* space : workspaces_) makePanels(space->id());  // every action there is
    help_->showKeys(focus);
}

void MainWindow::openTextImport(const QStringList& files) {
    reveal(QStringLiteral("corpus"));
    services_->get<TextImport>().openImport(files);
}

void MainWindow::updateRun() {
    const RunSupervisor* current = session_.control.current();
    const bool live = current && current->isLive();
    runActions_.update();
    header_->showLiveCount(session_.control.liveCount());
    if (current && !live && !current->reason().isEmpty()) say(current->reason());
    status_->showProgress();
}

// Saved after each change, so that a crash loses nothing.
void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (!restoring_) layout_->saveSoon();
}

void MainWindow::moveEvent(QMoveEvent* event) {
    QMainWindow::moveEvent(event);
    if (!restoring_) layout_->saveSoon();
}

void MainWindow::closeEvent(QCloseEvent* event) {
    layout_->save();
    session_.file().saveNow();
    const QStringList jobs = quitConfirmed_ ? QStringList() : session_.jobsEndedByQuit();
    event->setAccepted(jobs.isEmpty());
    if (!jobs.isEmpty()) confirmQuit(jobs);
}

void MainWindow::confirmQuit(const QStringList& jobs) {
    auto* dialog = new QMessageBox(QMessageBox::Question, tr("Quit Kurve?"), tr("Quit Kurve?"),
                                   QMessageBox::Cancel, this);
    dialog->setObjectName(QStringLiteral("quit.dialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setInformativeText(
        tr("Training continues in the background. These jobs stop: %1").arg(jobs.join(QStringLiteral(", "))));
    QPushButton* quit = dialog->addButton(tr("Quit"), QMessageBox::AcceptRole);
    quit->setObjectName(QStringLiteral("quit.quit"));
    dialog->setDefaultButton(QMessageBox::Cancel);
    connect(dialog, &QDialog::finished, this, [this, dialog, quit] {
        if (dialog->clickedButton() != quit) return;
        quitConfirmed_ = true;
        close();
    });
    dialog->open();
}

}  // namespace kurve::studio
