#include "app/studio/engine/inference_process.h"

#include <QTimer>
#include <utility>

#include "app/studio/engine/engine_link.h"
#include "app/studio/engine/engine_program.h"
#include "core/wire/fields.h"

namespace kurve::studio {

namespace {

constexpr int kStopMs = 2000, kTermMs = 2000;

/// Stop, then SIGTERM, then SIGKILL, without ever blocking; the process deletes itself.
void endGently(std::unique_ptr<QProcess> owned) {
    QProcess* process = owned.release();
    process->disconnect();
    QObject::connect(process, &QProcess::finished, process, &QObject::deleteLater);
    if (process->state() == QProcess::NotRunning) return process->deleteLater();
    const std::string line = wire::encode({"stop", "", nlohmann::json::object()}) + '\n';
    process->write(line.data(), static_cast<qint64>(line.size()));
    process->closeWriteChannel();
    QTimer::singleShot(kStopMs, process, &QProcess::terminate);
    QTimer::singleShot(kStopMs + kTermMs, process, &QProcess::kill);
}

QString lastLine(const QByteArray& log) {
    return QString::fromUtf8(log).trimmed().section(QLatin1Char('\n'), -1);
}

}  // namespace

InferenceProcess::InferenceProcess(QString program, std::filesystem::path project, QObject* parent)
    : QObject(parent), program_(std::move(program)), project_(std::move(project)) {}

InferenceProcess::~InferenceProcess() {
    if (process_ == nullptr) return;
    process_->disconnect();
    process_->closeWriteChannel();
    process_->terminate();
    // The window is closing: a moment for a clean end, then ~QProcess kills the engine.
    process_->waitForFinished(300);
}

bool InferenceProcess::load(const QString& run, const QString& checkpoint) {
    if (run != run_ || checkpoint != checkpoint_) release();
    run_ = run;
    checkpoint_ = checkpoint;
    if (process_ == nullptr) start();
    return serving_;
}

void InferenceProcess::start() {
    if (program_.isEmpty()) return Q_EMIT failed(QString::fromStdString(engineMissing().text()));
    lastError_.clear();
    process_ = std::make_unique<QProcess>();
    link_ = new EngineLink(process_.get(), process_.get());
    connect(link_, &EngineLink::received, this, &InferenceProcess::take);
    connect(process_.get(), &QProcess::finished, this, &InferenceProcess::ended);
    connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        const QString why = process_->errorString();
        link_ = nullptr;
        process_.release()->deleteLater();
        Q_EMIT failed(tr("The engine could not be started: %1; check %2.").arg(why, program_));
    });
    QStringList arguments{QStringLiteral("sample"), run_, QStringLiteral("--serve"),
                          QStringLiteral("--project"), QString::fromStdString(project_.string())};
    if (!checkpoint_.isEmpty()) arguments << QStringLiteral("--checkpoint") << checkpoint_;
    process_->start(program_, arguments);
}

bool InferenceProcess::send(const std::string& type, nlohmann::json body, const std::string& id) {
    return link_ != nullptr && link_->send(type, std::move(body), id);
}

void InferenceProcess::release() {
    if (process_ == nullptr) return;
    link_->disconnect(this);
    link_ = nullptr;
    serving_ = false;
    endGently(std::move(process_));
}

void InferenceProcess::take(const wire::Message& message) {
    const wire::Fields fields(message.body);
    if (message.type == "hello") {
        const int protocol = fields.integer("protocol", 0);
        if (protocol == wire::kProtocol) return;
        release();
        return Q_EMIT failed(
            tr("The engine uses protocol %1, this window %2; use binaries of the same build.")
                .arg(protocol)
                .arg(wire::kProtocol));
    }
    if (message.type == "state" && fields.text("state") == "serving") {
        serving_ = true;
        return Q_EMIT serving();
    }
    if (message.type == "error" && message.id.empty()) {
        lastError_ = QString::fromStdString(fields.text("message"));
        return;
    }
    Q_EMIT received(message);
}

void InferenceProcess::ended(int code, QProcess::ExitStatus how) {
    link_->drain();
    const QString said = lastError_.isEmpty() ? lastLine(process_->readAllStandardError()) : lastError_;
    link_ = nullptr;
    serving_ = false;
    process_.release()->deleteLater();
    if (how == QProcess::CrashExit)
        return Q_EMIT failed(tr("The engine crashed (signal %1); try again. %2").arg(code).arg(said));
    if (code != 0)
        return Q_EMIT failed(said.isEmpty() ? tr("The engine exited with code %1; try again.").arg(code)
                                            : said);
    Q_EMIT failed(tr("The engine exited; try again."));
}

}  // namespace kurve::studio
