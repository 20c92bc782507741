#include "app/studio/services/machine_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/studio/engine/engine_call.h"
#include "core/base/counted.h"
#include "core/base/file.h"
#include "core/remote/machines_edit.h"
#include "core/wire/fields.h"
#include "views/common/data/weights_here.h"
#include "views/common/text/format.h"

namespace kurve::studio {

namespace {

constexpr int kFileSettleMilliseconds = 200;  ///< an editor writes, renames and removes in several steps

MachineService::Answer answerIn(const std::map<QString, MachineService::Answer>& answers,
                                const QString& machine) {
    const auto found = answers.find(machine);
    return found == answers.end() ? MachineService::Answer() : found->second;
}

}  // namespace

MachineService::MachineService(QString program, const store::Project& project, RunControl& control,
                               views::RunCatalog& catalog, QObject* parent)
    : Machines(parent),
      project_(project),
      control_(control),
      catalog_(catalog),
      job_(EngineProcess::Kind::Job, std::move(program)) {
    settle_.setSingleShot(true);
    settle_.setInterval(kFileSettleMilliseconds);
    connect(&settle_, &QTimer::timeout, this, &MachineService::reload);
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, &settle_, qOverload<>(&QTimer::start));
    connect(&watcher_, &QFileSystemWatcher::fileChanged, &settle_, qOverload<>(&QTimer::start));
    watcher_.addPath(views::qt(project_.folder().string()));
    connect(&control, &RunControl::unfollowed, this, &MachineService::followAgain);
    connect(&job_, &EngineProcess::received, this, &MachineService::takeProgress);
    connect(&job_, &EngineProcess::ended, this, &MachineService::fetchEnded);
    reload();
}

void MachineService::reload() {
    const QString file = views::qt((project_.folder() / remote::kMachinesFile).string());
    if (!watcher_.files().contains(file)) watcher_.addPath(file);  // false while it is not there
    auto machines = remote::readMachines(project_.folder());
    const QString problem = machines ? QString() : views::qt(machines.error().text());
    auto now = machines ? std::move(*machines) : std::vector<remote::Machine>();
    if (problem == problem_ && now == machines_) return;
    // What another host or program answered says nothing about this one.
    for (Answers* answers : {&checks_, &runs_})
        std::erase_if(*answers, [&](const auto& entry) {
            const auto isKept = [&](const remote::Machine& one) {
                return views::qt(one.name) == entry.first &&
                       std::find(machines_.begin(), machines_.end(), one) != machines_.end();
            };
            return std::none_of(now.begin(), now.end(), isKept);
        });
    problem_ = problem;
    machines_ = std::move(now);
    Q_EMIT changed();
}

bool MachineService::isListed(const QString& machine) const {
    return std::any_of(machines_.begin(), machines_.end(),
                       [&](const remote::Machine& one) { return views::qt(one.name) == machine; });
}

MachineService::Answer MachineService::checkOf(const QString& machine) const {
    return answerIn(checks_, machine);
}

MachineService::Answer MachineService::runsOf(const QString& machine) const {
    return answerIn(runs_, machine);
}

void MachineService::check(const QString& machine) {
    ask("check", machine, checks_);
}

void MachineService::listRuns(const QString& machine) {
    ask("runs", machine, runs_);
}

void MachineService::ask(const char* what, const QString& machine, Answers& answers) {
    Answer& known = answers[machine];
    if (known.pending) return;
    known.pending = true;
    EngineCall::start(
        {QStringLiteral("machines"), QLatin1String(what), machine, QStringLiteral("--project"),
         views::qt(project_.folder().string())},
        [this, machine, &answers](const Result<nlohmann::json>& answer) {
            // Its entry is gone if the machine was changed meanwhile.
            const auto found = answers.find(machine);
            if (found == answers.end()) return;
            found->second = {false, answer};
            Q_EMIT changed();
        },
        this);
    Q_EMIT changed();
}

Status MachineService::write(const Result<std::string>& text) {
    if (!text) return text.error();
    KURVE_CHECKED(writeFileAtomically(project_.folder() / remote::kMachinesFile, *text));
    reload();
    return {};
}

namespace {

Result<std::string> textOf(const std::filesystem::path& file) {
    std::error_code ignored;
    return std::filesystem::exists(file, ignored) ? readFile(file) : Result<std::string>(std::string());
}

}  // namespace

Status MachineService::put(const remote::Machine& machine, const QString& before) {
    const std::string known = before.toStdString();
    const auto own = std::ranges::count(catalog_.runs(), known, &store::RunSummary::machine);
    const bool renames = !known.empty() && known != machine.name;
    if (renames && !catalog_.complete())
        return requestError("machines.bad_value", "runs are still being read, and may be of this machine")
            .at("name")
            .fix("rename it once all are read");
    if (renames && own > 0)
        return requestError("machines.bad_value", fmt::format("{} has {} here", known, counted(own, "run")))
            .at("name")
            .fix("keep the name: by it they are followed and resumed");
    KURVE_TRY(const std::string text, textOf(project_.folder() / remote::kMachinesFile));
    return write(remote::withMachine(project_.folder(), text, machine, known));
}

Status MachineService::remove(const QString& machine) {
    KURVE_TRY(const std::string text, textOf(project_.folder() / remote::kMachinesFile));
    return write(remote::withoutMachine(project_.folder(), text, machine.toStdString()));
}

void MachineService::follow(const QString& run, const QString& machine) {
    if (control_.isLive(run)) return Q_EMIT said(tr("%1 is followed already.").arg(run));
    QStringList words{QStringLiteral("follow"), run};
    if (!machine.isEmpty()) words << QStringLiteral("--machine") << machine;
    control_.start(words);
    Q_EMIT said(tr("Following %1.").arg(run));
    Q_EMIT changed();
}

/// Of a machine that was removed from the list nothing is asked.
void MachineService::followAgain(const QString& run, const QString& machine) {
    if (isListed(machine)) follow(run, {});
}

void MachineService::fetch(const QString& run, const QStringList& checkpoints) {
    if (job_.running()) return Q_EMIT said(tr("Checkpoints of %1 are being fetched.").arg(fetchingName_));
    fetching_ = run;
    fetchingName_ = catalog_.nameOf(run);
    QStringList words{QStringLiteral("fetch"), run};
    for (const QString& name : checkpoints) words << QStringLiteral("checkpoints/") + name;
    words << QStringLiteral("--project") << views::qt(project_.folder().string());
    setFetchStatus(tr("Fetching checkpoints of %1…").arg(fetchingName_));
    job_.beginJob(words);
}

void MachineService::takeProgress(const wire::Message& message) {
    const wire::Fields fields(message.body);
    if (message.type != "transfer") return;
    setFetchStatus(tr("Fetching %1 of %2: %3 of %4")
                       .arg(views::qt(fields.text("path")), fetchingName_,
                            views::bytesText(fields.number("done")),
                            views::bytesText(fields.number("total"))));
}

void MachineService::fetchEnded(const EngineEnd& end) {
    setFetchStatus({});
    if (end.kind == EngineEnd::Kind::Stopped)
        return Q_EMIT said(tr("Cancelled; what has arrived is kept. Fetch again to continue."));
    if (end.kind == EngineEnd::Kind::Failed) return Q_EMIT said(end.why);
    Q_EMIT said(tr("The checkpoints of %1 are here.").arg(fetchingName_));
    catalog_.refreshSoon();
    Q_EMIT fetched(fetching_);
}

void MachineService::setFetchStatus(const QString& text) {
    fetchStatus_ = text;
    Q_EMIT fetchStatusChanged(text);
}

QString MachineService::missingWeights(const QString& run, const QString& checkpoint) const {
    const store::RunSummary* known = catalog_.run(run);
    const auto data = catalog_.data(run);
    if (known == nullptr || known->machine.empty() || !data || data->checkpoints.empty()) return {};
    const QStringList away = views::checkpointsAway(project_.runFolder(known->id), *data);
    const auto isAway = [&](const store::CheckpointRow& row) {
        return away.contains(views::qt(row.path.name()));
    };
    bool isStep = false;
    const qint64 step = checkpoint.toLongLong(&isStep);
    bool missing = false;
    if (isStep)
        missing = std::any_of(data->checkpoints.begin(), data->checkpoints.end(),
                              [&](const auto& row) { return row.step == step && isAway(row); });
    else if (checkpoint == QLatin1String("last"))
        missing = isAway(std::ranges::max(data->checkpoints, {}, &store::CheckpointRow::saved));
    else
        missing = away.size() == static_cast<qsizetype>(data->checkpoints.size());
    if (!missing) return {};
    return tr("The weights of this checkpoint are on %1; fetch them: inspector, Checkpoints, Fetch.")
        .arg(views::qt(known->machine));
}

}  // namespace kurve::studio
