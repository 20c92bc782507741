#include "app/studio/panel_wiring.h"

#include <QDockWidget>
#include <QJsonArray>
#include <QPlainTextEdit>

#include "app/studio/alert_service.h"
#include "app/studio/corpus_import.h"
#include "app/studio/inspect_wiring.h"
#include "app/studio/main_window.h"
#include "app/studio/point_actions.h"
#include "app/studio/run_requests.h"
#include "app/studio/trace_request.h"
#include "views/compare/compare_panel.h"
#include "views/compare/explore_panel.h"
#include "views/corpus/corpus_panel.h"
#include "views/curve/curve_panel.h"
#include "views/frontier/frontier_panel.h"
#include "views/launch/launch_panel.h"
#include "views/launch/queue_panel.h"
#include "views/monitor/alerts_panel.h"
#include "views/monitor/monitor_panel.h"
#include "views/prompt/prompt_panel.h"
#include "views/query/query_panel.h"
#include "views/runs/disk_panel.h"
#include "views/runs/inspector_panel.h"
#include "views/runs/run_edits.h"
#include "views/runs/runs_panel.h"
#include "views/samples/samples_panel.h"
#include "views/schedule/schedule_panel.h"
#include "views/similarity/similarity_panel.h"
#include "views/spline/spline_panel.h"
#include "views/timeline/timeline_panel.h"

namespace kurve::studio {

using namespace views;

namespace {

void wire(LaunchPanel& launch, MainWindow& window, ProjectSession& session) {
    launch.restore(session.state().value(QStringLiteral("draft")).toObject());
    launch.setProblem(session.engine.problem());
    QObject::connect(&session.engine, &EngineDescription::failed, &launch, &LaunchPanel::setProblem);
    QObject::connect(&launch, &LaunchPanel::retryRequested, &window,
                     [&session] { session.engine.load(findEngineProgram()); });
    QObject::connect(&launch, &LaunchPanel::estimateWanted, &window.draftActions(),
                     &DraftActions::estimateSoon);
    QObject::connect(&launch, &LaunchPanel::draftChanged, &window,
                     [&session, &launch] { session.put(QStringLiteral("draft"), launch.save()); });
    QObject::connect(&launch, &LaunchPanel::liveSetRequested, &window,
                     [&window, &session](const QString& key, const QString& value) {
                         if (RunSupervisor* current = session.control.current()) current->set(key, value);
                         window.say(MainWindow::tr("%1 = %2 from the next step.").arg(key, value));
                     });
    window.updateRun();
}

void wire(QueuePanel& queue, MainWindow& window, ProjectSession& session) {
    const auto show = [&session, &queue] {
        queue.setState(session.queue.state(), session.queue.isElsewhere());
    };
    const auto occupants = [&session, &queue] { queue.setOccupants(session.queue.occupants()); };
    QObject::connect(&session.control, &RunControl::changed, &queue, occupants);
    QObject::connect(&session.catalog, &RunCatalog::runsChanged, &queue, occupants);
    QObject::connect(&queue, &QueuePanel::resumeRequested, &window, [&session](const QString& id) {
        if (RunSupervisor* run = session.control.supervisor(id)) run->resume();
    });
    QObject::connect(&queue, &QueuePanel::stopRequested, &window, [&session](const QString& id) {
        if (RunSupervisor* run = session.control.supervisor(id)) run->stop();
    });
    QObject::connect(&session.queue, &RunQueue::changed, &queue, show);
    QObject::connect(&queue, &QueuePanel::edited, &session.queue, &RunQueue::edit);
    QObject::connect(&queue, &QueuePanel::addRequested, &window.draftActions(), &DraftActions::queue);
    QObject::connect(&queue, &QueuePanel::runRequested, &window,
                     [&session](const QString& id) { session.selection.setRuns({id}); });
    show();
    occupants();
}

void wire(AlertsPanel& alerts, ProjectSession& session) {
    auto* service = new AlertService(session.project(), &alerts);
    alerts.setRules(service->rules());
    alerts.setProblem(service->problem());
    QObject::connect(&alerts, &AlertsPanel::rulesChanged, service, &AlertService::setRules);
    QObject::connect(service, &AlertService::problemChanged, &alerts,
                     [service, &alerts] { alerts.setProblem(service->problem()); });
}

/// Puts a text with its reference into the prompt bar.
void tryInPrompt(MainWindow& window, const QString& text, const QString& reference) {
    window.openWorkspace(WorkspaceId::Inspect);
    Workspace& inspect = window.workspace(WorkspaceId::Inspect);
    auto* prompt = qobject_cast<PromptPanel*>(inspect.panel(QStringLiteral("prompt")));
    if (prompt == nullptr) return;
    inspect.reveal(QStringLiteral("prompt"));
    prompt->usePair(text, reference);
    window.say(reference.isEmpty() ? MainWindow::tr("Press Ctrl+Enter to run it.")
                                   : MainWindow::tr("Reference included; press Ctrl+Enter to run it."));
}

void wire(CorpusPanel& corpus, MainWindow& window, ProjectSession& session) {
    new CorpusImport(corpus, session);  // owned by the panel
    QObject::connect(
        &corpus, &CorpusPanel::tryRequested, &window,
        [&window](const QString& source, const QString& target) { tryInPrompt(window, source, target); });
    QObject::connect(&corpus, &CorpusPanel::draftRequested, &window,
                     [&window](const QMap<QString, QString>& settings) {
                         window.openWorkspace(WorkspaceId::Train);
                         if (LaunchPanel* launch = window.launchPanel()) launch->useSettings(settings);
                     });
}

void wire(SamplesPanel& samples, MainWindow& window) {
    QObject::connect(&samples, &SamplesPanel::traceRequested, &window, &MainWindow::openTrace);
    QObject::connect(
        &samples, &SamplesPanel::tryRequested, &window,
        [&window](const QString& input, const QString& reference) { tryInPrompt(window, input, reference); });
    QObject::connect(&samples, &SamplesPanel::sampleRequested,
                     window.commands().action(QStringLiteral("run.sample")), &QAction::trigger);
}

void wire(FrontierPanel& frontier, MainWindow& window, ProjectSession& session) {
    SweepForm& form = frontier.form();
    form.restore(session.state().value(QStringLiteral("sweep")).toObject());
    QObject::connect(&form, &SweepForm::draftChanged, &window,
                     [&session, &form] { session.put(QStringLiteral("sweep"), form.save()); });
    wirePointActions(frontier, window, session);
    frontier.setInReport(session.state().value(QStringLiteral("reportPlanes")).toVariant().toStringList());
    QObject::connect(
        &frontier, &FrontierPanel::reportChanged, &window, [&window, &session](const QStringList& planes) {
            session.put(QStringLiteral("reportPlanes"), QJsonArray::fromStringList(planes));
            window.say(
                planes.isEmpty()
                    ? MainWindow::tr("No planes selected for the report.")
                    : MainWindow::tr("Planes in the report: %1.").arg(planes.join(QStringLiteral(", "))));
        });
    QObject::connect(&frontier, &FrontierPanel::sweepRequested, &session.sweep, &SweepService::start);
    QObject::connect(&frontier, &FrontierPanel::sweepPauseRequested, &session.sweep, &SweepService::pause);
    QObject::connect(&frontier, &FrontierPanel::sweepCancelRequested, &session.sweep, &SweepService::cancel);
    QObject::connect(&session.sweep, &SweepService::statusChanged, &frontier, &FrontierPanel::setSweepStatus);
    QObject::connect(&session.sweep, &SweepService::pointsChanged, &frontier, &FrontierPanel::reload);
    frontier.setSweepStatus(session.sweep.status());
    frontier.restore(session.state().value(QStringLiteral("frontier")).toObject());
    QObject::connect(&frontier, &FrontierPanel::choiceChanged, &window,
                     [&session, &frontier] { session.put(QStringLiteral("frontier"), frontier.save()); });
    QObject::connect(&frontier, &FrontierPanel::traceRequested, &window, [&](const FrontierTrace& trace) {
        PromptRequest request;
        request.runId = trace.runId;
        request.checkpoint = trace.checkpoint;
        request.input = trace.input;
        request.reference = trace.reference;
        request.settings =
            overDefaultSampler(session, trace.runId, QMap<QString, QString>(trace.settings)).toStdMap();
        request.seed = trace.seed;
        request.row = trace.row;
        request.expected = trace.expected;
        window.openWorkspace(WorkspaceId::Inspect);
        session.selection.setPrimary(trace.runId);
        session.inspect.request(request);
    });
}

void wire(SchedulePanel& schedule, MainWindow& window, ProjectSession& session) {
    QObject::connect(
        &schedule, &SchedulePanel::sampleRequested, &window, [&](const QMap<QString, QString>& settings) {
            const store::RunSummary* run = session.catalog.run(session.selection.primaryRun());
            if (run == nullptr) return window.say(MainWindow::tr("Select a run to decode with."));
            const auto schema = session.engine.info().family(run->family);
            if (!schema || schema->find("sampler.schedule") == nullptr)
                return window.say(MainWindow::tr("%1 does not support another schedule at test time.")
                                      .arg(QString::fromStdString(run->family)));
            window.openWorkspace(WorkspaceId::Inspect);
            if (auto* prompt = window.findChild<PromptPanel*>()) {
                prompt->useSampler(settings);
                window.say(MainWindow::tr("The next prompts use these noise levels; press Ctrl+Enter."));
            }
        });
    schedule.restore(session.state().value(QStringLiteral("schedules")).toObject());
    QObject::connect(&schedule, &SchedulePanel::changed, &window,
                     [&session, &schedule] { session.put(QStringLiteral("schedules"), schedule.save()); });
    QObject::connect(&schedule, &SchedulePanel::draftRequested, &window,
                     [&window](const QString& schedule, const QMap<QString, QString>& parameters) {
                         window.openWorkspace(WorkspaceId::Train);
                         if (LaunchPanel* launch = window.launchPanel())
                             launch->useSchedule(schedule, parameters);
                     });
}

void wire(DiskPanel& disk, MainWindow& window, ProjectSession& session) {
    disk.setBudget(session.state().value(StatusLine::kBudgetKey).toDouble());
    QObject::connect(&disk, &DiskPanel::budgetChanged, &window, [&window, &session](double bytes) {
        session.put(StatusLine::kBudgetKey, bytes);
        window.showDisk();
    });
    RunEdits& edits = session.edits;
    QObject::connect(&disk, &DiskPanel::trashRequested, &edits, &RunEdits::trashTraces);
    QObject::connect(&edits, &RunEdits::tracesMoved, &disk, &DiskPanel::measure);
    QObject::connect(&disk, &DiskPanel::purgeRequested, &window.exchange(), &ExchangeService::purgeTraces);
    QObject::connect(&window.exchange(), &ExchangeService::tracesPurged, &disk, &DiskPanel::measure);
    QObject::connect(&disk, &DiskPanel::runRequested, &window,
                     [&session](const QString& id) { session.selection.setRuns({id}); });
}

void wire(QueryPanel& query, MainWindow& window, ProjectSession& session) {
    auto* sql = query.findChild<QPlainTextEdit*>(QStringLiteral("query.sql"));
    const QString saved = session.state().value(QStringLiteral("sql")).toString();
    if (!saved.isEmpty()) query.setSql(saved);
    QObject::connect(sql, &QPlainTextEdit::textChanged, &window,
                     [&session, sql] { session.put(QStringLiteral("sql"), sql->toPlainText()); });
}

void wire(SplinePanel& schedule, MainWindow& window, ProjectSession& session) {
    schedule.restore(session.state().value(QStringLiteral("spline")).toObject());
    QObject::connect(&schedule, &SplinePanel::changed, &window,
                     [&session, &schedule] { session.put(QStringLiteral("spline"), schedule.save()); });
    QObject::connect(&schedule, &SplinePanel::draftRequested, &window,
                     [&window](const QMap<QString, QString>& values) {
                         window.openWorkspace(WorkspaceId::Train);
                         if (LaunchPanel* launch = window.launchPanel()) launch->useSettings(values);
                     });
}

void wire(MonitorPanel& monitor, MainWindow& window, ProjectSession& session) {
    monitor.restore(session.state().value(QStringLiteral("monitor")).toObject());
    QObject::connect(&monitor, &MonitorPanel::choiceChanged, &window,
                     [&session, &monitor] { session.put(QStringLiteral("monitor"), monitor.save()); });
    QObject::connect(&monitor, &MonitorPanel::startRequested, &window.draftActions(), &DraftActions::train);
}

void wire(ComparePanel& compare, MainWindow& window, ProjectSession& session) {
    compare.restore(session.state().value(QStringLiteral("compare")).toObject());
    QObject::connect(&compare, &ComparePanel::choiceChanged, &window,
                     [&session, &compare] { session.put(QStringLiteral("compare"), compare.save()); });
    QObject::connect(&compare, &ComparePanel::traceRequested, &window,
                     [&window](const SampleTrace& cell) { window.openTrace(cell.run, cell.file); });
    QObject::connect(&compare, &ComparePanel::pairRequested, &window,
                     [&window](const SampleTrace& a, const SampleTrace& b) {
                         window.openTrace(a.run, a.file);
                         window.openBeside(b.run, b.file);
                     });
    QObject::connect(&compare, &ComparePanel::reportRequested, &window.exchange(),
                     &ExchangeService::askReport);
}

void wire(ExplorePanel& explore, MainWindow& window, ProjectSession& session) {
    explore.restore(session.state().value(QStringLiteral("explore")).toObject());
    QObject::connect(&explore, &ExplorePanel::choiceChanged, &window,
                     [&session, &explore] { session.put(QStringLiteral("explore"), explore.save()); });
    QObject::connect(&explore, &ExplorePanel::filterRequested, &window.runs(), &RunsPanel::setFilterText);
}

void wire(RunsPanel& runs, MainWindow& window, ProjectSession& session) {
    QObject::connect(&runs, &RunsPanel::compareRequested, &window,
                     [&window] { window.openWorkspace(WorkspaceId::Compare); });
    QObject::connect(&runs, &RunsPanel::startRequested, &window.draftActions(), &DraftActions::train);
    QObject::connect(&runs, &RunsPanel::tagsRequested, &window, [&window] {
        window.showInspector();
        window.inspector().editTags();
    });
    QObject::connect(&runs, &RunsPanel::notesRequested, &window, [&window] {
        window.showInspector();
        window.inspector().editNotes();
    });
    QObject::connect(&runs, &RunsPanel::filterChanged, &window,
                     [&session](const QString& text) { session.put(QStringLiteral("filter"), text); });
    runs.setSavedFilters(session.state().value(QStringLiteral("filters")).toVariant().toStringList());
    QObject::connect(&runs, &RunsPanel::savedFiltersChanged, &window, [&session](const QStringList& filters) {
        session.put(QStringLiteral("filters"), QJsonArray::fromStringList(filters));
    });
    QObject::connect(&runs, &RunsPanel::purgeRequested, &window.exchange(), &ExchangeService::purge);
}

/// The run's newest trace; without one the prompt for its model.
void openLatestTrace(MainWindow& window, ProjectSession& session, const QString& id) {
    const auto data = session.catalog.data(id);
    if (!data || !data->traces.empty()) return window.openNewestTrace();
    window.showPanel(WorkspaceId::Inspect, QStringLiteral("prompt"));
}

void wire(InspectorPanel& inspector, MainWindow& window, ProjectSession& session) {
    inspector.setExpected([&session](const QString& id) {
        const RunSupervisor* run = session.control.supervisor(id);
        return run != nullptr && run->isLive();
    });
    EvaluateForm& evaluate = inspector.evaluation();
    QObject::connect(&evaluate, &EvaluateForm::requested, &session.evaluation, &EvaluationService::start);
    QObject::connect(&evaluate, &EvaluateForm::cancelRequested, &session.evaluation,
                     &EvaluationService::cancel);
    QObject::connect(&session.evaluation, &EvaluationService::statusChanged, &evaluate,
                     &EvaluateForm::setStatus);
    evaluate.setStatus(session.evaluation.status());
    QObject::connect(&evaluate, &EvaluateForm::defaultSamplerRequested, &session.samplers,
                     &DefaultSamplers::save);
    auto* requests = new RunRequests(session, &inspector);
    QObject::connect(&inspector, &InspectorPanel::requested, requests, &RunRequests::carryOut);
    QObject::connect(requests, &RunRequests::said, &window, &MainWindow::say);
    QObject::connect(requests, &RunRequests::failed, &window, &MainWindow::say);
    QObject::connect(requests, &RunRequests::failed, &inspector.checkpoints(), &CheckpointTable::setProblem);
    QObject::connect(requests, &RunRequests::intactOffered, &inspector, &InspectorPanel::offerIntact);
    QObject::connect(requests, &RunRequests::retentionRead, &inspector.checkpoints(),
                     &CheckpointTable::setRetention);
    QObject::connect(requests, &RunRequests::sampleWanted, &window, [&window](const QString& step) {
        window.openWorkspace(WorkspaceId::Inspect);
        if (auto* prompt = qobject_cast<PromptPanel*>(
                window.workspace(WorkspaceId::Inspect).panel(QStringLiteral("prompt"))))
            prompt->useCheckpoint(step);
    });
    QObject::connect(&inspector, &InspectorPanel::tagsChanged, &session.edits, &RunEdits::changeTags);
    inspector.setNoteStore(session.edits.notes());
    QObject::connect(&inspector, &InspectorPanel::heightWanted, &window, &MainWindow::showInspector);
    QObject::connect(&inspector, &InspectorPanel::distilRequested, &session.distil, &DistilService::start);
    QObject::connect(&inspector, &InspectorPanel::latestTraceRequested, &window,
                     [&window, &session](const QString& id) { openLatestTrace(window, session, id); });
    QObject::connect(&inspector, &InspectorPanel::runRequested, &window,
                     [&session](const QString& id) { session.selection.setRuns({id}); });
    QObject::connect(&inspector, &InspectorPanel::draftRequested, &window, [&window](const QString& id) {
        window.openWorkspace(WorkspaceId::Train);
        if (LaunchPanel* launch = window.launchPanel()) launch->adoptRun(id);
    });
}

}  // namespace

void wirePanel(Panel& panel, MainWindow& window, ProjectSession& session) {
    QObject::connect(&panel, &Panel::statusMessage, &window, &MainWindow::say);
    window.viewActions().watch(panel);
    QObject::connect(&session.engine, &EngineDescription::ready, &panel, &Panel::engineInfoChanged);
    if (!session.engine.info().families().empty()) panel.engineInfoChanged();
    wireInspectPanel(panel, window, session);
    if (auto* launch = qobject_cast<LaunchPanel*>(&panel)) wire(*launch, window, session);
    if (auto* queue = qobject_cast<QueuePanel*>(&panel)) wire(*queue, window, session);
    if (auto* alerts = qobject_cast<AlertsPanel*>(&panel)) wire(*alerts, session);
    if (auto* corpus = qobject_cast<CorpusPanel*>(&panel)) wire(*corpus, window, session);
    if (auto* samples = qobject_cast<SamplesPanel*>(&panel)) wire(*samples, window);
    if (auto* frontier = qobject_cast<FrontierPanel*>(&panel)) wire(*frontier, window, session);
    if (auto* compare = qobject_cast<ComparePanel*>(&panel)) wire(*compare, window, session);
    if (auto* explore = qobject_cast<ExplorePanel*>(&panel)) wire(*explore, window, session);
    if (auto* schedule = qobject_cast<SchedulePanel*>(&panel)) wire(*schedule, window, session);
    if (auto* disk = qobject_cast<DiskPanel*>(&panel)) wire(*disk, window, session);
    if (auto* query = qobject_cast<QueryPanel*>(&panel)) wire(*query, window, session);
    if (auto* spline = qobject_cast<SplinePanel*>(&panel)) wire(*spline, window, session);
    if (auto* runs = qobject_cast<RunsPanel*>(&panel)) wire(*runs, window, session);
    if (auto* inspector = qobject_cast<InspectorPanel*>(&panel)) wire(*inspector, window, session);
    if (auto* monitor = qobject_cast<MonitorPanel*>(&panel)) wire(*monitor, window, session);
}

}  // namespace kurve::studio
