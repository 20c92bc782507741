#include "app/studio/services/inspect_service.h"

#include <QCoreApplication>
#include <QFile>
#include <limits>
#include <utility>

#include "app/studio/engine/engine_program.h"
#include "app/studio/engine/run_supervisor.h"
#include "app/studio/services/trace_request.h"
#include "core/store/project.h"
#include "core/store/run_file.h"
#include "core/wire/fields.h"
#include "views/common/text/counted_text.h"

namespace kurve::studio {

using views::PromptStatus;

namespace {

/// NaN for a candidate that the selector could not score.
double scoreOf(const wire::Fields& sample) {
    return sample.number("score", std::numeric_limits<double>::quiet_NaN());
}

/// A trace whose output differs from the expected one must say so.
QString differenceText(const QString& output, const QString& expected) {
    if (expected.isEmpty() || output == expected) return {};
    return QLatin1Char(' ') +
           InspectService::tr("The output differs from the expected one: “%1” instead of “%2”.")
               .arg(output, expected);
}

QString textOf(const wire::Message& message, const char* key) {
    return QString::fromStdString(wire::Fields(message.body).text(key));
}

}  // namespace

InspectService::InspectService(QString program, std::filesystem::path project, QObject* parent)
    : Prompts(parent), project_(project), engine_(std::move(program), std::move(project)) {
    connect(&engine_, &InferenceProcess::serving, this, &InspectService::serving);
    connect(&engine_, &InferenceProcess::received, this, &InspectService::received);
    connect(&engine_, &InferenceProcess::failed, this, [this](const QString& why) {
        if (!training_) fail(why);  // else the training has the newest request
    });
}

void InspectService::setStatus(PromptStatus::Kind kind, const QString& text) {
    publish({kind, text, {}, requestedRun_});
}

void InspectService::publish(const PromptStatus& status) {
    status_ = status;
    Q_EMIT statusChanged(status);
    if (status.kind == PromptStatus::Kind::Loading || status.kind == PromptStatus::Kind::Working) return;
    if (const QString said = std::exchange(saying_, {}); !said.isEmpty()) Q_EMIT retracted(said);
}

void InspectService::fail(const QString& text, const QString& field) {
    waiting_.reset();
    pending_ = false;
    publish({PromptStatus::Kind::Failed, text, field, requestedRun_});
}

std::string InspectService::newestId() const {
    // Another studio may ask the same training.
    return RunSupervisor::kQuestion + std::to_string(QCoreApplication::applicationPid()) + '-' +
           std::to_string(newest_);
}

bool InspectService::tell(const std::string& type, nlohmann::json body) {
    if (training_) return training_->ask(type, std::move(body), newestId());
    return engine_.send(type, std::move(body), newestId());
}

/// Cancels the request in progress.
void InspectService::cancelPending() {
    if (pending_) tell("cancel");
    reading_.drop();
    readingLiveTrace_ = false;
    ++newest_;
    pending_ = false;
}

views::PromptRequest InspectService::requestOf(const trace::Trace& trace) const {
    return studio::requestOf(trace);
}

void InspectService::repeat(views::PromptRequest request, const QString& saying) {
    const RunSupervisor* run = findTraining_ ? findTraining_(request.runId) : nullptr;
    if (run != nullptr && run->phase() == RunPhase::Paused &&
        request.checkpoint == QString::number(run->progress().step))  // not an average of checkpoints
        request.checkpoint = QLatin1String(views::kLiveModel);
    if (!saying_.isEmpty()) Q_EMIT retracted(saying_);
    saying_ = saying;
    Q_EMIT said(saying);
    this->request(request);
}

void InspectService::branch(const trace::Trace& parent, int step, const QString& edits) {
    if (parent.file.empty())
        return Q_EMIT said(tr("Trace not saved; run the prompt again and branch from it."));
    views::PromptRequest again = requestOf(parent);
    // By its name in the run, whose folder has another path where another machine trains it.
    const auto own =
        store::RunFile::below(store::Project::runFolderIn(project_, again.runId.toStdString()), parent.file);
    again.branch = views::PromptRequest::Branch{
        QString::fromStdString(own ? own->text() : parent.file.string()), step, edits};
    repeat(std::move(again), tr("Re-running from step %1…").arg(step + 1));
}

void InspectService::request(const views::PromptRequest& request) {
    Q_EMIT requested(request.runId);
    cancelPending();
    if (training_) training_->disconnect(this);
    training_ = nullptr;
    waiting_ = request;
    requestedRun_ = request.runId;
    if (request.checkpoint == QLatin1String(views::kLiveModel)) return requestFromTraining();
    if (const QString missing =
            missingWeights_ ? missingWeights_(request.runId, request.checkpoint) : QString();
        !missing.isEmpty())
        return fail(missing);
    if (engine_.load(request.runId, request.checkpoint)) return send();
    if (waiting_) setStatus(PromptStatus::Kind::Loading, tr("Loading the model…"));
}

void InspectService::requestFromTraining() {
    training_ = findTraining_ ? findTraining_(waiting_->runId) : nullptr;
    if (!training_ || !training_->isLive()) {
        training_ = nullptr;
        return fail(tr("This run is no longer training; choose its last checkpoint."));
    }
    connect(training_, &RunSupervisor::answered, this, &InspectService::received);
    connect(training_, &RunSupervisor::phaseChanged, this, &InspectService::trainingChanged);
    send();
}

void InspectService::trainingChanged() {
    if (!pending_ || !training_) return;
    if (!training_->isLive())
        return fail(tr("The training ended before answering; choose its last checkpoint."));
    if (training_->phase() == RunPhase::LostContact) fail(training_->reason());
}

void InspectService::send() {
    const views::PromptRequest request = *std::exchange(waiting_, std::nullopt);
    auto [type, body] = questionOf(request);
    expected_ = request.expected;
    if (const std::string file = liveTracePath(); !file.empty()) body["follow"] = file;
    pending_ = tell(type, std::move(body));
    if (!pending_) return fail(tr("The engine is not responding; press Run to try again."));
    setStatus(PromptStatus::Kind::Working, training_ && training_->phase() != RunPhase::Paused
                                               ? tr("Waiting for the training step to end…")
                                               : tr("Denoising…"));
}

std::string InspectService::liveTracePath() {
    if (!liveFolder_) liveFolder_.emplace();
    if (!liveFolder_->isValid()) return {};
    QFile::remove(QString::fromStdString(liveTrace_));
    liveTrace_ = liveFolder_->filePath(QStringLiteral("%1.safetensors").arg(newest_)).toStdString();
    return liveTrace_;
}

void InspectService::cancel() {
    waiting_.reset();
    cancelPending();
    if (training_) return setStatus(PromptStatus::Kind::Ready, tr("Cancelled."));
    if (!engine_.isRunning()) return setStatus(PromptStatus::Kind::Idle, {});
    setStatus(engine_.isServing() ? PromptStatus::Kind::Ready : PromptStatus::Kind::Loading,
              engine_.isServing() ? tr("Cancelled.") : tr("Loading the model…"));
}

void InspectService::release() {
    if (!engine_.isRunning()) return;
    engine_.release();
    if (training_) return;  // it has the newest request
    if (waiting_) return void(engine_.load(waiting_->runId, waiting_->checkpoint));
    if (pending_) return fail(tr("The default sampler was changed meanwhile; press Run again."));
    setStatus(PromptStatus::Kind::Idle, {});
}

void InspectService::serving() {
    if (waiting_) return send();
    if (pending_ || training_) return;  // it has loaded newer weights for the request in progress
    setStatus(PromptStatus::Kind::Ready, tr("Ready."));
}

void InspectService::received(const wire::Message& message) {
    if (message.id != newestId() || !pending_) return;  // the answer to an older request
    if (message.type == "tracing") return takeProgress(message.body);
    if (message.type == "traced") return takeTrace(message.body);
    if (message.type == "error") fail(textOf(message, "message"), textOf(message, "field"));
}

void InspectService::takeTrace(const nlohmann::json& body) {
    const wire::Fields fields(body), sample = fields.object("sample");
    const views::PromptAnswer answer{QString::fromStdString(sample.text("input")),
                                     QString::fromStdString(fields.text("output")),
                                     scoreOf(sample),
                                     fields.number("seconds"),
                                     fields.integer("steps", 0),
                                     static_cast<int>(sample.list("candidates").size())};
    pending_ = false;
    readingLiveTrace_ = false;
    reading_.run(
        [folder = store::Project::runFolderIn(project_, requestedRun_.toStdString()),
         name = fields.text("trace")] { return trace::readRunTrace(folder, name); },
        [this, answer, expected = expected_, training = !training_.isNull()](Result<trace::Trace> read) {
            if (!read) return fail(QString::fromStdString(read.error().text()));
            const QString difference = differenceText(answer.output, expected);
            const QString by = training ? tr(", at training step %1")
                                              .arg(QString::fromStdString(read->metaText("checkpoint_step")))
                                        : QString();
            Q_EMIT traceReady(std::make_shared<const trace::Trace>(std::move(*read)));
            Q_EMIT answered(answer);
            setStatus(PromptStatus::Kind::Ready, tr("%1 in %2 s")
                                                         .arg(views::countedText(answer.steps, tr("step")))
                                                         .arg(answer.seconds, 0, 'f', 2) +
                                                     by + difference);
            if (!difference.isEmpty()) Q_EMIT said(difference.trimmed());
        });
}

void InspectService::takeProgress(const nlohmann::json& body) {
    const wire::Fields fields(body);
    setStatus(
        PromptStatus::Kind::Working,
        tr("Denoising: step %1 of %2").arg(fields.integer("steps", 0)).arg(fields.integer("planned", 0)));
    if (readingLiveTrace_) return;  // the next one has these steps as well
    readingLiveTrace_ = true;
    reading_.run([file = std::filesystem::path(liveTrace_)] { return trace::readTrace(file); },
                 [this](Result<trace::Trace> read) {
                     readingLiveTrace_ = false;
                     if (!read) return;  // the engine has just removed it; the finished one follows
                     read->file.clear();
                     Q_EMIT traceExtended(std::make_shared<const trace::Trace>(std::move(*read)));
                 });
}

}  // namespace kurve::studio
