#include "app/studio/session/run_requests.h"

#include "app/studio/engine/engine_call.h"
#include "core/wire/fields.h"

namespace kurve::studio {

using views::RunRequest;
using Kind = RunRequest::Kind;

RunRequests::RunRequests(ProjectSession& session, QObject* parent)
    : views::RunRequests(parent), session_(session) {}

void RunRequests::carryOut(const RunRequest& request) {
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

void RunRequests::train(const QStringList& words, const QString& text) {
    const QString id = session_.control.start(words);
    if (const RunSupervisor* run = session_.control.supervisor(id); words.value(0) == QLatin1String("resume"))
        connect(run, &RunSupervisor::phaseChanged, this, [this, run] { offerIntact(*run); });
    session_.control.setPreferred(id);
    // A reproduction is shown with the run that it reproduces.
    session_.selection.setRuns(words.value(0) == QLatin1String("reproduce") ? QStringList{id, words.value(1)}
                                                                            : QStringList{id});
    Q_EMIT said(text);
}

void RunRequests::offerIntact(const RunSupervisor& run) {
    if (run.phase() == RunPhase::Failed && run.intactCheckpoint() >= 0)
        Q_EMIT intactOffered(run.runId(), run.intactCheckpoint(), run.reason());
}

void RunRequests::fork(const RunRequest& request) {
    QStringList words{
        QStringLiteral("fork"),         request.run,
        QStringLiteral("--checkpoint"), request.checkpoint,
        QStringLiteral("--project"),    QString::fromStdString(session_.project().folder().string())};
    for (const QString& setting : request.settings) words << QStringLiteral("--set") << setting;
    EngineCall::start(
        words,
        [this](const Result<nlohmann::json>& answer) {
            if (!answer) return Q_EMIT failed(QString::fromStdString(answer.error().text()));
            const QString id = QString::fromStdString(wire::Fields(*answer).text("run"));
            if (id.isEmpty()) return Q_EMIT failed(tr("The engine returned no run id for the fork."));
            train({QStringLiteral("resume"), id}, tr("Training fork %1.").arg(id));
        },
        this);
    Q_EMIT said(tr("Forking %1…").arg(request.run));
}

void RunRequests::checkpoints(const RunRequest& request) {
    QStringList words{QStringLiteral("checkpoints"), request.run, QStringLiteral("--project"),
                      QString::fromStdString(session_.project().folder().string())};
    if (request.kind == Kind::Pin) words << QStringLiteral("--pin") << request.checkpoint;
    if (request.kind == Kind::Unpin) words << QStringLiteral("--unpin") << request.checkpoint;
    if (request.kind == Kind::Prune) words << QStringLiteral("--prune");
    if (request.keepLast > 0)
        words << QStringLiteral("--keep-last") << QString::number(request.keepLast)
              << QStringLiteral("--keep-best") << QString::number(request.keepBest);
    EngineCall::start(
        words,
        [this, kind = request.kind](const Result<nlohmann::json>& answer) {
            if (!answer) return Q_EMIT failed(QString::fromStdString(answer.error().text()));
            Q_EMIT retentionRead(*answer);
            if (kind != Kind::Retention) session_.catalog.refreshSoon();
        },
        this);
}

}  // namespace kurve::studio
