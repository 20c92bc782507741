#include "app/studio/run_actions.h"

#include <set>

#include "core/wire/fields.h"

namespace kurve::studio {

RunActions::RunActions(ProjectSession& session, views::CommandRegistry& commands)
    : session_(session), commands_(commands) {
    add("run.start", tr("Start"), Qt::Key_F5, tr("Train the draft of the form"),
        [this] { Q_EMIT startWanted(); });
    add("run.queue", tr("Add to queue"), QKeySequence(Qt::CTRL | Qt::Key_F5),
        tr("Train the draft when its turn comes"), [this] { Q_EMIT queueWanted(); });
    add("run.measure", tr("Dry run"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F5),
        tr("Measure ten steps of the draft: step time, memory, how long it will take"),
        [this] { Q_EMIT measureWanted(); });
    add("run.pause", tr("Pause"), Qt::Key_F6, tr("Pause with the model loaded, or go on"),
        [this] { pauseOrResume(); });
    add("run.stop", tr("Stop"), QKeySequence(Qt::SHIFT | Qt::Key_F5),
        tr("Finish the step, write a checkpoint and end; again: end at once"), [this] {
            if (RunSupervisor* current = session_.control.current()) current->stop();
        });
    add("run.sample", tr("Sample now"), Qt::Key_F7, tr("Decode the fixed prompts with the model as it is"),
        [this] { sampleNow(); });
    add("run.checkpoint", tr("Checkpoint now"), Qt::Key_F8, tr("Write a checkpoint at the next step"),
        [this] {
            if (RunSupervisor* run = liveRun()) run->checkpointNow();
        });
    add("run.replay", tr("Check determinism of the selected run"), {},
        tr("Train the stretch between its last two checkpoints again and compare bit for bit; again: end the "
           "check"),
        [this] { checkDeterminism(); });
}

void RunActions::add(const char* id, const QString& title, const QKeySequence& keys, const QString& help,
                     std::function<void()> run) {
    commands_.add({QLatin1String(id), title, tr("Run"), keys, help}, std::move(run));
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
    if (replay_ != nullptr) {
        replay_->cancel();
        return Q_EMIT said(tr("The check was ended; it writes nothing."));
    }
    const QString id = session_.selection.primaryRun();
    const auto data = session_.catalog.data(id);
    if (id.isEmpty() || data == nullptr) return Q_EMIT said(tr("Select a run to check."));
    std::set<std::int64_t> steps;
    for (const auto& row : data->checkpoints) steps.insert(row.step);
    QStringList words{QStringLiteral("verify"), id, QStringLiteral("--replay"), QStringLiteral("--project"),
                      QString::fromStdString(session_.project().folder().string())};
    if (steps.size() > 1) words << QStringLiteral("--from") << QString::number(*std::next(steps.rbegin()));
    const QString name = QString::fromStdString(data->summary.name);
    Q_EMIT said(tr("%1: training a stretch again…").arg(name));
    replay_ = EngineCall::start(
        words,
        [this, name](const Result<nlohmann::json>& answer) {
            if (!answer) return Q_EMIT said(QString::fromStdString(answer.error().text()));
            const wire::Fields replay = wire::Fields(*answer).object("replay");
            const QString stretch = tr("steps %1 to %2")
                                        .arg(replay.integer("from", qint64(0)))
                                        .arg(replay.integer("to", qint64(0)));
            Q_EMIT said(
                replay.flag("same")
                    ? tr("%1: %2 trained again are the same, bit for bit.").arg(name, stretch)
                    : tr("%1: %2 trained again differ, first in %3.")
                          .arg(name, stretch, QString::fromStdString(replay.text("first_difference"))));
        },
        this);
}

void RunActions::update() {
    const RunSupervisor* current = session_.control.current();
    const RunPhase phase = current ? current->phase() : RunPhase::NotRunning;
    const bool answers = phase == RunPhase::Running || phase == RunPhase::Paused, live = liveRun() != nullptr;
    const QString idle = tr("No run is training; F5 starts the draft."),
                  busy = live ? tr("The engine does not answer yet, or no more.") : idle;
    const auto refuse = [this](const char* id, bool can, const QString& reason) {
        commands_.setRefusal(QLatin1String(id), can ? QString() : reason);
    };
    refuse("run.pause", answers || phase == RunPhase::Pausing, busy);
    refuse("run.stop", live, idle);
    for (const char* id : {"run.sample", "run.checkpoint"}) refuse(id, answers, busy);
    commands_.action(QStringLiteral("run.pause"))
        ->setText(phase == RunPhase::Paused ? tr("Resume") : tr("Pause"));
    commands_.action(QStringLiteral("run.stop"))
        ->setText(phase == RunPhase::Stopping ? tr("End now") : tr("Stop"));
}

}  // namespace kurve::studio
