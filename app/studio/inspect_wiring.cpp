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

store::RecordingFile recordingOf(const ProjectSession& session, const QString& run, const QString& file) {
    store::RecordingFile recording{run.toStdString(),
                                   store::RunFile::parse(file.toStdString()).value_or(store::RunFile()), 0};
    if (const auto data = session.catalog.data(run))
        for (const auto& row : data->traces)
            if (row.path == recording.file) recording.bytes = row.bytes;
    return recording;
}

/// The models that train here and can be asked as they are.
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
                         session.edits.trashRecordings({recordingOf(session, run, file)}, true);
                     });
    QObject::connect(&prompt, &PromptPanel::defaultSamplerWanted, &session.samplers, &DefaultSamplers::keep);
    QObject::connect(&service, &InspectService::statusChanged, &prompt, &PromptPanel::setStatus);
    QObject::connect(&service, &InspectService::answered, &prompt, [&](const PromptAnswer& answer) {
        if (service.status().runId == session.selection.primaryRun()) prompt.showAnswer(answer);
    });
    const auto showRequest = [&] {
        const auto trace = session.selection.trace();
        if (trace == nullptr) return;
        PromptRequest made = requestOf(*trace);
        // Which of the beam it is needs no word where the selector took it.
        if (const auto all = trace::candidatesOf(*trace);
            all.size() < 2 || all.front().number == made.candidate)
            made.candidate.reset();
        prompt.showRequest(made, window.traces().wasAsked());
    };
    QObject::connect(&session.selection, &Selection::traceChanged, &prompt, showRequest);
    showRequest();
    QObject::connect(&prompt, &PromptPanel::candidatesRequested, &window, [&window] {
        if (QDockWidget* dock = window.workspace(WorkspaceId::Inspect).reveal(QStringLiteral("candidates")))
            dock->findChild<QTableView*>()->setFocus(Qt::OtherFocusReason);
    });
    prompt.setStatus(service.status());
}

/// Asks, and says what is going on until it is not.
void request(MainWindow& window, ProjectSession& session, const PromptRequest& asked, const QString& saying) {
    InspectService& service = session.inspect;
    if (session.catalog.run(asked.runId) != nullptr) session.selection.setPrimary(asked.runId);
    window.say(saying);
    auto* once = new QObject(&window);
    QObject::connect(
        &service, &InspectService::statusChanged, once, [once, saying, &window](const PromptStatus& status) {
            if (status.kind == PromptStatus::Kind::Loading || status.kind == PromptStatus::Kind::Working)
                return;
            once->deleteLater();
            window.takeBack(saying);
        });
    service.request(asked);
}

/// The request that made a recording once more. The weights of a training that stands (paused) where it
/// recorded the trace may be in no checkpoint: its own engine is asked.
PromptRequest requestAgain(const ProjectSession& session, const trace::Trace& trace) {
    PromptRequest request = requestOf(trace);
    const RunSupervisor* run = session.control.supervisor(request.runId);
    const bool there = run != nullptr && run->phase() == RunPhase::Paused &&
                       request.checkpoint == QString::number(run->progress().step);  // a mean is not it
    if (there) request.checkpoint = QLatin1String(kLiveModel);
    return request;
}

void wire(CandidatesPanel& candidates, MainWindow& window, ProjectSession& session) {
    QObject::connect(&candidates, &CandidatesPanel::recordedTraceWanted, &window,
                     &MainWindow::openNewestTrace);
    QObject::connect(&candidates, &CandidatesPanel::recordingWanted, &window,
                     [&](const std::shared_ptr<const trace::Trace>& of, qint64 number) {
                         PromptRequest asked = requestAgain(session, *of);
                         asked.branch.reset();  // a branch's other candidates are its parent's
                         asked.candidate = number;
                         request(window, session, asked,
                                 MainWindow::tr("Denoising again to record that candidate…"));
                     });
}

void branch(MainWindow& window, ProjectSession& session, const trace::Trace& parent, int step,
            const QString& edits) {
    if (parent.file.empty())
        return window.say(
            MainWindow::tr("This denoising is in no file; run the prompt again and branch from that."));
    PromptRequest asked = requestAgain(session, parent);
    asked.branch = PromptRequest::Branch{QString::fromStdString(parent.file.string()), step, edits};
    request(window, session, asked, MainWindow::tr("Denoising again from step %1…").arg(step + 1));
}

void wire(CurvePanel& curve, MainWindow& window, ProjectSession& session) {
    curve.restoreChoices(session.state().value(QStringLiteral("curve")).toObject());
    QObject::connect(&curve, &CurvePanel::choiceChanged, &window,
                     [&session, &curve] { session.put(QStringLiteral("curve"), curve.save()); });
    QObject::connect(&curve, &CurvePanel::recordedTraceWanted, &window, &MainWindow::openNewestTrace);
    QObject::connect(&curve, &CurvePanel::curveMissing, &window, [&window] {
        // What can be compared there stands in for it; where that is empty as well, the curve's own page says
        // why, and comes back with the next recording that has one.
        Workspace& space = window.workspace(WorkspaceId::Inspect);
        QDockWidget *similarity = space.dock(QStringLiteral("similarity")),
                    *front = space.dock(QStringLiteral("curve"));
        const auto* states = qobject_cast<const SimilarityPanel*>(space.panel(QStringLiteral("similarity")));
        if (similarity != nullptr && front != nullptr && states != nullptr && states->hasData() &&
            space.tabifiedDockWidgets(front).contains(similarity))
            similarity->raise();
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
    QObject::connect(&timeline, &TimelinePanel::recordWanted, &window, [&window] {
        window.showPanel(WorkspaceId::Inspect, QStringLiteral("prompt"));
        if (auto* prompt = window.findChild<PromptPanel*>()) prompt->run();
    });
    QObject::connect(&timeline, &TimelinePanel::recordingWanted, &window, &MainWindow::replaceTrace);
    QObject::connect(&timeline, &TimelinePanel::traceWanted, &window, [&](const QString& file) {
        // It lies beside the shown one, which may be of another run than the selected one.
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
    QObject::connect(&similarity, &SimilarityPanel::recordedTraceWanted, &window,
                     &MainWindow::openNewestTrace);
    QObject::connect(&similarity, &SimilarityPanel::captureRequested, &window,
                     [&](const std::shared_ptr<const trace::Trace>& trace, const QStringList& what) {
                         PromptRequest asked = requestAgain(session, *trace);  // a branch with its edits
                         asked.what = what;
                         request(window, session, asked,
                                 MainWindow::tr("Denoising again to record the layers…"));
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
