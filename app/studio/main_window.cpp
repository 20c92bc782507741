#include "app/studio/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QFileDialog>
#include <QLabel>
#include <QMenuBar>
#include <QPushButton>
#include <QScreen>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QThreadPool>
#include <QVBoxLayout>

#include "core/trace/trace.h"
#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/curve/curve_panel.h"
#include "views/guide/guide_window.h"
#include "views/launch/launch_panel.h"
#include "views/monitor/monitor_panel.h"
#include "views/prompt/prompt_panel.h"
#include "views/runs/inspector_panel.h"
#include "views/runs/runs_panel.h"
#include "views/samples/samples_panel.h"
#include "views/timeline/timeline_panel.h"

namespace kurve::studio {

using namespace views;

namespace {

QWidget* sidePane(const QString& title, QWidget* content) {
    auto* pane = new QWidget;
    pane->setProperty("role", "surface");
    pane->setAttribute(Qt::WA_StyledBackground);
    auto* head = new QLabel(title);
    head->setProperty("role", "panehead");
    auto* layout = new QVBoxLayout(pane);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(head);
    layout->addWidget(content, 1);
    return pane;
}

QString base64(const QByteArray& bytes) {
    return QString::fromLatin1(bytes.toBase64());
}
QByteArray bytesOf(const QJsonValue& value) {
    return QByteArray::fromBase64(value.toString().toLatin1());
}

}  // namespace

MainWindow::MainWindow(ProjectSession& session, const StudioOptions& options) : session_(session) {
    setObjectName(QStringLiteral("studio"));
    setWindowTitle(QStringLiteral("%1 — Kurve").arg(QString::fromStdString(session.project().name())));
    commands_.setWindow(this);
    registerRunCommands();
    registerViewCommands();
    registerProjectCommands();
    buildFrame();
    buildStatusBar();
    palette_ = new Palette(this);
    help_ = new HelpOverlay(this);
    connectSession();
    restoreSession();
    const WorkspaceId first = options.workspace.value_or(
        static_cast<WorkspaceId>(session.state().value(QStringLiteral("workspace")).toInt() % kWorkspaces));
    openWorkspace(first);
    if (!options.run.isEmpty()) session.selection.setRuns({options.run});
    buildMenus();
    restoring_ = false;
    updateRun();
    clock_.start(1000);
}

MainWindow::~MainWindow() {
    restoring_ = true;  // docks that vanish now say nothing about the layout
    clock_.stop();
}

StudioContext MainWindow::context() {
    return {&session_.project(), &commands_,        &session_.playhead,
            &session_.selection, &session_.catalog, &session_.engine.info()};
}

// ---- frame ----

void MainWindow::buildFrame() {
    runs_ = new RunsPanel(context());
    inspector_ = new InspectorPanel(context());
    playheadBar_ = new PlayheadBar(session_.playhead, session_.selection, session_.catalog);
    centre_ = new QStackedWidget;
    for (int i = 0; i < kWorkspaces; ++i) {
        auto* space = new Workspace(static_cast<WorkspaceId>(i), context());
        workspaces_[static_cast<std::size_t>(i)] = space;
        centre_->addWidget(space);
        connect(space, &Workspace::panelMade, this, &MainWindow::wire);
        connect(space, &Workspace::layoutChanged, this, [this] {
            if (!restoring_) saveLayout_.start();
        });
    }
    splitter_ = new QSplitter(Qt::Horizontal);
    splitter_->setObjectName(QStringLiteral("frame"));
    splitter_->addWidget(sidePane(tr("Runs"), runs_));
    splitter_->addWidget(centre_);
    splitter_->addWidget(sidePane(tr("Inspector"), inspector_));
    splitter_->setStretchFactor(0, 0);
    splitter_->setStretchFactor(1, 1);
    splitter_->setStretchFactor(2, 0);
    splitter_->setChildrenCollapsible(true);
    auto* page = new QWidget;
    auto* layout = new QVBoxLayout(page);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(buildHeader());
    layout->addWidget(splitter_, 1);
    layout->addWidget(playheadBar_);
    setCentralWidget(page);
    saveLayout_.setSingleShot(true);
    saveLayout_.setInterval(300);
    connect(&saveLayout_, &QTimer::timeout, this, &MainWindow::saveLayout);
    connect(splitter_, &QSplitter::splitterMoved, &saveLayout_, qOverload<>(&QTimer::start));
    wire(runs_);
    wire(inspector_);
}

QWidget* MainWindow::buildHeader() {
    auto* header = new QWidget;
    header->setProperty("role", "bar");
    header->setAttribute(Qt::WA_StyledBackground);
    auto* project = new QLabel(QString::fromStdString(session_.project().name()));
    project->setProperty("role", "title");
    project->setToolTip(QString::fromStdString(session_.project().folder().string()));
    auto* layout = new QHBoxLayout(header);
    layout->setContentsMargins(px(space::kMedium), 0, px(space::kMedium), 0);
    layout->setSpacing(0);
    layout->addWidget(project);
    layout->addSpacing(px(space::kHuge));
    for (int i = 0; i < kWorkspaces; ++i) {
        const auto id = static_cast<WorkspaceId>(i);
        auto* tab = new QPushButton(workspaceTitle(id).replace(QLatin1Char('&'), QStringLiteral("&&")));
        tab->setObjectName(QStringLiteral("workspace.tab.") + workspaceName(id));
        tab->setAccessibleName(tr("Workspace %1").arg(workspaceTitle(id)));
        tab->setToolTip(QStringLiteral("Ctrl+%1").arg(i + 1));
        tab->setProperty("role", "workspace");
        tab->setCheckable(true);
        connect(tab, &QPushButton::clicked, this, [this, id] { openWorkspace(id); });
        tabs_[static_cast<std::size_t>(i)] = tab;
        layout->addWidget(tab);
    }
    layout->addStretch(1);
    auto* search = new QPushButton(tr("Search or command   Ctrl+Shift+P"));
    search->setObjectName(QStringLiteral("header.search"));
    search->setAccessibleName(tr("Open the command palette"));
    search->setProperty("role", "search");
    search->setMinimumWidth(px(48));
    search->setMaximumWidth(px(300));
    search->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(search, &QPushButton::clicked, this, &MainWindow::openPalette);
    layout->addWidget(search, 2);
    layout->addStretch(1);
    live_ = new QLabel;
    live_->setObjectName(QStringLiteral("header.live"));
    layout->addWidget(live_);
    return header;
}

void MainWindow::buildStatusBar() {
    const auto permanent = [this](const char* id) {
        auto* label = new QLabel;
        label->setObjectName(QLatin1String(id));
        label->setProperty("role", "caption");
        label->setContentsMargins(px(space::kSmall), px(3), px(space::kSmall), px(3));
        statusBar()->addPermanentWidget(label);
        return label;
    };
    message_ = new QLabel;
    message_->setObjectName(QStringLiteral("status.message"));
    message_->setContentsMargins(px(space::kSmall), 0, 0, 0);
    message_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    statusBar()->addWidget(message_, 1);
    statusBar()->setSizeGripEnabled(false);
    progress_ = permanent("status.progress");
    memory_ = permanent("status.memory");
    saved_ = permanent("status.saved");
    forget_.setSingleShot(true);
    connect(&forget_, &QTimer::timeout, message_, &QLabel::clear);
}

void MainWindow::say(const QString& text) {
    message_->setText(text);
    message_->setToolTip(text);
    forget_.start(12000);
}

// ---- commands ----

void MainWindow::registerRunCommands() {
    const QString run = tr("Run");
    commands_.add(
        {"run.start", tr("Start"), run, QKeySequence(Qt::Key_F5), tr("Train the draft of the form")},
        [this] { startTraining(); });
    commands_.add({"run.pause", tr("Pause"), run, QKeySequence(Qt::Key_F6),
                   tr("Pause with the model loaded, or go on")},
                  [this] {
                      RunSupervisor* current = session_.control.current();
                      if (!current) return;
                      current->phase() == RunPhase::Paused ? current->resume() : current->pause();
                  });
    commands_.add({"run.stop", tr("Stop"), run, QKeySequence(Qt::SHIFT | Qt::Key_F5),
                   tr("Finish the step, write a checkpoint and end; again: end at once")},
                  [this] {
                      if (RunSupervisor* current = session_.control.current()) current->stop();
                  });
    commands_.add({"run.sample", tr("Sample now"), run, QKeySequence(Qt::Key_F7),
                   tr("Decode the fixed prompts with the model as it is")},
                  [this] {
                      if (RunSupervisor* current = session_.control.current(); current && current->isLive()) {
                          current->sampleNow();
                          say(tr("Sampling the fixed prompts…"));
                      }
                  });
    commands_.add({"run.checkpoint", tr("Checkpoint now"), run, QKeySequence(Qt::Key_F8),
                   tr("Write a checkpoint at the next step")},
                  [this] {
                      if (RunSupervisor* current = session_.control.current(); current && current->isLive())
                          current->checkpointNow();
                  });
    commands_.add(
        {"run.resume", tr("Resume the selected run"), run, {}, tr("Go on from its last checkpoint, exactly")},
        [this] { session_.control.resumeRun(session_.selection.primaryRun()); });
}

void MainWindow::registerViewCommands() {
    const QString view = tr("View");
    for (int i = 0; i < kWorkspaces; ++i) {
        const auto id = static_cast<WorkspaceId>(i);
        commands_.add(
            {QStringLiteral("workspace.") + workspaceName(id),
             workspaceTitle(id).replace(QLatin1Char('&'), QStringLiteral("&&")), view,
             QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)), tr("Go to this workspace")},
            [this, id] { openWorkspace(id); });
    }
    commands_.add({"palette.open", tr("Command palette"), view,
                   QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P), tr("Find any action by typing")},
                  [this] { openPalette(); });
    commands_.add({"palette.runs", tr("Go to run"), view, QKeySequence(Qt::CTRL | Qt::Key_P),
                   tr("Find a run by its name")},
                  [this] { openRunFinder(); });
    commands_.add({"focus.next", tr("Next area"), view, QKeySequence(Qt::CTRL | Qt::Key_Tab),
                   tr("Runs, centre, inspector, playhead")},
                  [this] { cycleFocus(); });
    const double scale = theme().scale;
    commands_.add({"zoom.in",
                   tr("Larger"),
                   view,
                   QKeySequence(Qt::CTRL | Qt::Key_Equal),
                   tr("Enlarge everything"),
                   {QKeySequence(Qt::CTRL | Qt::Key_Plus)}},
                  [this, scale] { Q_EMIT zoomChosen(std::min(3.0, scale + (scale < 1.5 ? 0.1 : 0.25))); });
    commands_.add(
        {"zoom.out", tr("Smaller"), view, QKeySequence(Qt::CTRL | Qt::Key_Minus), tr("Shrink everything")},
        [this, scale] { Q_EMIT zoomChosen(std::max(1.0, scale - (scale <= 1.5 ? 0.1 : 0.25))); });
    commands_.add({"zoom.reset", tr("Normal size"), view, QKeySequence(Qt::CTRL | Qt::Key_0), tr("100 %")},
                  [this] { Q_EMIT zoomChosen(1.0); });
    const std::pair<const char*, ThemeMode> modes[] = {
        {QT_TR_NOOP("Light theme"), ThemeMode::Light},
        {QT_TR_NOOP("Dark theme"), ThemeMode::Dark},
        {QT_TR_NOOP("Theme of the system"), ThemeMode::System}};
    const char* const ids[] = {"theme.light", "theme.dark", "theme.system"};
    for (int i = 0; i < 3; ++i)
        commands_.add({QLatin1String(ids[i]), tr(modes[i].first), view, {}, tr("Colours of the window")},
                      [this, mode = modes[i].second] { Q_EMIT themeChosen(mode); });
    commands_.add({"layout.reset", tr("Reset layout"), tr("Window"), {}, tr("Every panel back to its place")},
                  [this] {
                      for (Workspace* space : workspaces_) space->resetLayout();
                      arrangeFrame();
                      saveLayout_.start();
                  });
    const auto side = [this](int index, int size) {
        QList<int> sizes = splitter_->sizes();
        sizes[1] += sizes[index];
        sizes[index] = sizes[index] > 0 ? 0 : size;
        sizes[1] -= sizes[index];
        splitter_->setSizes(sizes);
        saveLayout_.start();
    };
    commands_.add(
        {"side.runs", tr("Show or hide the runs"), tr("Window"), QKeySequence(Qt::CTRL | Qt::Key_B), {}},
        [side] { side(0, px(352)); });
    commands_.add({"side.inspector",
                   tr("Show or hide the inspector"),
                   tr("Window"),
                   QKeySequence(Qt::CTRL | Qt::Key_I),
                   {}},
                  [side] { side(2, px(272)); });
    commands_.add({"help.guide", tr("User guide"), tr("Help"), QKeySequence(Qt::SHIFT | Qt::Key_F1),
                   tr("How to train, look inside and compare")},
                  [this] {
                      auto* guide = findChild<views::GuideWindow*>();
                      if (!guide) guide = new views::GuideWindow(this);
                      guide->show();
                      guide->raise();
                  });
    commands_.add(
        {"help.keys", tr("Keys"), tr("Help"), QKeySequence(Qt::Key_F1), tr("The keys of the focused view")},
        [this] {
            help_->isVisible() ? help_->close() : help_->showKeys(commands_, QApplication::focusWidget());
        });
}

void MainWindow::registerProjectCommands() {
    commands_.add({"project.open", tr("Open project…"), tr("Project"), QKeySequence(QKeySequence::Open),
                   tr("A folder with a project.toml")},
                  [this] {
                      auto* dialog = new QFileDialog(this, tr("Open a project"));
                      dialog->setFileMode(QFileDialog::Directory);
                      dialog->setAttribute(Qt::WA_DeleteOnClose);
                      connect(dialog, &QFileDialog::fileSelected, this, &MainWindow::projectChosen);
                      dialog->open();
                  });
    commands_.add({"app.quit", tr("Quit"), tr("Project"), QKeySequence(QKeySequence::Quit),
                   tr("Close the window; training goes on")},
                  [this] { close(); });
}

void MainWindow::buildMenus() {
    menuBar()->clear();
    std::map<QString, QMenu*> menus;
    for (const QString& name :
         {tr("Project"), tr("Edit"), tr("Run"), tr("View"), tr("Playhead"), tr("Window"), tr("Help")})
        menus[name] = menuBar()->addMenu(name);
    for (const auto& entry : commands_.entries()) {
        QMenu*& menu = menus[entry.command.category];
        if (!menu) menu = menuBar()->addMenu(entry.command.category);
        menu->addAction(entry.action);
    }
    windowMenu_ = menus[tr("Window")];
    windowMenu_->addSeparator();
    fillWindowMenu();
}

void MainWindow::fillWindowMenu() {
    if (!windowMenu_) return;
    for (const PanelKind& kind : panelKinds())
        if (QDockWidget* dock = workspace(kind.workspace).dock(kind.id))
            if (!windowMenu_->actions().contains(dock->toggleViewAction()))
                windowMenu_->addAction(dock->toggleViewAction());
}

void MainWindow::openPalette() {
    std::vector<Palette::Item> items;
    for (const auto& entry : commands_.entries()) {
        QAction* action = entry.action;
        if (!action->isEnabled()) continue;
        const Command& command = entry.command;
        items.push_back({action->text().replace(QStringLiteral("&&"), QStringLiteral("&")), command.help,
                         command.keys.toString(QKeySequence::NativeText),
                         command.title + QLatin1Char(' ') + command.category,
                         [action] { action->trigger(); }});
    }
    palette_->choose(tr("Type a command"), std::move(items));
}

void MainWindow::openRunFinder() {
    std::vector<Palette::Item> items;
    const auto& runs = session_.catalog.runs();
    for (auto it = runs.rbegin(); it != runs.rend(); ++it) {
        if (it->trashed) continue;
        const QString id = QString::fromStdString(it->id),
                      name = QString::fromStdString(it->name.empty() ? it->id : it->name);
        items.push_back(
            {name,
             QStringLiteral("%1 · %2").arg(QString::fromStdString(it->family), stateLook(it->state).text),
             momentText(it->started), name + QLatin1Char(' ') + id,
             [this, id] { session_.selection.setRuns({id}); }});
    }
    palette_->choose(tr("Name of a run"), std::move(items));
}

void MainWindow::cycleFocus() {
    QWidget* areas[] = {runs_, centre_->currentWidget(), inspector_, playheadBar_};
    QWidget* focus = QApplication::focusWidget();
    int now = -1;
    for (int i = 0; i < 4; ++i)
        if (focus && areas[i]->isAncestorOf(focus)) now = i;
    for (int step = 1; step <= 4; ++step) {
        QWidget* area = areas[(now + step) % 4];
        for (QWidget* widget : area->findChildren<QWidget*>())
            if (widget->isVisible() && widget->isEnabled() && (widget->focusPolicy() & Qt::TabFocus))
                return widget->setFocus(Qt::TabFocusReason);
    }
}

// ---- wiring ----

void MainWindow::wire(Panel* panel) {
    connect(panel, &Panel::statusMessage, this, &MainWindow::say);
    connect(&session_.engine, &EngineDescription::ready, panel, &Panel::engineInfoChanged);
    if (!session_.engine.info().families().empty()) panel->engineInfoChanged();
    if (auto* launch = qobject_cast<LaunchPanel*>(panel)) {
        launch_ = launch;
        launch->restore(session_.state().value(QStringLiteral("draft")).toObject());
        launch->setProblem(session_.engine.problem());
        connect(&session_.engine, &EngineDescription::failed, launch, &LaunchPanel::setProblem);
        connect(launch, &LaunchPanel::retryRequested, this,
                [this] { session_.engine.load(findEngineProgram()); });
        connect(launch, &LaunchPanel::draftChanged, this,
                [this, launch] { session_.put(QStringLiteral("draft"), launch->save()); });
        connect(launch, &LaunchPanel::liveSetRequested, this,
                [this](const QString& key, const QString& value) {
                    if (RunSupervisor* current = session_.control.current()) current->set(key, value);
                    say(tr("%1 = %2 from the next step on.").arg(key, value));
                });
        updateRun();
    }
    if (auto* monitor = qobject_cast<MonitorPanel*>(panel))
        connect(monitor, &MonitorPanel::startRequested, this, &MainWindow::startTraining);
    if (auto* samples = qobject_cast<SamplesPanel*>(panel)) {
        connect(samples, &SamplesPanel::traceRequested, this, &MainWindow::openTrace);
        connect(samples, &SamplesPanel::sampleRequested, commands_.action(QStringLiteral("run.sample")),
                &QAction::trigger);
    }
    if (auto* prompt = qobject_cast<PromptPanel*>(panel)) {
        InspectService* service = &session_.inspect;
        connect(prompt, &PromptPanel::requested, service, &InspectService::request);
        connect(prompt, &PromptPanel::cancelRequested, service, &InspectService::cancel);
        connect(prompt, &PromptPanel::traceRequested, this, &MainWindow::openTrace);
        connect(service, &InspectService::statusChanged, prompt, &PromptPanel::setStatus);
        connect(service, &InspectService::answered, prompt, &PromptPanel::showAnswer);
        prompt->setStatus(service->status());
    }
    if (auto* timeline = qobject_cast<TimelinePanel*>(panel))
        connect(timeline, &TimelinePanel::recordedTraceWanted, this, &MainWindow::openNewestTrace);
    if (auto* curve = qobject_cast<CurvePanel*>(panel))
        connect(curve, &CurvePanel::recordedTraceWanted, this, &MainWindow::openNewestTrace);
    if (auto* runs = qobject_cast<RunsPanel*>(panel)) {
        connect(runs, &RunsPanel::compareRequested, this, [this] { openWorkspace(WorkspaceId::Compare); });
        connect(runs, &RunsPanel::startRequested, this, &MainWindow::startTraining);
        connect(runs, &RunsPanel::tagsRequested, this, [this] { inspector_->editTags(); });
        connect(runs, &RunsPanel::filterChanged, this,
                [this](const QString& text) { session_.put(QStringLiteral("filter"), text); });
    }
    if (auto* inspector = qobject_cast<InspectorPanel*>(panel)) {
        connect(inspector, &InspectorPanel::resumeRequested, this,
                [this](const QString& id) { session_.control.resumeRun(id); });
        connect(inspector, &InspectorPanel::runRequested, this,
                [this](const QString& id) { session_.selection.setRuns({id}); });
        connect(inspector, &InspectorPanel::draftRequested, this, [this](const QString& id) {
            openWorkspace(WorkspaceId::Train);
            if (launch_) launch_->adoptRun(id);
        });
    }
}

void MainWindow::connectSession() {
    connect(&session_.control, &RunControl::changed, this, &MainWindow::updateRun);
    connect(&session_.control, &RunControl::progressed, this, &MainWindow::updateProgress);
    connect(&session_.control, &RunControl::message, this, &MainWindow::say);
    connect(&session_.selection, &Selection::runsChanged, this, [this](const QStringList& ids) {
        session_.control.setPreferred(ids.value(0));
        if (!restoring_) session_.put(QStringLiteral("runs"), ids.join(QLatin1Char(' ')));
    });
    connect(&session_.catalog, &RunCatalog::problemChanged, this, [this](const QString& text) {
        if (!text.isEmpty()) say(text);
    });
    connect(&session_, &ProjectSession::saved, this, [this] { saved_->setText(tr("saved")); });
    connect(&session_, &ProjectSession::saveFailed, this, [this](const QString& problem) {
        saved_->setText(tr("not saved"));
        saved_->setToolTip(problem);
    });
    connect(&session_.inspect, &InspectService::traceReady, this, &MainWindow::showTrace);
    connect(&clock_, &QTimer::timeout, this, &MainWindow::updateMemory);
}

void MainWindow::startTraining() {
    openWorkspace(WorkspaceId::Train);
    if (findEngineProgram().isEmpty()) return say(QString::fromStdString(engineMissing().text()));
    if (!launch_ || !launch_->draft().isValid()) {
        if (launch_) launch_->focusFirstError();
        return say(tr("The draft cannot start yet: the form says why."));
    }
    const Draft& draft = launch_->draft();
    const QString id = session_.control.startTraining(draft.experiment(), draft.sets());
    session_.selection.setRuns({id});
    session_.playhead.setTrainStep(0);
    updateRun();
}

void MainWindow::updateRun() {
    RunSupervisor* current = session_.control.current();
    const bool live = current && current->isLive();
    const RunPhase phase = current ? current->phase() : RunPhase::NotRunning;
    QAction* pause = commands_.action(QStringLiteral("run.pause"));
    pause->setText(phase == RunPhase::Paused ? tr("Resume") : tr("Pause"));
    pause->setEnabled(phase == RunPhase::Running || phase == RunPhase::Paused || phase == RunPhase::Pausing);
    commands_.action(QStringLiteral("run.stop"))->setEnabled(live);
    commands_.action(QStringLiteral("run.stop"))
        ->setText(phase == RunPhase::Stopping ? tr("End now") : tr("Stop"));
    for (const char* id : {"run.sample", "run.checkpoint"})
        commands_.action(QLatin1String(id))
            ->setEnabled(phase == RunPhase::Running || phase == RunPhase::Paused);
    const int count = session_.control.liveCount();
    live_->setText(count > 0 ? QStringLiteral("<span style=\"color:%1\">●</span> %2")
                                   .arg(theme().good.name(), tr("%1 live").arg(count))
                             : QString());
    if (launch_) {
        const QString state = current ? stateLook(phaseName(phase)).text : QString();
        launch_->setLiveRun(live ? current->runId() : QString(), tr("Live: %1").arg(state));
    }
    if (current && !live && !current->reason().isEmpty()) say(current->reason());
    updateProgress();
}

void MainWindow::updateProgress() {
    RunSupervisor* current = session_.control.current();
    if (!current || !current->isLive()) {
        progress_->clear();
        memory_->clear();
        return;
    }
    const RunProgress& p = current->progress();
    const StateLook look = stateLook(phaseName(current->phase()));
    QStringList parts;
    const store::RunSummary* run = session_.catalog.run(current->runId());
    parts << QStringLiteral("<span style=\"color:%1\">%2</span> %3")
                 .arg(look.color.name(), look.glyph,
                      run && !run->name.empty() ? QString::fromStdString(run->name).toHtmlEscaped()
                                                : look.text);
    parts << (p.total > 0 ? QStringLiteral("%1 / %2").arg(countText(p.step), countText(p.total))
                          : tr("step %1").arg(countText(p.step)));
    if (p.tokensPerSecond > 0) parts << tr("%1 tok/s").arg(countText(static_cast<qint64>(p.tokensPerSecond)));
    if (p.etaSeconds >= 0) parts << tr("ETA %1").arg(durationText(p.etaSeconds));
    progress_->setText(parts.join(QStringLiteral("&nbsp;&nbsp;·&nbsp;&nbsp;")));
}

void MainWindow::updateMemory() {
    RunSupervisor* current = session_.control.current();
    if (!current || !current->isLive()) return;
    QFile file(QStringLiteral("/proc/%1/statm").arg(current->pid()));
    if (!file.open(QIODevice::ReadOnly)) return;
    const double pages = file.readAll().split(' ').value(1).toDouble();
    memory_->setText(tr("RSS %1").arg(bytesText(pages * 4096)));
}

void MainWindow::openNewestTrace() {
    const QString id = session_.selection.primaryRun();
    const auto data = session_.catalog.data(id);
    if (!data || data->traces.empty())
        return say(tr("This run has recorded no denoising yet; run a prompt, or sample now (F7)."));
    openTrace(id, QString::fromStdString(data->traces.back().path));
}

void MainWindow::openTrace(const QString& runId, const QString& file) {
    const std::filesystem::path path = session_.project().runFolder(runId.toStdString()) / file.toStdString();
    QThreadPool::globalInstance()->start([window = QPointer<MainWindow>(this), path] {
        auto read = std::make_shared<Result<trace::Trace>>(trace::readTrace(path));
        QMetaObject::invokeMethod(qApp, [window, read] {
            if (!window) return;
            if (!*read) return window->say(QString::fromStdString(read->error().text()));
            window->showTrace(std::make_shared<const trace::Trace>(std::move(**read)));
            window->openWorkspace(WorkspaceId::Inspect);
        });
    });
}

void MainWindow::showTrace(std::shared_ptr<const trace::Trace> trace) {
    session_.selection.setTrace(trace);
    session_.playhead.setDenoiseSteps(trace->steps);
    session_.playhead.setDenoiseStep(trace->steps - 1);
}

// ---- session ----

void MainWindow::openWorkspace(WorkspaceId id) {
    Workspace& space = workspace(id);
    const QJsonObject layouts = session_.state().value(QStringLiteral("layouts")).toObject();
    if (!space.isOpen()) {
        space.open(bytesOf(layouts.value(workspaceName(id))));
        if (windowMenu_) buildMenus();
    }
    centre_->setCurrentWidget(&space);
    // No view is ever empty that could show something.
    if (id == WorkspaceId::Inspect && !session_.selection.trace())
        if (const auto data = session_.catalog.data(session_.selection.primaryRun());
            data && !data->traces.empty())
            openNewestTrace();
    for (int i = 0; i < kWorkspaces; ++i)
        tabs_[static_cast<std::size_t>(i)]->setChecked(i == static_cast<int>(id));
    if (!restoring_) session_.put(QStringLiteral("workspace"), static_cast<int>(id));
}

void MainWindow::arrangeFrame() {
    // A small screen (or a large zoom) keeps its room for the centre; Ctrl+B and Ctrl+I bring the sides back.
    const int runs = width() >= px(900) ? px(352) : width() >= px(760) ? px(150) : 0;
    const int inspector = width() >= px(1240) ? px(272) : 0;
    splitter_->setSizes({runs, width() - runs - inspector, inspector});
}

void MainWindow::restoreSession() {
    const QJsonObject state = session_.state();
    if (!restoreGeometry(bytesOf(state.value(QStringLiteral("geometry")))))
        resize(QSize(1600, 1000).boundedTo(screen()->availableSize()));
    if (!splitter_->restoreState(bytesOf(state.value(QStringLiteral("frame"))))) arrangeFrame();
    runs_->restoreHeaderState(bytesOf(state.value(QStringLiteral("runColumns"))));
    runs_->setFilterText(state.value(QStringLiteral("filter")).toString());
    const QStringList runs =
        state.value(QStringLiteral("runs")).toString().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    if (!runs.isEmpty() && session_.selection.runs().isEmpty()) session_.selection.setRuns(runs);
}

void MainWindow::saveLayout() {
    QJsonObject layouts = session_.state().value(QStringLiteral("layouts")).toObject();
    for (Workspace* space : workspaces_)
        if (space->isOpen() && space->isVisible())
            layouts.insert(workspaceName(space->id()), base64(space->saveState()));
    session_.put(QStringLiteral("layouts"), layouts);
    session_.put(QStringLiteral("geometry"), base64(saveGeometry()));
    session_.put(QStringLiteral("frame"), base64(splitter_->saveState()));
    session_.put(QStringLiteral("runColumns"), base64(runs_->headerState()));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    saveLayout();
    session_.saveNow();
    event->accept();
}

}  // namespace kurve::studio
