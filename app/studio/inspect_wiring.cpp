#include "app/studio/inspect_wiring.h"

#include <QDockWidget>
#include <QTableView>

#include "app/studio/main_window.h"
#include "app/studio/trace_request.h"
#include "core/trace/candidates.h"
#include "views/candidates/candidates_panel.h"
#include "views/curve/curve_panel.h"
#include "views/prompt/prompt_panel.h"
#include "views/similarity/similarity_panel.h"
#include "views/timeline/timeline_panel.h"

namespace kurve::studio {

using namespace views;

namespace {

store::TraceFile traceOf(const ProjectSession& session, const QString& run, const QString& file) {
    store::TraceFile trace{run.toStdString(),
                           store::RunFile::parse(file.toStdString()).value_or(store::RunFile()), 0};
    if (const auto data = session.catalog.data(run))
        for (const auto& row : data->traces)
            if (row.path == trace.file) trace.bytes = row.bytes;
    return trace;
}

/// The models that train here and answer prompts.
std::vector<LiveModel> liveModels(const RunControl& control) {
    std::vector<LiveModel> models;
    for (const RunSupervisor* run : control.live()) {
        const bool paused = run->phase() == RunPhase::Paused;
        if (paused || run->phase() == RunPhase::Running || run->phase() == RunPhase::Pausing)
            models.push_back({run->runId(), paused ? run->progress().step : 0, paused});
    }
    return models;
}

void wire(PromptPanel& prompt, MainWindow& window, ProjectSession& session) {
    InspectService& service = session.inspect;
    const auto showLive = [&] { prompt.setLiveModels(liveModels(session.control)); };
    QObject::connect(&session.control, &RunControl::changed, &prompt, showLive);
    showLive();
    prompt.restore(session.state().value(QStringLiteral("prompt")).toObject());
    QObject::connect(&prompt, &PromptPanel::draftChanged, &window,
                     [&session, &prompt] { session.put(QStringLiteral("prompt"), prompt.save()); });
    QObject::connect(&prompt, &PromptPanel::requested, &service, &InspectService::request);
    QObject::connect(&prompt, &PromptPanel::cancelRequested, &service, &InspectService::cancel);
    QObject::connect(&prompt, &PromptPanel::traceRequested, &window, &MainWindow::openTrace);
    QObject::connect(&prompt, &PromptPanel::besideRequested, &window, &MainWindow::openBeside);
    QObject::connect(&prompt, &PromptPanel::trashRequested, &window,
                     [&session](const QString& run, const QString& file) {
                         session.edits.trashTraces({traceOf(session, run, file)}, true);
                     });
    QObject::connect(&prompt, &PromptPanel::defaultSamplerRequested, &session.samplers,
                     &DefaultSamplers::save);
    QObject::connect(&service, &InspectService::statusChanged, &prompt, &PromptPanel::setStatus);
    QObject::connect(&service, &InspectService::answered, &prompt, [&](const PromptAnswer& answer) {
        if (service.status().runId == session.selection.primaryRun()) prompt.showAnswer(answer);
    });
    const auto showRequest = [&] {
        const auto trace = session.selection.trace();
        if (trace == nullptr) return;
        PromptRequest made = requestOf(*trace);
        // The candidate is not shown where it is the selected one.
        if (const auto all = trace::candidatesOf(*trace);
            all.size() < 2 || all.front().number == made.candidate)
            made.candidate.reset();
        prompt.showRequest(made, window.traces().wasRequested());
    };
    QObject::connect(&session.selection, &Selection::traceChanged, &prompt, showRequest);
    showRequest();
    QObject::connect(&prompt, &PromptPanel::candidatesRequested, &window, [&window] {
        if (QDockWidget* dock = window.workspace(WorkspaceId::Inspect).reveal(QStringLiteral("candidates")))
            dock->findChild<QTableView*>()->setFocus(Qt::OtherFocusReason);
    });
    prompt.setStatus(service.status());
}

/// Sends a request and shows `saying` until it is answered.
void request(MainWindow& window, ProjectSession& session, const PromptRequest& again, const QString& saying) {
    InspectService& service = session.inspect;
    if (session.catalog.run(again.runId) != nullptr) session.selection.setPrimary(again.runId);
    window.say(saying);
    auto* once = new QObject(&window);
    QObject::connect(
        &service, &InspectService::statusChanged, once, [once, saying, &window](const PromptStatus& status) {
            if (status.kind == PromptStatus::Kind::Loading || status.kind == PromptStatus::Kind::Working)
                return;
            once->deleteLater();
            window.retract(saying);
        });
    service.request(again);
}

/// The request that made a trace. A training that is paused at the step of the trace answers it itself: the
/// weights may be in no checkpoint.
PromptRequest requestAgain(const ProjectSession& session, const trace::Trace& trace) {
    PromptRequest request = requestOf(trace);
    const RunSupervisor* run = session.control.supervisor(request.runId);
    const bool live =
        run != nullptr && run->phase() == RunPhase::Paused &&
        request.checkpoint == QString::number(run->progress().step);  // not an average of checkpoints
    if (live) request.checkpoint = QLatin1String(kLiveModel);
    return request;
}

void wire(CandidatesPanel& candidates, MainWindow& window, ProjectSession& session) {
    QObject::connect(&candidates, &CandidatesPanel::newestTraceRequested, &window,
                     &MainWindow::openNewestTrace);
    QObject::connect(&candidates, &CandidatesPanel::traceRequested, &window,
                     [&](const std::shared_ptr<const trace::Trace>& of, qint64 number) {
                         PromptRequest again = requestAgain(session, *of);
                         again.branch.reset();  // a branch has the candidates of its parent
                         again.candidate = number;
                         request(window, session, again,
                                 MainWindow::tr("Recording a trace of this candidate…"));
                     });
}

void branch(MainWindow& window, ProjectSession& session, const trace::Trace& parent, int step,
            const QString& edits) {
    if (parent.file.empty())
        return window.say(MainWindow::tr("Trace not saved; run the prompt again and branch from it."));
    PromptRequest again = requestAgain(session, parent);
    again.branch = PromptRequest::Branch{QString::fromStdString(parent.file.string()), step, edits};
    request(window, session, again, MainWindow::tr("Re-running from step %1…").arg(step + 1));
}

void wire(CurvePanel& curve, MainWindow& window, ProjectSession& session) {
    curve.restoreChoices(session.state().value(QStringLiteral("curve")).toObject());
    QObject::connect(&curve, &CurvePanel::choiceChanged, &window,
                     [&session, &curve] { session.put(QStringLiteral("curve"), curve.save()); });
    QObject::connect(&curve, &CurvePanel::newestTraceRequested, &window, &MainWindow::openNewestTrace);
    // Without a curve token similarity is shown instead, until a trace has one again.
    QObject::connect(&curve, &CurvePanel::availableChanged, &window,
                     [&window, instead = false](bool available) mutable {
                         Workspace& space = window.workspace(WorkspaceId::Inspect);
                         QDockWidget *similarity = space.dock(QStringLiteral("similarity")),
                                     *front = space.dock(QStringLiteral("curve"));
                         if (similarity == nullptr || front == nullptr) return;
                         if (!space.tabifiedDockWidgets(front).contains(similarity)) return;
                         QDockWidget* shown = available ? similarity : front;
                         if (!space.isInFront(*shown) || (available && !instead)) return;
                         instead = !available;
                         (available ? front : similarity)->raise();
                     });
    QObject::connect(&curve, &CurvePanel::branchRequested, &window,
                     [&](const std::shared_ptr<const trace::Trace>& parent, int step, const QString& edits) {
                         branch(window, session, *parent, step, edits);
                     });
}

void wire(TimelinePanel& timeline, MainWindow& window, ProjectSession& session) {
    timeline.restore(session.state().value(QStringLiteral("timeline")).toObject());
    QObject::connect(&timeline, &TimelinePanel::choiceChanged, &window,
                     [&session, &timeline] { session.put(QStringLiteral("timeline"), timeline.save()); });
    QObject::connect(&timeline, &TimelinePanel::recordRequested, &window, [&window] {
        window.showPanel(WorkspaceId::Inspect, QStringLiteral("prompt"));
        if (auto* prompt = window.findChild<PromptPanel*>()) prompt->run();
    });
    QObject::connect(&timeline, &TimelinePanel::traceRequested, &window, &MainWindow::replaceTrace);
    QObject::connect(&timeline, &TimelinePanel::branchSelected, &window, [&](const QString& file) {
        // In the folder of the shown trace, which may be of another run than the selected one.
        const std::filesystem::path path = file.toStdString(), traces = path.parent_path();
        window.openTrace(QString::fromStdString(traces.parent_path().filename().string()),
                         QString::fromStdString((traces.filename() / path.filename()).string()));
    });
    QObject::connect(&timeline, &TimelinePanel::branchRequested, &window,
                     [&](const std::shared_ptr<const trace::Trace>& parent, int step, const QString& edits) {
                         branch(window, session, *parent, step, edits);
                     });
    QObject::connect(&session.inspect, &InspectService::statusChanged, &timeline,
                     [&window](const PromptStatus& status) {
                         if (status.kind == PromptStatus::Kind::Failed) window.say(status.text);
                     });
}

void wire(SimilarityPanel& similarity, MainWindow& window, ProjectSession& session) {
    similarity.restore(session.state().value(QStringLiteral("similarity")).toObject());
    QObject::connect(&similarity, &SimilarityPanel::choiceChanged, &window, [&session, &similarity] {
        session.put(QStringLiteral("similarity"), similarity.save());
    });
    QObject::connect(&similarity, &SimilarityPanel::newestTraceRequested, &window,
                     &MainWindow::openNewestTrace);
    QObject::connect(&similarity, &SimilarityPanel::captureRequested, &window,
                     [&](const std::shared_ptr<const trace::Trace>& trace, const QStringList& what) {
                         PromptRequest again = requestAgain(session, *trace);  // a branch with its edits
                         again.what = what;
                         request(window, session, again, MainWindow::tr("Recording the layers…"));
                     });
}

}  // namespace

void wireInspectPanel(Panel& panel, MainWindow& window, ProjectSession& session) {
    if (auto* prompt = qobject_cast<PromptPanel*>(&panel)) wire(*prompt, window, session);
    if (auto* candidates = qobject_cast<CandidatesPanel*>(&panel)) wire(*candidates, window, session);
    if (auto* timeline = qobject_cast<TimelinePanel*>(&panel)) wire(*timeline, window, session);
    if (auto* curve = qobject_cast<CurvePanel*>(&panel)) wire(*curve, window, session);
    if (auto* similarity = qobject_cast<SimilarityPanel*>(&panel)) wire(*similarity, window, session);
}

}  // namespace kurve::studio
