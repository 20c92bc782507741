#include "app/studio/engine/run_supervisor.h"

#include <fcntl.h>
#include <unistd.h>
#include <csignal>

#include <QDir>
#include <QFile>
#include <QLocalSocket>

#include "core/base/inside.h"
#include "core/base/version.h"
#include "core/wire/fields.h"

namespace kurve::studio {

namespace {

constexpr int kCoalesceMilliseconds = 300;
constexpr int kWatchMilliseconds = 1000;
constexpr int kKillMilliseconds = 5000;

QString textOf(const nlohmann::json& body, const char* key) {
    return QString::fromStdString(wire::Fields(body).text(key));
}

bool processLives(qint64 pid) {
    if (pid <= 0 || (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH)) return false;
    QFile stat(QStringLiteral("/proc/%1/stat").arg(pid));
    if (!stat.open(QIODevice::ReadOnly)) return false;
    const QByteArray line = stat.readAll();
    const qsizetype end = line.lastIndexOf(')');
    return end < 0 || line.mid(end + 2, 1) != "Z";  // a zombie is gone for us
}

}  // namespace

const char* phaseName(RunPhase phase) {
    static constexpr const char* kNames[] = {"",       "starting", "running",     "pausing",
                                             "paused", "stopping", "completed",   "cancelled",
                                             "failed", "crashed",  "lost_contact"};
    return kNames[static_cast<std::size_t>(phase)];
}

RunSupervisor::RunSupervisor(QString runId, QString runFolder, QObject* parent)
    : QObject(parent), runId_(std::move(runId)), runFolder_(std::move(runFolder)) {
    coalesce_.setSingleShot(true);
    coalesce_.setInterval(kCoalesceMilliseconds);
    connect(&coalesce_, &QTimer::timeout, this, &RunSupervisor::progressed);
    watch_.setInterval(kWatchMilliseconds);
    connect(&watch_, &QTimer::timeout, this, &RunSupervisor::watchAttached);
    escalate_.setSingleShot(true);
    escalate_.setInterval(kKillMilliseconds);
    connect(&escalate_, &QTimer::timeout, this, [this] { signalEngine(SIGKILL); });
    connect(&process_, &EngineProcess::started, this, [this] {
        pid_ = process_.pid();
        sayHello();
    });
    connect(&process_, &EngineProcess::received, this, &RunSupervisor::receive);
    connect(&process_, &EngineProcess::broken, this, &RunSupervisor::warnOfLine);
    connect(&process_, &EngineProcess::ended, this, &RunSupervisor::classifyEnd);
}

bool RunSupervisor::isLive() const {
    return phase_ == RunPhase::LostContact || (phase_ >= RunPhase::Starting && phase_ <= RunPhase::Stopping);
}

void RunSupervisor::setPhase(RunPhase phase, const QString& reason) {
    if (phase == phase_ && reason == reason_) return;
    if (phase == RunPhase::LostContact && phase_ != RunPhase::LostContact)
        beforeSilence_ = phase_ == RunPhase::Starting ? RunPhase::Running : phase_;
    phase_ = phase;
    reason_ = reason;
    if (!isLive()) {
        watch_.stop();
        escalate_.stop();
    }
    Q_EMIT phaseChanged();
}

void RunSupervisor::start(const QString& program, const QStringList& arguments, const QString& folder) {
    if (phase_ != RunPhase::NotRunning) return;
    follows_ = arguments.value(0) == QLatin1String("follow");
    silence_.start();
    watch_.start();
    setPhase(RunPhase::Starting, tr("Loading the engine."));
    process_.setProgram(program);
    process_.begin(arguments, folder);
}

void RunSupervisor::warnOfLine(const QString& problem) {
    Q_EMIT warned(tr("Invalid message from the engine: %1").arg(problem));
}

void RunSupervisor::sayHello() {
    send("hello", {{"protocol", wire::kProtocol}, {"build", commitText()}});
}

bool RunSupervisor::send(const std::string& type, nlohmann::json body, const std::string& id) {
    return link_ ? link_->send(type, std::move(body), id) : process_.send(type, std::move(body), id);
}

void RunSupervisor::pause() {
    if (phase_ == RunPhase::Running && send("pause"))
        setPhase(RunPhase::Pausing, tr("Pausing after the current step; the model stays loaded."));
}

void RunSupervisor::resume() {
    if ((phase_ == RunPhase::Paused || phase_ == RunPhase::Pausing) && send("resume"))
        setPhase(RunPhase::Running);
}

void RunSupervisor::stop() {
    if (!isLive()) return;
    if (lostSince_ > 0) return stopFollowing();
    ++stopPresses_;
    if (stopPresses_ == 1 && send("stop")) {
        silence_.restart();
        setPhase(RunPhase::Stopping,
                 tr("Finishing the step and writing a checkpoint; stop again to end immediately."));
    } else if (stopPresses_ <= 2) {
        stopPresses_ = 2;
        signalEngine(SIGTERM);
        escalate_.start();
        setPhase(RunPhase::Stopping,
                 tr("Terminating the process; it is killed after 5 s. %1").arg(checkpointText()));
    } else {
        signalEngine(SIGKILL);
    }
}

void RunSupervisor::signalEngine(int number) {
    if (!processLives(pid_)) return;
    ::kill(static_cast<pid_t>(pid_), number);
    ::kill(static_cast<pid_t>(pid_), SIGCONT);  // a stopped process would keep the signal pending
}

void RunSupervisor::sampleNow() {
    send("sample", nlohmann::json::object(), "sample-" + std::to_string(nextId_++));
}
void RunSupervisor::checkpointNow() {
    send("checkpoint");
}
bool RunSupervisor::set(const QString& key, const QString& value) {
    return send("set", {{"key", key.toStdString()}, {"value", value.toStdString()}},
                "set-" + std::to_string(nextId_++));
}

bool RunSupervisor::ask(const std::string& type, nlohmann::json body, const std::string& id) {
    return isLive() && send(type, std::move(body), id);
}

void RunSupervisor::receive(const wire::Message& message) {
    silence_.restart();
    if (phase_ == RunPhase::LostContact && lostSince_ == 0 && message.type != "hello")
        setPhase(beforeSilence_);
    // An error in the answer to a prompt is not one of the training.
    if (message.id.starts_with(kQuestion)) return Q_EMIT answered(message);
    const nlohmann::json& body = message.body;
    if (message.type == "hello") return receiveHello(message);
    if (message.type == "state") return receiveState(body);
    if (message.type == "progress") return receiveProgress(body);
    if (message.type == "preparing")
        return setPreparation(tr("Preparing: %1").arg(textOf(body, "text")),
                              wire::Fields(body).number("fraction", 0));
    if (message.type == "transfer") return receiveTransfer(body);
    if (message.type == "done") {
        saidState_ = textOf(body, "state");
        if (const QString machine = textOf(body, "machine"); !machine.isEmpty()) machine_ = machine;
        return;
    }
    if (message.type == "mark")
        Q_EMIT marked(wire::Fields(body).integer("step", qint64(0)), textOf(body, "kind"),
                      textOf(body, "text"));
    if (message.type == "alert") Q_EMIT alarmed(textOf(body, "text"));
    if (message.type == "warning") Q_EMIT warned(textOf(body, "text") + textOf(body, "message"));
    if (message.type == "error") {
        lastError_ = errorText(message);
        intactCheckpoint_ = wire::Fields(body).integer("checkpoint", qint64(-1));
        Q_EMIT warned(lastError_);
    }
}

void RunSupervisor::receiveHello(const wire::Message& message) {
    if (const QString what = protocolProblem(message); !what.isEmpty()) {
        mismatch_ = true;
        if (attached_) {
            if (socket_) socket_->abort();
            setPhase(RunPhase::LostContact, what + QLatin1Char(' ') + tr("Training continues."));
        } else {
            setPhase(RunPhase::Failed, what);
            signalEngine(SIGTERM);
        }
        return;
    }
    if (const auto pid = wire::Fields(message.body).integer("pid", qint64(0)); pid > 0) pid_ = pid;
    if (attached_ && phase_ != RunPhase::Running && lostSince_ == 0) setPhase(RunPhase::Running);
}

void RunSupervisor::receiveState(const nlohmann::json& body) {
    const wire::Fields said(body);
    saidState_ = textOf(body, "state");
    saidReason_ = textOf(body, "reason");
    setPreparation({}, 1);
    if (const auto step = said.integer("step", qint64(-1)); step >= 0) progress_.step = step;
    if (const auto total = said.integer("total", qint64(-1)); total >= 0) progress_.total = total;
    progress_.plannedSeconds = said.number("planned_seconds", progress_.plannedSeconds);
    if (mismatch_) return;
    if (said.has("machine")) machine_ = textOf(body, "machine");
    if (saidState_ == QLatin1String("lost_contact")) return loseMachine(said.number("since", 0));
    if (std::exchange(lostSince_, 0) > 0) stopPresses_ = 0;
    if (saidState_ == QLatin1String("running") && phase_ != RunPhase::Stopping)
        setPhase(RunPhase::Running, saidReason_);
    // A pause by command needs no reason.
    if (saidState_ == QLatin1String("paused"))
        setPhase(RunPhase::Paused, saidReason_ == QLatin1String("by command") ? QString() : saidReason_);
    if (saidState_ == QLatin1String("stopping")) setPhase(RunPhase::Stopping, saidReason_);
    // Final states are believed when the process has ended: it may still be writing.
}

void RunSupervisor::receiveProgress(const nlohmann::json& body) {
    if (phase_ == RunPhase::Starting) setPhase(RunPhase::Running);
    const wire::Fields said(body);
    progress_.step = said.integer("step", progress_.step);
    progress_.total = said.integer("total", progress_.total);
    progress_.plannedSeconds = said.number("planned_seconds", progress_.plannedSeconds);
    progress_.tokensPerSecond = said.number("tokens_per_second", progress_.tokensPerSecond);
    progress_.etaSeconds = said.number("eta_seconds", -1);
    if (said.has("device")) progress_.device = textOf(body, "device");
    if (const auto metrics = body.find("metrics"); metrics != body.end() && metrics->is_object())
        for (const auto& [name, value] : metrics->items())
            if (value.is_number()) progress_.metrics[name] = value.get<double>();
    if (!coalesce_.isActive()) coalesce_.start();
}

void RunSupervisor::setPreparation(const QString& text, double fraction) {
    if (text == progress_.preparation.text) return;
    progress_.preparation = {text, fraction};
    if (!coalesce_.isActive()) coalesce_.start();
}

bool RunSupervisor::hasCheckpoint() const {
    return !QDir(runFolder_ + QStringLiteral("/checkpoints"))
                .entryList({QStringLiteral("step-*")}, QDir::Dirs)
                .isEmpty();
}

QString RunSupervisor::checkpointText() const {
    return hasCheckpoint() ? tr("The last checkpoint is kept.") : tr("No checkpoint was saved.");
}

QString RunSupervisor::resumeHint() const {
    return hasCheckpoint() ? tr("Resume continues from the last checkpoint.")
                           : tr("No checkpoint was saved; use its settings as a draft and start again.");
}

bool RunSupervisor::saidEnd() const {
    return saidState_ == QLatin1String("completed") || saidState_ == QLatin1String("cancelled") ||
           saidState_ == QLatin1String("failed");
}

void RunSupervisor::classifyEnd(const EngineEnd& end) {
    if (!isLive()) return;
    if (end.code == EngineEnd::kNotStarted) return setPhase(RunPhase::Failed, end.why);
    // What follows a training may fail here or not reach it; one that was refused never told a state.
    if ((follows_ || (!machine_.isEmpty() && !saidState_.isEmpty())) && !saidEnd())
        return setPhase(RunPhase::NotRunning, unfollowedText(end));
    if (end.crashed && stopPresses_ >= 2)
        return setPhase(RunPhase::Cancelled, tr("Stopped by the user. %1").arg(checkpointText()));
    if (end.crashed && attached_)
        return setPhase(RunPhase::Crashed,
                        tr("The engine process %1 is gone. %2").arg(QString::number(pid_), resumeHint()));
    if (end.crashed)
        return setPhase(
            RunPhase::Crashed,
            tr("The engine was ended by signal %1%2. %3")
                .arg(QString::number(end.code),
                     end.log.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(end.log), resumeHint()));
    if (end.code == 0 && (saidState_ == QLatin1String("cancelled") || stopPresses_ > 0) &&
        saidState_ != QLatin1String("completed"))
        return setPhase(RunPhase::Cancelled, saidReason_);
    // `kurve reproduce` ends with 1 where the run is done but not the same as the first: the run's facts say
    // so.
    if (end.code == 0 || (end.code == 1 && saidState_ == QLatin1String("completed")))
        return setPhase(RunPhase::Completed, saidReason_);
    if (end.code == 130)
        return setPhase(RunPhase::Cancelled,
                        saidReason_.isEmpty() ? tr("Cancelled by the user.") : saidReason_);
    QString why = !lastError_.isEmpty() ? lastError_ : !saidReason_.isEmpty() ? saidReason_ : end.log;
    if (why.isEmpty()) why = tr("the engine exited with code %1 without a message").arg(end.code);
    setPhase(RunPhase::Failed, why);
}

// ---- attaching to an engine that another studio started ----

void RunSupervisor::attach(qint64 pid) {
    if (phase_ != RunPhase::NotRunning) return;
    attached_ = true;
    follows_ = !machine_.isEmpty();
    pid_ = pid;
    silence_.start();
    setPhase(RunPhase::Starting, tr("Attaching to the running engine."));
    watch_.start();
    connectSocket();
}

void RunSupervisor::connectSocket() {
    delete link_.data();
    delete socket_.data();
    socket_ = new QLocalSocket(this);
    connect(socket_, &QLocalSocket::connected, this, &RunSupervisor::sayHello);
    connect(socket_, &QLocalSocket::disconnected, this, &RunSupervisor::socketClosed);
    connect(socket_, &QLocalSocket::errorOccurred, this, [this] { socketClosed(); });
    link_ = new EngineLink(socket_, socket_);
    connect(link_, &EngineLink::received, this, &RunSupervisor::receive);
    connect(link_, &EngineLink::broken, this, &RunSupervisor::warnOfLine);
    if (!checkNoLink(std::filesystem::path(runFolder_.toStdString()) / wire::kControlSocket)) return;
    // Socket paths end at 107 bytes: reach the folder through a descriptor, which lives until the connection
    // is made.
    const int folder = ::open(QFile::encodeName(runFolder_).constData(), O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    socket_->connectToServer(
        QStringLiteral("/proc/self/fd/%1/%2").arg(folder).arg(QLatin1String(wire::kControlSocket)));
    ::close(folder);
}

void RunSupervisor::socketClosed() {
    if (link_) link_->drain();
    if (!isLive() || mismatch_) return;
    // The watch decides whether the engine ended or only the connection did, and tries again.
    if (phase_ != RunPhase::Stopping && processLives(pid_))
        setPhase(RunPhase::LostContact,
                 tr("The engine (process %1) is running but not responding; retrying.").arg(pid_));
}

void RunSupervisor::watchAttached() {
    if (!isLive()) return;
    if (attached_ && !processLives(pid_)) {
        if (link_) link_->drain();
        return classifyEnd({.crashed = !saidEnd(), .code = saidState_ == QLatin1String("failed") ? 1 : 0});
    }
    const bool connected = !attached_ || (socket_ && socket_->state() == QLocalSocket::ConnectedState);
    if (attached_ && !connected && !mismatch_) connectSocket();
    if (connected && silence_.elapsed() > silenceMilliseconds_ / 3) send("ping", {}, "watch");
    // Loading the libraries and preparing data may take longer than any step.
    const int patience = phase_ == RunPhase::Starting ? 6 * silenceMilliseconds_ : silenceMilliseconds_;
    if (silence_.elapsed() > patience && phase_ != RunPhase::LostContact)
        setPhase(RunPhase::LostContact,
                 tr("No response from the engine (process %1) for %2 s; Stop asks it to end, twice ends it "
                    "with the last checkpoint.")
                     .arg(pid_)
                     .arg(silence_.elapsed() / 1000));
}

}  // namespace kurve::studio
