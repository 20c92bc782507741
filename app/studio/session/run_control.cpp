#include "app/studio/session/run_control.h"

#include <QFileInfo>
#include <algorithm>

#include "app/studio/engine/engine_program.h"
#include "core/base/clock.h"
#include "core/store/run_process.h"
#include "core/wire/fields.h"

namespace kurve::studio {
namespace {

/// Empty where there is none.
QString valueOf(const QStringList& words, QLatin1String option) {
    const qsizetype at = words.indexOf(option);
    return at < 0 ? QString() : words.value(at + 1);
}

/// What a run's record says of what it is trained by.
nlohmann::json environmentOf(const std::map<std::string, std::string>& values) {
    const auto found = values.find("environment");
    return nlohmann::json::parse(found == values.end() ? "" : found->second, nullptr, false);
}

/// Where a run goes on: with `resume` at a checkpoint, else where it is. 0: it is not read here.
qint64 firstStep(const QStringList& words, const views::RunCatalog& catalog) {
    const QString run = words.value(1);
    const store::RunSummary* known = catalog.run(run);
    const qint64 last = known != nullptr ? known->step : 0;
    if (words.value(0) != QLatin1String("resume")) return last;
    bool isStep = false;
    const qint64 step = valueOf(words, QLatin1String("--checkpoint")).toLongLong(&isStep);
    if (isStep) return step;
    const auto data = catalog.data(run);
    if (data == nullptr || data->checkpoints.empty()) return last;
    return std::ranges::max(data->checkpoints, {}, &store::CheckpointRow::saved).step;
}

}  // namespace

RunControl::RunControl(const store::Project& project, views::RunCatalog& catalog, QObject* parent)
    : Trainings(parent), project_(project), catalog_(catalog) {
    connect(&catalog, &views::RunCatalog::runsChanged, this, &RunControl::adoptLiveRuns);
    connect(&catalog, &views::RunCatalog::dataChanged, this, &RunControl::adoptLiveRuns);
}

RunSupervisor* RunControl::make(const QString& runId) {
    const QString folder = QString::fromStdString(project_.runFolder(runId.toStdString()).string());
    auto owned = std::make_unique<RunSupervisor>(runId, folder);
    RunSupervisor* run = owned.get();
    supervisors_[runId] = std::move(owned);
    connect(run, &RunSupervisor::phaseChanged, this, [this, run, folder] {
        const bool ended = !run->isLive() && run->phase() != RunPhase::NotRunning;
        if (ended && !run->follows() && !QFileInfo::exists(folder + QStringLiteral("/run.db")))
            Q_EMIT neverBegan(run->runId(), run->reason());
        // An alert, since the message in the status bar is temporary.
        else if (run->phase() == RunPhase::Crashed)
            Q_EMIT alarmed(run->runId(), run->reason());
        catalog_.refreshSoon();
        Q_EMIT changed();
        if (run->phase() == RunPhase::Paused && run->reason().isEmpty())
            Q_EMIT message(
                tr("Paused with the model loaded: F7 samples, F6 resumes; in Inspect, prompts can use the "
                   "live model."));
        else
            Q_EMIT message(run->reason());
    });
    connect(run, &RunSupervisor::progressed, this, [this, run] {
        if (run == current()) Q_EMIT progressed();
        if (!run->progress().preparation.text.isEmpty()) Q_EMIT changed();
    });
    connect(run, &RunSupervisor::warned, this, &RunControl::message);
    connect(run, &RunSupervisor::alarmed, this,
            [this, runId](const QString& text) { Q_EMIT alarmed(runId, text); });
    return run;
}

QString RunControl::start(const QStringList& words, const QString& device, const QString& newRun) {
    const QString folder = QString::fromStdString(project_.folder().string());
    QStringList arguments = words;
    QString id = words.value(1);
    qint64 step = 0;
    if (words.value(0) == QLatin1String("train") || words.value(0) == QLatin1String("reproduce")) {
        id = newRun.isEmpty() ? QString::fromStdString(newRunId()) : newRun;
        arguments << QStringLiteral("--run") << id;
    } else {
        step = firstStep(words, catalog_);
    }
    arguments << QStringLiteral("--project") << folder << QStringLiteral("--events");
    if (!device.isEmpty()) arguments << QStringLiteral("--device") << device;
    latest_ = id;
    QString machine = valueOf(words, QLatin1String("--machine"));
    if (const store::RunSummary* known = catalog_.run(id); known && machine.isEmpty())
        machine = QString::fromStdString(known->machine);
    RunSupervisor* run = make(id);
    run->setStep(step);
    run->setPlace(device, machine, valueOf(words, QLatin1String("--nproc")).toInt());
    run->start(findEngineProgram(), arguments, folder);
    return id;
}

QString RunControl::startTraining(const QString& experiment, const QStringList& sets,
                                  const views::TrainingPlace& place, bool force) {
    QStringList words{QStringLiteral("train"), experiment};
    if (!place.machine.isEmpty()) words << QStringLiteral("--machine") << place.machine;
    if (force) words << QStringLiteral("--force");
    if (place.processes > 1) words << QStringLiteral("--nproc") << QString::number(place.processes);
    for (const QString& set : sets) words << QStringLiteral("--set") << set;
    preferred_ = start(words, place.device);
    Q_EMIT changed();
    return preferred_;
}

views::Trainings::Current RunControl::shown() const {
    const RunSupervisor* run = current();
    if (run == nullptr || !run->isLive()) return {};
    return {run->runId(), QLatin1String(phaseName(run->phase()))};
}

bool RunControl::isLive(const QString& run) const {
    const RunSupervisor* known = supervisor(run);
    return known != nullptr && known->isLive();
}

double RunControl::lostSince(const QString& run) const {
    const RunSupervisor* known = supervisor(run);
    return known && known->phase() == RunPhase::LostContact ? known->lostSince() : 0;
}

views::Trainings::Preparation RunControl::preparation(const QString& run) const {
    const RunSupervisor* known = supervisor(run);
    return known && known->isLive() ? known->progress().preparation : Preparation();
}

std::vector<views::LiveModel> RunControl::models() const {
    std::vector<views::LiveModel> models;
    for (const RunSupervisor* run : live()) {
        const bool paused = run->phase() == RunPhase::Paused;
        if (paused || run->phase() == RunPhase::Running || run->phase() == RunPhase::Pausing)
            models.push_back({run->runId(), paused ? run->progress().step : 0, paused});
    }
    return models;
}

void RunControl::resume(const QString& run) {
    if (RunSupervisor* known = supervisor(run)) known->resume();
}

void RunControl::stop(const QString& run) {
    if (RunSupervisor* known = supervisor(run)) known->stop();
}

bool RunControl::set(const QString& key, const QString& value) {
    RunSupervisor* run = current();
    return run != nullptr && run->set(key, value);
}

void RunControl::setPreferred(const QString& runId) {
    if (runId == preferred_) return;
    preferred_ = runId;
    Q_EMIT changed();
}

RunSupervisor* RunControl::supervisor(const QString& runId) const {
    const auto found = supervisors_.find(runId);
    return found == supervisors_.end() ? nullptr : found->second.get();
}

RunSupervisor* RunControl::current() const {
    if (RunSupervisor* run = supervisor(preferred_); run && run->isLive()) return run;
    if (RunSupervisor* run = supervisor(latest_); run && run->isLive()) return run;
    for (const auto& [id, run] : supervisors_)
        if (run->isLive()) return run.get();
    return supervisor(preferred_);
}

std::vector<const RunSupervisor*> RunControl::live() const {
    std::vector<const RunSupervisor*> runs;
    for (const auto& [id, run] : supervisors_)
        if (run->isLive()) runs.push_back(run.get());
    return runs;
}

void RunControl::adoptLiveRuns() {
    for (const store::RunSummary& run : catalog_.runs()) {
        // Without contact for long its engine here, which tries to reach the machine, may be alive.
        const bool lost = run.state == "lost_contact" && !run.machine.empty();
        const bool live = lost || run.state == "running" || run.state == "paused" || run.state == "stopping";
        const QString id = QString::fromStdString(run.id);
        const RunSupervisor* known = supervisor(id);
        if (!live || (known && known->isLive())) continue;
        // The process id is in the run's own values: watching the run reads them.
        const auto data = catalog_.data(id);
        if (!data) {
            if (!watched_.contains(id)) watched_.set(watched_.ids() + QStringList{id});
            continue;
        }
        const auto pid = data->values.find("pid");
        // A process id of another machine or container is meaningless here, and that of a copied project is
        // the original's: such a run is watched, not attached.
        if (pid == data->values.end() || !store::writerRunsHere(project_.runFolder(run.id), data->values)) {
            // A project from elsewhere names machines that nobody here has chosen.
            if (lost && known == nullptr && !run.trashed &&
                store::writtenHere(project_.runFolder(run.id), data->values))
                Q_EMIT unfollowed(id, QString::fromStdString(run.machine));
            continue;
        }
        const qint64 number = QString::fromStdString(pid->second).toLongLong();
        // The index still says "running" for a moment after an end that this studio has seen itself.
        if (known && known->pid() == number) continue;
        RunSupervisor* found = make(id);
        const auto environment = environmentOf(data->values);
        const wire::Fields said(environment);
        found->setPlace(QString::fromStdString(said.text("device")), QString::fromStdString(run.machine),
                        said.integer("processes", 1));
        found->attach(number);
        if (latest_.isEmpty()) latest_ = id;
        Q_EMIT changed();
    }
}

}  // namespace kurve::studio
