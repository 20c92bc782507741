#include "app/studio/run_wishes.h"

#include "app/studio/engine_call.h"
#include "core/wire/fields.h"

namespace kurve::studio {

using views::RunWish;
using Kind = RunWish::Kind;

RunWishes::RunWishes(ProjectSession& session, QObject* parent) : QObject(parent), session_(session) {}

void RunWishes::carryOut(const RunWish& wish) {
    RunSupervisor* known = session_.control.supervisor(wish.run);
    const bool trains = wish.kind == Kind::Resume || wish.kind == Kind::Extend;
    if (wish.kind == Kind::Resume && known && known->phase() == RunPhase::Paused) return known->resume();
    if (trains && known && known->isLive()) return Q_EMIT failed(tr("This run is training."));
    switch (wish.kind) {
        case Kind::Resume: {
            QStringList words{QStringLiteral("resume"), wish.run};
            if (!wish.checkpoint.isEmpty()) words << QStringLiteral("--checkpoint") << wish.checkpoint;
            return train(words, tr("Going on with %1.").arg(wish.run));
        }
        case Kind::Extend:
            return train({QStringLiteral("resume"), wish.run, QStringLiteral("--max-steps"),
                          QString::number(wish.steps)},
                         tr("Going on until step %1.").arg(wish.steps));
        case Kind::Again:
            return train(
                {QStringLiteral("repeat"), wish.run},
                tr("Training %1 again; at the end the inspector says whether it is the same.").arg(wish.run));
        case Kind::Fork:
            return fork(wish);
        case Kind::Sample: {
            session_.selection.setRuns({wish.run});
            const QString digits = wish.checkpoint.section(QLatin1Char('-'), -1);
            return Q_EMIT sampleWanted(QString::number(digits.toLongLong()));
        }
        default:
            return checkpoints(wish);
    }
}

void RunWishes::train(const QStringList& words, const QString& text) {
    const QString id = session_.control.start(words);
    if (const RunSupervisor* run = session_.control.supervisor(id); words.value(0) == QLatin1String("resume"))
        connect(run, &RunSupervisor::phaseChanged, this, [this, run] { offerSound(*run); });
    session_.control.setPreferred(id);
    // A repetition is laid over what it repeats.
    session_.selection.setRuns(words.value(0) == QLatin1String("repeat") ? QStringList{id, words.value(1)}
                                                                         : QStringList{id});
    Q_EMIT said(text);
}

void RunWishes::offerSound(const RunSupervisor& run) {
    if (run.phase() == RunPhase::Failed && run.soundCheckpoint() >= 0)
        Q_EMIT soundOffered(run.runId(), run.soundCheckpoint(), run.reason());
}

void RunWishes::fork(const RunWish& wish) {
    QStringList words{
        QStringLiteral("fork"),         wish.run,
        QStringLiteral("--checkpoint"), wish.checkpoint,
        QStringLiteral("--project"),    QString::fromStdString(session_.project().folder().string())};
    for (const QString& setting : wish.settings) words << QStringLiteral("--set") << setting;
    EngineCall::start(
        words,
        [this](const Result<nlohmann::json>& answer) {
            if (!answer) return Q_EMIT failed(QString::fromStdString(answer.error().text()));
            const QString id = QString::fromStdString(wire::Fields(*answer).text("run"));
            if (id.isEmpty()) return Q_EMIT failed(tr("The engine did not say which run the fork is."));
            train({QStringLiteral("resume"), id}, tr("The fork %1 trains.").arg(id));
        },
        this);
    Q_EMIT said(tr("Forking %1…").arg(wish.run));
}

void RunWishes::checkpoints(const RunWish& wish) {
    QStringList words{QStringLiteral("checkpoints"), wish.run, QStringLiteral("--project"),
                      QString::fromStdString(session_.project().folder().string())};
    if (wish.kind == Kind::Pin) words << QStringLiteral("--pin") << wish.checkpoint;
    if (wish.kind == Kind::Unpin) words << QStringLiteral("--unpin") << wish.checkpoint;
    if (wish.kind == Kind::Prune) words << QStringLiteral("--prune");
    if (wish.keepLast > 0)
        words << QStringLiteral("--keep-last") << QString::number(wish.keepLast)
              << QStringLiteral("--keep-best") << QString::number(wish.keepBest);
    EngineCall::start(
        words,
        [this, kind = wish.kind](const Result<nlohmann::json>& answer) {
            if (!answer) return Q_EMIT failed(QString::fromStdString(answer.error().text()));
            Q_EMIT judged(*answer);
            if (kind != Kind::Judge) session_.catalog.refreshSoon();
        },
        this);
}

}  // namespace kurve::studio
