#include "app/studio/inspect_service.h"

#include <QCoreApplication>
#include <QTimer>
#include <limits>
#include <utility>

#include "app/studio/engine_link.h"
#include "app/studio/engine_program.h"
#include "app/studio/run_supervisor.h"
#include "app/studio/trace_request.h"
#include "views/common/counted_text.h"

namespace kurve::studio {

using views::PromptStatus;

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

/// One that the selector could not read has none.
double scoreOf(const nlohmann::json& sample) {
    const auto score = sample.value("score", nlohmann::json());
    return score.is_number() ? score.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// A recording that was to repeat an output and did not must not pass for it.
QString differenceText(const QString& output, const QString& expected) {
    if (expected.isEmpty() || output == expected) return {};
    return QLatin1Char(' ') +
           InspectService::tr("Denoised alone this sentence drew other noise: “%1” instead of “%2”.")
               .arg(output, expected);
}

QString lastLine(const QByteArray& log) {
    return QString::fromUtf8(log).trimmed().section(QLatin1Char('\n'), -1);
}

}  // namespace

InspectService::InspectService(QString program, std::filesystem::path project, QObject* parent)
    : QObject(parent), program_(std::move(program)), project_(std::move(project)) {}

InspectService::~InspectService() {
    if (process_ == nullptr) return;
    process_->disconnect();
    process_->closeWriteChannel();
    process_->terminate();
    // The window is closing: a moment for a clean end, then ~QProcess kills what is left.
    process_->waitForFinished(300);
}

void InspectService::setStatus(PromptStatus::Kind kind, const QString& text) {
    status_ = {kind, text, {}};
    Q_EMIT statusChanged(status_);
}

void InspectService::fail(const QString& text, const QString& field) {
    waiting_.reset();
    asked_ = false;
    status_ = {PromptStatus::Kind::Failed, text, field};
    Q_EMIT statusChanged(status_);
}

std::string InspectService::newestId() const {
    // Another studio may ask the same training.
    return RunSupervisor::kQuestion + std::to_string(QCoreApplication::applicationPid()) + '-' +
           std::to_string(newest_);
}

bool InspectService::tell(const std::string& type, nlohmann::json body) {
    if (training_) return training_->ask(type, std::move(body), newestId());
    return link_ != nullptr && link_->send(type, std::move(body), newestId());
}

/// What is being worked on counts no more.
void InspectService::takeBack() {
    if (asked_) tell("cancel");
    reading_.drop();
    readingGrowth_ = false;
    ++newest_;
    asked_ = false;
}

void InspectService::request(const views::PromptRequest& request) {
    takeBack();
    if (training_) training_->disconnect(this);
    training_ = nullptr;
    waiting_ = request;
    if (request.checkpoint == QLatin1String(views::kLiveModel)) return askTraining();
    if (process_ != nullptr && (request.runId != loadedRun_ || request.checkpoint != loadedCheckpoint_))
        release();
    if (process_ == nullptr) return start();
    if (serving_) send();
}

void InspectService::askTraining() {
    training_ = findTraining_ ? findTraining_(waiting_->runId) : nullptr;
    if (!training_ || !training_->isLive()) {
        training_ = nullptr;
        return fail(tr("This run does not train any more: ask its last checkpoint."));
    }
    connect(training_, &RunSupervisor::answered, this, &InspectService::received);
    connect(training_, &RunSupervisor::phaseChanged, this, &InspectService::trainingChanged);
    send();
}

void InspectService::trainingChanged() {
    if (!asked_ || !training_) return;
    if (!training_->isLive())
        return fail(tr("The training ended before it answered: ask its last checkpoint."));
    if (training_->phase() == RunPhase::LostContact) fail(training_->reason());
}

void InspectService::start() {
    if (program_.isEmpty()) return fail(QString::fromStdString(engineMissing().text()));
    const QString run = waiting_->runId, checkpoint = waiting_->checkpoint;
    loadedRun_ = run;
    loadedCheckpoint_ = checkpoint;
    serving_ = false;
    lastWords_.clear();
    process_ = std::make_unique<QProcess>();
    link_ = new EngineLink(process_.get(), process_.get());
    connect(link_, &EngineLink::received, this, &InspectService::received);
    connect(process_.get(), &QProcess::finished, this, &InspectService::ended);
    connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        const QString why = process_->errorString();
        link_ = nullptr;
        process_.release()->deleteLater();
        fail(tr("The engine could not be started: %1; check %2.").arg(why, program_));
    });
    QStringList arguments{QStringLiteral("sample"), run, QStringLiteral("--serve"),
                          QStringLiteral("--project"), QString::fromStdString(project_.string())};
    if (!checkpoint.isEmpty()) arguments << QStringLiteral("--checkpoint") << checkpoint;
    setStatus(PromptStatus::Kind::Loading, tr("Loading the model…"));
    process_->start(program_, arguments);
}

void InspectService::send() {
    const views::PromptRequest asked = *std::exchange(waiting_, std::nullopt);
    auto [type, body] = questionOf(asked);
    expected_ = asked.expected;
    if (const std::string file = followFile(); !file.empty()) body["follow"] = file;
    asked_ = tell(type, std::move(body));
    if (!asked_) return fail(tr("The engine does not listen; press Run to try again."));
    setStatus(PromptStatus::Kind::Working, training_ && training_->phase() != RunPhase::Paused
                                               ? tr("Waiting for the training's step to end…")
                                               : tr("Denoising…"));
}

std::string InspectService::followFile() {
    if (!growing_) growing_.emplace();
    if (!growing_->isValid()) return {};
    return growing_->filePath(QStringLiteral("growing.safetensors")).toStdString();
}

void InspectService::cancel() {
    waiting_.reset();
    takeBack();
    if (training_) return setStatus(PromptStatus::Kind::Ready, tr("Cancelled."));
    if (process_ == nullptr) return setStatus(PromptStatus::Kind::Idle, {});
    setStatus(serving_ ? PromptStatus::Kind::Ready : PromptStatus::Kind::Loading,
              serving_ ? tr("Cancelled.") : tr("Loading the model…"));
}

void InspectService::release() {
    if (process_ == nullptr) return;
    link_->disconnect(this);
    link_ = nullptr;
    serving_ = false;
    endGently(std::move(process_));
    if (!waiting_ && !training_) setStatus(PromptStatus::Kind::Idle, {});
}

void InspectService::received(const wire::Message& message) {
    if (message.type == "hello") {
        const int protocol = message.body.value("protocol", 0);
        if (protocol == wire::kProtocol) return;
        release();
        return fail(tr("The engine speaks protocol %1, this window %2; use the kurve of the same build.")
                        .arg(protocol)
                        .arg(wire::kProtocol));
    }
    if (message.type == "state" && message.body.value("state", "") == "serving") {
        serving_ = true;
        if (waiting_) return send();
        if (asked_ || training_) return;  // it has loaded newer weights for the request that it works on
        return setStatus(PromptStatus::Kind::Ready, tr("Ready."));
    }
    if (message.type == "error" && message.id.empty()) {
        lastWords_ = QString::fromStdString(message.body.value("message", ""));
        return;
    }
    if (message.id != newestId() || !asked_) return;  // the answer to a request that was overtaken
    if (message.type == "tracing") return takeProgress(message.body);
    if (message.type == "traced") return takeTrace(message.body);
    if (message.type == "error")
        fail(QString::fromStdString(message.body.value("message", "")),
             QString::fromStdString(message.body.value("field", "")));
}

void InspectService::takeTrace(const nlohmann::json& body) {
    const auto sample = body.value("sample", nlohmann::json::object());
    const views::PromptAnswer answer{
        QString::fromStdString(sample.value("input", "")),
        QString::fromStdString(body.value("output", "")),
        scoreOf(sample),
        body.value("seconds", 0.0),
        body.value("steps", 0),
        static_cast<int>(sample.value("candidates", nlohmann::json::array()).size())};
    const std::filesystem::path file = body.value("file", "");
    asked_ = false;
    readingGrowth_ = false;
    reading_.run(
        [file] { return trace::readTrace(file); },
        [this, answer, expected = expected_, training = !training_.isNull()](Result<trace::Trace> read) {
            if (!read) return fail(QString::fromStdString(read.error().text()));
            const QString difference = differenceText(answer.output, expected);
            const QString by = training ? tr(", by the model after %1 training steps")
                                              .arg(QString::fromStdString(read->metaText("checkpoint_step")))
                                        : QString();
            setStatus(PromptStatus::Kind::Ready, tr("%1 in %2 s")
                                                         .arg(views::countedText(answer.steps, tr("step")))
                                                         .arg(answer.seconds, 0, 'f', 2) +
                                                     by + difference);
            if (!difference.isEmpty()) Q_EMIT said(difference.trimmed());
            Q_EMIT answered(answer);
            Q_EMIT traceReady(std::make_shared<const trace::Trace>(std::move(*read)));
        });
}

void InspectService::takeProgress(const nlohmann::json& body) {
    setStatus(PromptStatus::Kind::Working,
              tr("Denoising: step %1 of %2").arg(body.value("steps", 0)).arg(body.value("planned", 0)));
    if (readingGrowth_) return;  // the next picture shows these steps as well
    readingGrowth_ = true;
    const std::filesystem::path file = body.value("file", "");
    reading_.run([file] { return trace::readTrace(file); },
                 [this](Result<trace::Trace> read) {
                     readingGrowth_ = false;
                     if (!read) return;  // the engine has just taken it away; the finished one follows
                     read->file.clear();
                     Q_EMIT traceGrew(std::make_shared<const trace::Trace>(std::move(*read)));
                 });
}

void InspectService::ended(int code, QProcess::ExitStatus how) {
    link_->drain();
    const QString said = lastWords_.isEmpty() ? lastLine(process_->readAllStandardError()) : lastWords_;
    link_ = nullptr;
    serving_ = false;
    process_.release()->deleteLater();
    if (training_) return;  // another one was asked meanwhile
    if (how == QProcess::CrashExit)
        return fail(
            tr("The engine crashed (signal %1). Press Run to start it again. %2").arg(code).arg(said));
    if (code != 0)
        return fail(said.isEmpty()
                        ? tr("The engine ended with code %1; press Run to start it again.").arg(code)
                        : said);
    fail(tr("The engine ended by itself; press Run to start it again."));
}

}  // namespace kurve::studio
