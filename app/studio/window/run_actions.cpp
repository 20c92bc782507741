#include "app/studio/window/run_actions.h"

#include "core/wire/fields.h"

namespace kurve::studio {

RunActions::RunActions(ProjectSession& session, views::CommandRegistry& commands, views::Services& services)
    : session_(session), commands_(commands), services_(services) {
    add("run.start", tr("Start"), Qt::Key_F5, tr("Train the current draft"), [this] { draft().train(); });
    add("run.queue", tr("Add to queue"), QKeySequence(Qt::CTRL | Qt::Key_F5), tr("Queue the current draft"),
        [this] { draft().queue(); });
    add("run.measure", tr("Dry run"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F5),
        tr("Measure ten steps of the draft: step time, memory, total time"), [this] { draft().measure(); });
    add("run.pause", tr("Pause"), Qt::Key_F6, tr("Pause with the model loaded, or resume"),
        [this] { pauseOrResume(); });
    add("run.stop", tr("Stop"), QKeySequence(Qt::SHIFT | Qt::Key_F5),
        tr("Finish the step, write a checkpoint and stop; press again to stop immediately"), [this] {
            if (RunSupervisor* current = session_.control.current()) current->stop();
        });
    add("run.sample", tr("Sample now"), Qt::Key_F7, tr("Decode the fixed prompts with the current model"),
        [this] { sampleNow(); });
    add("run.checkpoint", tr("Checkpoint now"), Qt::Key_F8, tr("Write a checkpoint at the next step"),
        [this] {
            if (RunSupervisor* run = liveRun()) run->checkpointNow();
        });
    add("run.check_determinism", tr("Check determinism"), {},
        tr("Retrain the selected run between its last two checkpoints and compare bitwise; run again to "
           "cancel"),
        [this] { checkDeterminism(); });
}

void RunActions::add(const char* id, const QString& title, const QKeySequence& keys, const QString& help,
                     std::function<void()> run) {
    commands_.add({QLatin1String(id), title, tr("Run"), keys, help}, std::move(run));
}

views::DraftActions& RunActions::draft() {
    return *services_.find<views::DraftActions>();
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
    if (check_ != nullptr) {
        check_->cancel();
        return Q_EMIT said(tr("Determinism check cancelled."));
    }
    const QString id = session_.selection.primaryRun();
    const auto data = session_.catalog.data(id);
    if (id.isEmpty() || data == nullptr) return Q_EMIT said(tr("Select a run to check."));
    const QStringList words{
        QStringLiteral("reproduce"), id,
        QStringLiteral("--steps"),   QStringLiteral("1"),
        QStringLiteral("--project"), QString::fromStdString(session_.project().folder().string())};
    const QString name = QString::fromStdString(data->summary.name);
    Q_EMIT said(tr("Checking determinism of %1…").arg(name));
    check_ = EngineCall::start(
        words,
        [this, name](const Result<nlohmann::json>& answer) {
            if (!answer) return Q_EMIT said(QString::fromStdString(answer.error().text()));
            const wire::Fields replay = wire::Fields(*answer);
            const QString range = tr("steps %1 to %2")
                                      .arg(replay.integer("from", qint64(0)))
                                      .arg(replay.integer("to", qint64(0)));
            Q_EMIT said(replay.flag("equal")
                            ? tr("%1: %2 are bitwise identical.").arg(name, range)
                            : tr("%1: %2 differ; first difference: %3.")
                                  .arg(name, range, QString::fromStdString(replay.text("first_difference"))));
        },
        this);
}

void RunActions::update() {
    const RunSupervisor* current = session_.control.current();
    const RunPhase phase = current ? current->phase() : RunPhase::NotRunning;
    const bool answers = phase == RunPhase::Running || phase == RunPhase::Paused, live = liveRun() != nullptr;
    const QString idle = tr("No run is training; press F5 to start the draft."),
                  busy = live ? tr("The engine is not responding.") : idle;
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

}  // namespace kurve::studio
