#include "app/studio/engine/engine_process.h"

#include <unistd.h>
#include <csignal>

#include <QTimer>

#include "app/studio/engine/engine_program.h"

namespace kurve::studio {

namespace {
constexpr int kTermMs = 4000, kKillMs = 8000, kClosingMs = 300;
constexpr int kStoppedByUser = 130;
}  // namespace

EngineProcess::EngineProcess(Kind kind, QString program, QObject* parent)
    : QObject(parent), kind_(kind), program_(std::move(program)) {}

EngineProcess::~EngineProcess() {
    if (!process_) return;
    QProcess* process = letGo();
    if (kind_ != Kind::Job) return;
    process->closeWriteChannel();
    process->terminate();
    process->waitForFinished(kClosingMs);
    delete process;  // kills it
}

void EngineProcess::begin(const QStringList& arguments, const QString& folder) {
    error_.clear();
    log_.clear();
    stopAsked_ = false;
    process_ = new QProcess;
    process_->setWorkingDirectory(folder);
    process_->setChildProcessModifier([apart = kind_ == Kind::Training, job = kind_ == Kind::Job] {
        if (apart) {
            ::setsid();                  // not ended with a terminal or the studio
            ::signal(SIGPIPE, SIG_IGN);  // nor by closed pipes
        }
        if (!job && ::nice(10) == -1) return;  // the window stays responsive, and timings are comparable
    });
    listen();
    const QString program = program_.isEmpty() ? findEngineProgram() : program_;
    if (!program.isEmpty()) process_->start(program, arguments);
    if (kind_ == Kind::Call && process_) process_->closeWriteChannel();
    if (!program.isEmpty()) return;
    const auto missing = [this, begun = process_] {
        if (!begun || process_ != begun) return;  // let go, or begun again
        finish({EngineEnd::Kind::Failed, false, EngineEnd::kNotStarted,
                QString::fromStdString(engineMissing().text())});
    };
    QMetaObject::invokeMethod(this, missing, Qt::QueuedConnection);
}

void EngineProcess::listen() {
    if (kind_ != Kind::Call) {
        link_ = new EngineLink(process_, process_);
        connect(link_, &EngineLink::broken, this, &EngineProcess::broken);
        connect(link_, &EngineLink::received, this, [this](const wire::Message& message) {
            if (message.type == "error" && message.id.empty()) error_ = errorText(message);
            Q_EMIT received(message);
        });
    }
    connect(process_, &QProcess::started, this, &EngineProcess::started);
    connect(process_, &QProcess::readyReadStandardError, this, &EngineProcess::readLog);
    connect(process_, &QProcess::finished, this, &EngineProcess::finished);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        finish({EngineEnd::Kind::Failed, false, EngineEnd::kNotStarted,
                tr("The engine %1 could not be started (%2). Build it with packaging/run, or put `kurve` "
                   "beside the studio.")
                    .arg(process_->program(), process_->errorString())});
    });
}

void EngineProcess::readLog() {
    process_->setReadChannel(QProcess::StandardError);
    while (process_->canReadLine() ||
           (process_->state() == QProcess::NotRunning && process_->bytesAvailable() > 0)) {
        const QString line = QString::fromUtf8(process_->readLine()).trimmed();
        if (!line.isEmpty()) log_ = line;
    }
    process_->setReadChannel(QProcess::StandardOutput);
}

void EngineProcess::finished(int code, QProcess::ExitStatus how) {
    if (link_) link_->drain();
    if (!process_) return;  // let go because of its last message
    readLog();
    EngineEnd end{EngineEnd::Kind::Done, how == QProcess::CrashExit, code, {}, log_, {}, stopAsked_};
    if (kind_ == Kind::Call) end.output = process_->readAllStandardOutput();
    if (end.crashed || code != 0) end.kind = EngineEnd::Kind::Failed;
    // One that does not look for a stop, while it loads or scores, is ended by a signal.
    if (end.crashed ? stopAsked_ : code == kStoppedByUser) end.kind = EngineEnd::Kind::Stopped;
    end.why = end.crashed ? tr("The engine ended unexpectedly.") : error_.isEmpty() ? log_ : error_;
    finish(std::move(end));
}

void EngineProcess::finish(EngineEnd end) {
    letGo();
    Q_EMIT ended(end);
}

/// It deletes itself at its end.
QProcess* EngineProcess::letGo() {
    QProcess* process = std::exchange(process_, nullptr);
    process->disconnect(this);
    if (link_) link_->disconnect(this);
    link_ = nullptr;
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    if (process->state() == QProcess::NotRunning) process->deleteLater();
    return process;
}

bool EngineProcess::send(const std::string& type, nlohmann::json body, const std::string& id) {
    return link_ && link_->send(type, std::move(body), id);
}

void EngineProcess::stop() {
    if (!process_) return;
    stopAsked_ = true;
    if (!send("stop")) return process_->terminate();
    QTimer::singleShot(kTermMs, process_.data(), &QProcess::terminate);
    QTimer::singleShot(kKillMs, process_.data(), &QProcess::kill);
}

void EngineProcess::release() {
    if (!process_) return;
    stop();
    // Nobody waits for what it still does, but for its memory.
    QTimer::singleShot(kTermMs / 2, process_.data(), &QProcess::terminate);
    QTimer::singleShot(kTermMs, process_.data(), &QProcess::kill);
    process_->closeWriteChannel();
    letGo();
}

void EngineProcess::kill() {
    if (process_) letGo()->kill();
}

}  // namespace kurve::studio
