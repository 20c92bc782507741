#include "app/studio/window/run_actions.h"

#include <QPointer>

#include "core/wire/fields.h"
#include "views/common/services/studio.h"

namespace kurve::studio {

using views::RunAction, views::RunRequest;
using Kind = RunRequest::Kind;

RunActions::RunActions(ProjectSession& session, views::CommandRegistry& commands, views::Services& services)
    : session_(session), commands_(commands), services_(services) {
    const auto add = [this](RunAction action, std::function<void()> run) {
        views::addRunAction(commands_, action, std::move(run));
    };
    add(RunAction::Start, [this] { draft().train(); });
    add(RunAction::Queue, [this] { draft().queue(); });
    add(RunAction::Measure, [this] { draft().measure(); });
    add(RunAction::Pause, [this] { pauseOrResume(); });
    add(RunAction::Stop, [this] {
        if (RunSupervisor* current = session_.control.current()) current->stop();
    });
    add(RunAction::Sample, [this] { sampleNow(); });
    add(RunAction::Checkpoint, [this] {
        if (RunSupervisor* run = liveRun()) run->checkpointNow();
    });
    for (const auto& [action, kind] : {std::pair{RunAction::Resume, Kind::Resume},
                                       {RunAction::Reproduce, Kind::Reproduce},
                                       {RunAction::Distil, Kind::Distil},
                                       {RunAction::Fetch, Kind::Fetch},
                                       {RunAction::Follow, Kind::Follow}})
        add(action,
            [this, wanted = kind] { carryOut({.kind = wanted, .run = selected(), .checkpoint = {}}); });
    add(RunAction::Draft, [this] {
        services_.get<views::Studio>().reveal(QStringLiteral("launch"));
        draft().adoptRun(selected());
    });
    add(RunAction::OpenTrace, [this] { openLatestTrace(); });
    add(RunAction::CheckDeterminism, [this] { checkDeterminism(); });
}

void RunActions::openLatestTrace() {
    const auto data = session_.catalog.data(selected());
    if (!data || !data->traces.empty()) return services_.get<views::Traces>().openNewest();
    services_.get<views::Studio>().goTo(QStringLiteral("prompt"));
}

RunSupervisor* RunActions::liveRun() const {
    RunSupervisor* current = session_.control.current();
    return current && current->isLive() ? current : nullptr;
}

void RunActions::pauseOrResume() {
    RunSupervisor* current = session_.control.current();
    if (!current) return;
    current->phase() == RunPhase::Paused ? current->resume() : current->pause();
}

void RunActions::sampleNow() {
    RunSupervisor* run = liveRun();
    if (!run) return;
    run->sampleNow();
    Q_EMIT said(tr("Sampling the fixed prompts…"));
}

void RunActions::checkDeterminism() {
    if (endCheck_) {
        std::exchange(endCheck_, nullptr)();
        return Q_EMIT said(tr("Determinism check cancelled."));
    }
    const auto data = session_.catalog.data(selected());
    if (selected().isEmpty() || data == nullptr) return Q_EMIT said(tr("Select a run to check."));
    const QString name = QString::fromStdString(data->summary.name);
    Q_EMIT said(tr("Checking determinism of %1…").arg(name));
    const auto answered = [this, name](const Result<nlohmann::json>& answer) {
        endCheck_ = nullptr;
        if (!answer) return Q_EMIT said(QString::fromStdString(answer.error().text()));
        const wire::Fields replay(*answer);
        const QString range =
            tr("steps %1 to %2").arg(replay.integer("from", qint64(0))).arg(replay.integer("to", qint64(0)));
        Q_EMIT said(replay.flag("equal")
                        ? tr("%1: %2 are bitwise identical.").arg(name, range)
                        : tr("%1: %2 differ; first difference: %3.")
                              .arg(name, range, QString::fromStdString(replay.text("first_difference"))));
    };
    endCheck_ = session_.engine.call(
        {QStringLiteral("reproduce"), selected(), QStringLiteral("--steps"), QStringLiteral("1")}, answered,
        this);
}

void RunActions::update() {
    const RunSupervisor* current = session_.control.current();
    const RunPhase phase = current ? current->phase() : RunPhase::NotRunning;
    const bool answers = phase == RunPhase::Running || phase == RunPhase::Paused, live = liveRun() != nullptr;
    const QString idle = tr("No run is training; press F5 to start the draft."),
                  busy = !live ? idle
                         : current->lostSince() > 0
                             ? tr("There is no contact with %1.").arg(current->machine())
                             : tr("The engine is not responding.");
    const auto refuse = [this](const char* id, bool can, const QString& reason) {
        commands_.setRefusal(QLatin1String(id), can ? QString() : reason);
    };
    refuse("run.pause", answers || phase == RunPhase::Pausing, busy);
    refuse("run.stop", live, idle);
    for (const char* id : {"run.sample", "run.checkpoint"}) refuse(id, answers, busy);
    commands_.action(QStringLiteral("run.pause"))
        ->setText(phase == RunPhase::Paused ? tr("Resume") : tr("Pause"));
    commands_.action(QStringLiteral("run.stop"))
        ->setText(phase == RunPhase::Stopping ? tr("Stop now") : tr("Stop"));
}

void RunActions::carryOut(const RunRequest& request) {
    RunSupervisor* known = session_.control.supervisor(request.run);
    const bool trains = request.kind == Kind::Resume || request.kind == Kind::Extend;
    if (request.kind == Kind::Resume && known && known->phase() == RunPhase::Paused) return known->resume();
    if (trains && known && known->isLive()) return Q_EMIT failed(tr("This run is already training."));
    switch (request.kind) {
        case Kind::Resume: {
            QStringList words{QStringLiteral("resume"), request.run};
            if (!request.checkpoint.isEmpty()) words << QStringLiteral("--checkpoint") << request.checkpoint;
            return train(words, tr("Resuming %1.").arg(request.run));
        }
        case Kind::Extend:
            return train({QStringLiteral("resume"), request.run, QStringLiteral("--max-steps"),
                          QString::number(request.steps)},
                         tr("Extending to step %1.").arg(request.steps));
        case Kind::Reproduce:
            return train({QStringLiteral("reproduce"), request.run},
                         tr("Reproducing %1; the inspector shows the result at the end.").arg(request.run));
        case Kind::Fork:
            return fork(request);
        case Kind::Distil:
            return session_.distil.start(request.run);
        case Kind::Fetch:
            return session_.machines.fetch(
                request.run, request.checkpoint.isEmpty() ? QStringList() : QStringList{request.checkpoint});
        case Kind::Follow:
            return session_.machines.follow(request.run, {});
        default:
            return checkpoints(request);
    }
}

void RunActions::train(const QStringList& words, const QString& text) {
    const QString id = session_.control.start(words);
    if (const RunSupervisor* run = session_.control.supervisor(id); words.value(0) == QLatin1String("resume"))
        connect(run, &RunSupervisor::phaseChanged, this, [this, run] { offerIntact(*run); });
    session_.control.setPreferred(id);
    // A reproduction is shown with the run that it reproduces.
    session_.selection.setRuns(words.value(0) == QLatin1String("reproduce") ? QStringList{id, words.value(1)}
                                                                            : QStringList{id});
    Q_EMIT said(text);
}

void RunActions::offerIntact(const RunSupervisor& run) {
    if (run.phase() == RunPhase::Failed && run.intactCheckpoint() >= 0)
        Q_EMIT intactOffered(run.runId(), run.intactCheckpoint(), run.reason());
}

void RunActions::fork(const RunRequest& request) {
    QStringList words{QStringLiteral("fork"), request.run, QStringLiteral("--checkpoint"),
                      request.checkpoint};
    for (const QString& setting : request.settings) words << QStringLiteral("--set") << setting;
    // Another zoom or theme deletes this; the fork is trained all the same.
    const auto forked = [self = QPointer(this), &control = session_.control](const auto& answer) {
        const QString id = answer ? QString::fromStdString(wire::Fields(*answer).text("run")) : QString();
        if (id.isEmpty()) {
            const QString why = answer ? tr("The engine returned no run id for the fork.")
                                       : QString::fromStdString(answer.error().text());
            return self ? Q_EMIT self->failed(why) : Q_EMIT control.message(why);
        }
        const QStringList resume{QStringLiteral("resume"), id};
        self ? self->train(resume, tr("Training fork %1.").arg(id)) : void(control.start(resume));
    };
    session_.engine.call(words, forked, &session_.control);
    Q_EMIT said(tr("Forking %1…").arg(request.run));
}

void RunActions::checkpoints(const RunRequest& request) {
    QStringList words{QStringLiteral("checkpoints"), request.run};
    if (request.kind == Kind::Pin) words << QStringLiteral("--pin") << request.checkpoint;
    if (request.kind == Kind::Unpin) words << QStringLiteral("--unpin") << request.checkpoint;
    if (request.kind == Kind::Prune) words << QStringLiteral("--prune");
    if (request.keepLast > 0)
        words << QStringLiteral("--keep-last") << QString::number(request.keepLast)
              << QStringLiteral("--keep-best") << QString::number(request.keepBest);
    session_.engine.call(
        words,
        [this, kind = request.kind](const Result<nlohmann::json>& answer) {
            if (!answer) return Q_EMIT failed(QString::fromStdString(answer.error().text()));
            Q_EMIT retentionRead(*answer);
            if (kind != Kind::Retention) session_.catalog.refreshSoon();
        },
        this);
}

}  // namespace kurve::studio
