#include "app/studio/session/run_queue.h"

#include <sys/file.h>
#include <sys/stat.h>

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QUuid>
#include <algorithm>
#include <cerrno>
#include <utility>

#include "app/studio/engine/engine_program.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "views/launch/draft/experiment_pins.h"

namespace kurve::studio {

using views::QueueEdit;
using views::QueueItem;
using State = QueueItem::State;

namespace {

State stateAfter(const std::string& runState) {
    if (runState == "completed") return State::Completed;
    if (runState == "cancelled") return State::Cancelled;
    if (runState == "failed" || runState == "crashed" || runState == "damaged") return State::Failed;
    return State::Running;
}

QString pathIn(const store::Project& project, const char* name) {
    return QString::fromStdString((project.folder() / name).string());
}

/// The settings that the words of a training override.
std::vector<Override> overridesIn(const QStringList& words) {
    std::vector<Override> sets;
    for (qsizetype i = 2; i + 1 < words.size(); ++i)
        if (words[i] == QLatin1String("--set"))
            sets.emplace_back(words[i + 1].section(QLatin1Char('='), 0, 0).toStdString(),
                              words[i + 1].section(QLatin1Char('='), 1).toStdString());
    return sets;
}

Result<RunConfig> configOf(const QueueItem& item, const views::EngineInfo& engine,
                           const std::filesystem::path& project) {
    const std::string file = (project / item.words.value(1).toStdString()).string();
    std::string text = item.experiment.toStdString();
    if (text.empty()) {
        KURVE_TRY(text, readFile(file));
    }
    return RunConfig::parse(text, file, engine.schemas(), overridesIn(item.words));
}

}  // namespace

std::map<QString, QStringList> neededRuns(const views::QueueState& queue, const views::EngineInfo& engine,
                                          const std::filesystem::path& project) {
    std::map<QString, QStringList> needed;
    for (const QueueItem& item : queue.items) {
        const bool waits = item.state == QueueItem::State::Waiting || item.state == QueueItem::State::Held;
        if (!waits) continue;
        const auto config = configOf(item, engine, project);
        if (!config) continue;
        for (const FieldSpec& field : config->schema().fields) {
            if (field.type != FieldType::Run) continue;
            const auto reference = parseRunReference(field, config->text(field.key));
            if (!reference || !*reference) continue;
            QStringList& titles = needed[QString::fromStdString((*reference)->run)];
            if (!titles.contains(item.title)) titles << item.title;
        }
    }
    return needed;
}

RunQueue::RunQueue(const store::Project& project, RunControl& control, views::RunCatalog& catalog,
                   const views::EngineInfo& engine, QObject* parent)
    : Queue(parent),
      folder_(project.folder()),
      control_(control),
      catalog_(catalog),
      engine_(engine),
      lock_(pathIn(project, ".queue.lock")),
      file_(pathIn(project, "queue.json").toStdString()) {
    if (const QFileInfo lock(lock_); lock.isSymLink() || (lock.exists() && !lock.isFile())) lock_.remove();
    elsewhere_ = !takeLock();
    state_ = ownState(file_.load());
    connect(&control, &RunControl::changed, this, &RunQueue::advance);
    connect(&catalog, &views::RunCatalog::runsChanged, this, &RunQueue::advance);
    connect(&catalog, &views::RunCatalog::completed, this, &RunQueue::advance);
    connect(&catalog, &views::RunCatalog::readingChanged, this, &RunQueue::advance);
    // Saved first: after a crash in between nothing must be trained twice.
    connect(&file_, &StateFile::saved, this, &RunQueue::launch);
    connect(&file_, &StateFile::saveFailed, this, [this](const QString& problem) {
        Q_EMIT message(tr("The queue could not be saved: %1").arg(problem));
        launch();
    });
    connect(&retry_, &QTimer::timeout, this, &RunQueue::takeOver);
    if (elsewhere_) retry_.start(2000);
}

/// Whoever sent a project chose its machines and what they run: nothing of its queue starts by itself.
views::QueueState RunQueue::ownState(const QJsonObject& saved) const {
    views::QueueState state = views::QueueState::fromJson(saved);
    struct stat found {};  // after a reboot the device of a disk may have another number
    const bool known = ::stat(folder_.c_str(), &found) == 0;
    const QString here = known ? QString::number(found.st_ino) : QString();
    if (std::exchange(state.folder, here) == here) return state;
    for (QueueItem& item : state.items) {
        if (item.hasEnded()) continue;
        item.state = State::Held;
        item.reason = tr("queued in another folder (copied or unpacked); release it to start");
    }
    return state;
}

/// False if another window has it. It ends with its process, and a copy of the project does not have it; nor
/// has a project that cannot be written to.
bool RunQueue::takeLock() {
    const bool open = lock_.isOpen() || lock_.open(QIODevice::ReadWrite);
    return !open || ::flock(lock_.handle(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/// Shows what the window that runs the queue has saved; runs it when that one has closed or crashed.
void RunQueue::takeOver() {
    if (!takeLock()) {
        const auto text = readFile(folder_ / "queue.json");
        auto saved = ownState(QJsonDocument::fromJson(QByteArray::fromStdString(text.value_or(""))).object());
        if (!text || saved.toJson() == state_.toJson()) return;
        state_ = std::move(saved);
        return Q_EMIT changed();
    }
    retry_.stop();
    elsewhere_ = false;
    state_ = ownState(file_.load());
    Q_EMIT changed();
    Q_EMIT message(tr("The other window closed; this window now runs the queue."));
    advance();
}

void RunQueue::saveChanges() {
    file_.put(state_.toJson());
    Q_EMIT changed();
}

void RunQueue::add(std::vector<QueueItem> items) {
    if (elsewhere_) return Q_EMIT message(tr("Another window runs this project's queue."));
    for (QueueItem& item : items) {
        item.id = QUuid::createUuid().toString(QUuid::WithoutBraces);
        // The project may be moved or copied before it starts.
        item.words[1] = QDir(QString::fromStdString(folder_.string())).relativeFilePath(item.words[1]);
        state_.items.push_back(std::move(item));
    }
    saveChanges();
    advance();
}

void RunQueue::edit(const QueueEdit& edit) {
    if (elsewhere_) return Q_EMIT message(tr("Another window runs this project's queue."));
    for (QueueItem& item : state_.items) {  // its machine does not answer, and nothing of it is here
        const RunSupervisor* known = control_.supervisor(item.run);
        if (edit.kind == QueueEdit::Kind::Remove && edit.ids.contains(item.id) && asked_.contains(item.run) &&
            known && !known->isLive() && !exists(item.run))
            item.state = State::Failed;
    }
    views::apply(edit, state_);
    saveChanges();
    advance();
}

std::vector<views::DeviceOccupant> RunQueue::occupants() const {
    const QString automatic = QString::fromStdString(engine_.defaultDevice());
    std::vector<views::DeviceOccupant> all;
    const auto add = [&](const QString& id, QString title, const QStringList& devices) {
        if (std::ranges::find(all, id, &views::DeviceOccupant::run) != all.end()) return;
        const RunSupervisor* known = control_.supervisor(id);
        const store::RunSummary* run = catalog_.run(id);
        if (title.isEmpty()) title = catalog_.nameOf(id);
        const bool paused = known ? known->phase() == RunPhase::Paused : run && run->state == "paused";
        for (const QString& device : devices) all.push_back({id, title, device, paused});
    };
    for (const QueueItem& item : state_.items)
        if (item.state == State::Running) add(item.run, item.title, item.devices(automatic));
    for (const RunSupervisor* run : control_.live()) {
        const QString& device = run->progress().device;
        add(run->runId(), {},
            run->machine().isEmpty()
                ? views::occupiedDevices(device.isEmpty() ? automatic : device, run->processes())
                : QStringList{run->machine()});
    }
    for (const store::RunSummary& run : catalog_.runs()) {
        const QString id = QString::fromStdString(run.id), machine = QString::fromStdString(run.machine);
        const RunSupervisor* known = control_.supervisor(id);
        // Without contact the training on another machine may go on.
        const bool lost = run.state == "lost_contact" && !machine.isEmpty() && !run.trashed;
        const bool live = lost || run.state == "running" || run.state == "paused";
        if (live && (!known || known->phase() == RunPhase::NotRunning))
            add(id, {}, {machine.isEmpty() ? automatic : machine});
    }
    return all;
}

std::map<QString, int> RunQueue::busyByDevice() const {
    std::map<QString, int> busy;
    for (const views::DeviceOccupant& occupant : occupants()) ++busy[occupant.device];
    return busy;
}

namespace {

/// Whether a process of this machine trains this run: an engine that still prepares its data has no run
/// folder yet, and must not be started a second time.
bool engineTrains(const QString& run) {
    const QByteArray told = QByteArray("--run") + '\0' + run.toUtf8() + '\0';
    for (const QString& process :
         QDir(QStringLiteral("/proc")).entryList({QStringLiteral("[0-9]*")}, QDir::Dirs)) {
        QFile line(QStringLiteral("/proc/%1/cmdline").arg(process));
        if (line.open(QIODevice::ReadOnly) && line.readAll().contains(told)) return true;
    }
    return false;
}

}  // namespace

/// Also one that the catalog does not have yet.
bool RunQueue::exists(const QString& run) const {
    std::error_code ignored;
    return std::filesystem::exists(folder_ / "runs" / run.toStdString() / "run.db", ignored);
}

void RunQueue::follow(QueueItem& item) {
    if (starting_.contains(item.id)) return;
    State now = State::Running;
    QString reason;
    const store::RunSummary* run = catalog_.run(item.run);
    const RunSupervisor* known = control_.supervisor(item.run);
    if (known && known->phase() != RunPhase::NotRunning) {
        if (!known->isLive()) now = stateAfter(phaseName(known->phase()));
        if (now == State::Failed && asked_.contains(item.run) && !exists(item.run)) now = State::Waiting;
        reason = known->reason();
    } else if (run) {
        now = stateAfter(run->state);
        reason = QString::fromStdString(run->reason);
    } else if (!known && !engineTrains(item.run)) {
        // Saved, but the studio ended before the engine started; a machine may train it all the same.
        if (item.machine.isEmpty())
            now = State::Waiting;
        else if (!asked_.contains(item.run))
            askMachine(item);
    }
    if (now == State::Running) {
        item.reason = known && known->phase() == RunPhase::NotRunning ? known->reason() : QString();
        return;
    }
    if (now == State::Waiting) item.run.clear();
    item.state = now;
    item.reason = now == State::Waiting ? QString() : reason;
    if (now == State::Failed) Q_EMIT message(tr("%1 failed: %2").arg(item.title, reason));
}

/// Follows a run that may be there; one that is not ends in Failed. Later: its start leads to advance().
void RunQueue::askMachine(const QueueItem& item) {
    asked_ << item.run;
    const QStringList words{QStringLiteral("follow"), item.run, QStringLiteral("--machine"), item.machine};
    QTimer::singleShot(0, this, [this, words] { control_.start(words); });
}

void RunQueue::advance() {
    // A run that has not been read yet would look as if it never started.
    const bool known = catalog_.complete() && catalog_.reading().left == 0;
    if (elsewhere_ || !known || engine_.devices().empty()) return;
    const auto before = state_.toJson();
    for (QueueItem& item : state_.items)
        if (item.state == State::Running) follow(item);
    for (const QString& id :
         state_.startable(busyByDevice(), QString::fromStdString(engine_.defaultDevice())))
        for (QueueItem& item : state_.items) {
            if (item.id != id) continue;
            item.state = State::Running;
            if (item.words.value(0) != QLatin1String("train"))
                item.run = item.words.value(1);
            else if (item.run.isEmpty())
                item.run = QString::fromStdString(newRunId());
            starting_ << id;
        }
    if (state_.toJson() == before) return;
    saveChanges();
    if (!starting_.isEmpty()) file_.saveNow();
}

Result<QStringList> RunQueue::wordsOf(const QueueItem& item) const {
    QStringList words = item.words;
    if (item.experiment.isEmpty() || words.value(0) != QLatin1String("train")) return words;
    const std::string file = (folder_ / words.value(1).toStdString()).string();
    auto now = readFile(file);
    if (!now) return words;  // the engine reports the error
    KURVE_TRY(const auto pins, views::experimentPins({file, item.experiment.toStdString(), std::move(*now)},
                                                     engine_.schemas(), overridesIn(words)));
    for (const auto& [key, value] : pins)
        words << QStringLiteral("--set") << QString::fromStdString(key + "=" + value);
    return words;
}

void RunQueue::launch() {
    bool refused = false;
    while (!starting_.isEmpty()) {
        const QString id = starting_.first();
        for (QueueItem& item : state_.items) {
            if (item.id != id) continue;
            const auto words = wordsOf(item);
            if (words) {
                Q_EMIT message(tr("Started from the queue: %1").arg(item.title));
                const QStringList where{QStringLiteral("--machine"), item.machine};
                control_.start(item.machine.isEmpty() ? *words : *words + where, item.device, item.run);
                break;
            }
            item.state = State::Failed;
            item.reason = QString::fromStdString(words.error().text());
            item.run.clear();
            Q_EMIT message(tr("%1 failed: %2").arg(item.title, item.reason));
            refused = true;
        }
        starting_.removeAll(id);  // only now: signals of start() must not see it as never started
    }
    if (!refused) return;
    saveChanges();
    advance();
}

int RunQueue::waiting() const {
    if (elsewhere_ || state_.paused) return 0;
    return static_cast<int>(
        std::count_if(state_.items.begin(), state_.items.end(),
                      [](const QueueItem& item) { return item.state == State::Waiting; }));
}

}  // namespace kurve::studio
