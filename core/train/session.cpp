#include "core/train/session.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/version.h"
#include "core/store/run_reader.h"
#include "core/train/corpus_vectors.h"
#include "core/train/make_trainer.h"
#include "core/train/memory_need.h"
#include "core/train/rank_commands.h"
#include "core/train/run_reference.h"
#include "core/train/tensor_histograms.h"

namespace kurve::train {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kOtherData = "the corpora or their settings changed; kurve verify names the files";
constexpr double kSleptSeconds = 10;  // less is a clock that is set
constexpr const char* kOrderOnGpu = "sums on a GPU are added in another order each time";

// Each on a GPU of its own.
Processes processesOf(const SessionRequest& request) {
    if (!request.maybeGroup) return {};
    return {request.maybeGroup->size(), request.device.is_cpu() ? request.maybeGroup->sizeHere() : 1};
}

}  // namespace

Result<std::unique_ptr<TrainingSession>> TrainingSession::begin(SessionRequest request, SessionLink& link) {
    if (!request.family->trains()) return writesNoText(request.config);
    KURVE_CHECKED(rerankerFor(request.resolver.get(), request.config));  // before any work
    KURVE_CHECKED(
        resolveReferences(request.resolver.get(), request.config, /*forStart=*/!request.checkpoint));
    KURVE_TRY(text::Dataset data, text::prepareDataset(request.config, request.project, request.preparation));
    std::unique_ptr<TrainingSession> session(
        new TrainingSession(std::move(request), link, std::make_shared<text::Dataset>(std::move(data))));
    Status prepared;
    try {
        prepared = session->prepare();
    } catch (const distributed::RankLost& lost) {
        prepared = lost.error();
    }
    if (!prepared) {
        if (session->writer_) session->writer_->takeBack();
        return prepared.error();
    }
    return session;
}

TrainingSession::TrainingSession(SessionRequest request, SessionLink& link,
                                 std::shared_ptr<text::Dataset> data)
    : request_(std::move(request)),
      link_(link),
      config_(request_.config),
      data_(std::move(data)),
      plan_(config_) {}

TrainingSession::~TrainingSession() = default;

Status TrainingSession::prepare() {
    if (data_->train.size() == 0)
        return requestError("data.empty", "the training split is empty").at("data.train");
    if (request_.maybeGroup) request_.maybeGroup->announce("data");
    if (!request_.force)
        KURVE_CHECKED(checkMemory(*request_.family, config_, data_, request_.device, request_.resolver.get(),
                                  processesOf(request_)));
    KURVE_TRY(trainer_, makeTrainer(*request_.family, config_,
                                    {*data_, request_.device, request_.threads, request_.resolver.get(),
                                     request_.maybeGroup}));
    KURVE_CHECKED(prepareVectors());
    const std::shared_ptr<const text::Split> train(data_, &data_->train);
    batches_ = std::make_unique<text::BatchStream>(train, config_.integer("train.batch_tokens"),
                                                   static_cast<std::uint64_t>(config_.integer("seed")));
    KURVE_CHECKED(request_.checkpoint
                      ? resumeFrom(*request_.checkpoint)
                      : takeInitialWeights(*trainer_, config_, *data_, request_.resolver.get()));
    KURVE_CHECKED(trainer_->model().checkTraining(data_->train, data_->warnings));
    for (std::string& warning : placeWarnings(config_, request_.device))
        data_->warnings.push_back(std::move(warning));
    if (request_.checkpoint && request_.maxSteps > 0 && request_.maxSteps < trainer_->steps())
        return requestError("resume.behind", fmt::format("the run is at step {} already, beyond step {}",
                                                         trainer_->steps(), request_.maxSteps))
            .at("--max-steps")
            .fix("give a later step, or an earlier --checkpoint to go on from");
    KURVE_CHECKED(shareWithRanks());
    if (request_.reproduces) {
        plan_ = request_.reproduces->plan;
        const std::string& then = request_.reproduces->dataHash;
        if (!request_.checkpoint && !then.empty() && then != data_->sha256) inexact_.emplace_back(kOtherData);
        if (!request_.checkpoint && !request_.device.is_cpu()) inexact_.emplace_back(kOrderOnGpu);
    } else if (request_.checkpoint && request_.maxSteps > 0)
        extend();
    KURVE_TRY(writer_, store::RunWriter::open(request_.runFolder));
    std::vector<store::CheckpointRow> known;
    if (request_.checkpoint) {
        KURVE_TRY(const auto reader, store::RunReader::open(request_.runFolder));
        known = reader->checkpoints();
    }
    checkpoints_ =
        std::make_unique<CheckpointManager>(request_.runFolder, *writer_, config_, std::move(known));
    evaluator_ = std::make_unique<Evaluator>(*data_, config_, request_.device, request_.runFolder,
                                             request_.resolver.get());
    server_ = std::make_unique<InferenceServer>(
        *data_, config_, request_.runFolder,
        [this](const store::TraceRow& row) -> Status {
            writer_->trace(row);
            return {};
        },
        request_.resolver.get(), sentenceCorpus(*data_));
    meters_ = std::make_unique<RunMeters>(request_.device);
    KURVE_CHECKED(makeAlerts());
    KURVE_CHECKED(record());
    return writer_->flush();
}

void TrainingSession::extend() {
    lengthened_ = plan_.lengthen(trainer_->steps(), request_.maxSteps);
    const double limit = config_.real("train.seconds");
    if (limit > 0 && seconds_ >= limit) extendedTo_ = request_.maxSteps;
}

Status TrainingSession::prepareVectors() {
    VectorWork work;
    work.threads = request_.threads * static_cast<int>(trainer_->replicas());
    work.progress = [this](double fraction, const std::string& what) {
        if (request_.preparation) request_.preparation(fraction, what);
        link_.emit(event("preparing", {{"fraction", fraction}, {"text", what}}));
    };
    work.stopped = [this] { return !link_.stopReason().empty(); };
    KURVE_TRY(const PreparedVectors prepared, train::prepareVectors(trainer_->model(), *data_, work));
    for (const std::string& note : prepared.notes) data_->warnings.push_back(note);
    return {};
}

Status TrainingSession::shareWithRanks() {
    if (!request_.maybeGroup) return {};
    request_.maybeGroup->announce("vectors");
    KURVE_CHECKED(checkSameExperiment(*request_.maybeGroup, {request_.config.contentHash(), data_->sha256,
                                                             request_.device, trainer_->replicas()}));
    trainer_->shareState();
    trainer_->setConfig(config_);  // with live changes
    text::BatchStream stream = *batches_;
    const int rows = stream.next().rows, parts = trainer_->ranks() * trainer_->replicas();
    if (rows < parts)
        data_->warnings.push_back(
            fmt::format("a batch of {} for {}: some ranks have nothing to do; raise train.batch_tokens",
                        counted(rows, "row"), counted(parts, "part")));
    return {};
}

Status TrainingSession::resumeFrom(const fs::path& checkpoint) {
    KURVE_TRY(const TrainingState from, readCheckpoint(checkpoint));
    KURVE_CHECKED(checkFits(from, config_, data_->target->hash(), schemaOnly(*request_.family), checkpoint));
    KURVE_CHECKED(loadTrainer(checkpoint, from, *trainer_));
    KURVE_TRY(const auto position, nextBatch(from, config_, *data_, schemaOnly(*request_.family)));
    batches_->seek(position);
    plan_ = from.plan;
    live_ = from.live;
    log_ = from.log;
    seconds_ = lastEvaluation_ = lastSave_ = from.seconds;
    tokens_ = from.tokens;
    mostRanks_ = from.mostRanks;
    noteInexact(from);
    savedAt_ = from.step;
    lastMetric_ = savedMetric_ = from.metric;
    std::vector<Override> changes;
    for (const auto& change : live_) changes.emplace_back(change.key, change.value);
    KURVE_TRY(config_, config_.with(changes));
    trainer_->setConfig(config_);
    extendedTo_ = from.extendedTo;
    return {};
}

// Sums of floating-point numbers depend on how the work is split.
void TrainingSession::noteInexact(const TrainingState& from) {
    const auto compare = [&](const char* what, std::int64_t then, std::int64_t now,
                             const std::string& remedy) {
        if (then > 0 && then != now)
            inexact_.push_back(fmt::format("{}: {} before, {} now{}", what, then, now,
                                           request_.device.is_cpu() ? "; " + remedy : ""));
    };
    compare("threads inside one operation", from.threads, request_.threads,
            fmt::format("--threads {} is exact", from.threads));
    compare("replicas", from.replicas, trainer_->replicas(), "the device determines their number");
    compare("processes", from.ranks, trainer_->ranks(),
            from.ranks > 1 ? fmt::format("--nproc {} is exact", from.ranks) : "one is exact");
    if (!from.device.empty() && from.device != deviceKind())
        inexact_.push_back(fmt::format("trained on {} before, on {} now{}", from.device, deviceKind(),
                                       from.device == "cpu" ? "; --device cpu is exact" : ""));
    if (!request_.device.is_cpu()) inexact_.emplace_back(kOrderOnGpu);
    if (!from.dataHash.empty() && from.dataHash != data_->sha256)
        inexact_.push_back(
            fmt::format("{}{}", kOtherData, sameTrainingData(from, *data_) ? "" : "; a new epoch begins"));
}

Result<SessionResult> TrainingSession::run() {
    lastTick_ = steadySeconds();
    lastWall_ = wallSeconds();
    try {
        loop();
    } catch (const distributed::RankLost& lost) {
        interrupted_ = true;
        fail(lost.error());
    } catch (const std::exception& error) {
        interrupted_ = true;
        fail(errorOf(error));
        // The others are in the middle of a step: they cannot be given another order.
        if (request_.maybeGroup) request_.maybeGroup->abort(*result_.failure);
    }
    finish();
    KURVE_CHECKED(writer_->flush());
    return result_;
}

void TrainingSession::loop() {
    while (!finished()) {
        handleCommands(paused_ ? 0.25 : 0);
        heartbeat();
        watchDisk();  // not with the heartbeat of an evaluation: a checkpoint would hold the averaged weights
        updateTime();
        if (paused_ || stopping_) continue;
        replayChanges();
        const std::int64_t every = config_.integer("log.histogram_steps");
        const bool histograms = every > 0 && (trainer_->steps() + 1) % every == 0;
        if (histograms) trainer_->keepActivations(true);
        const bool counts = stepOnce();
        if (histograms && counts) recordHistograms(*trainer_, *writer_);
        if (histograms) trainer_->keepActivations(false);
        if (!counts) continue;
        if (logIsDue()) logPoint(log_);
        if (evaluationIsDue()) evaluate(log_);
        saveIfDue();
    }
}

void TrainingSession::updateTime() {
    const double now = steadySeconds(), wall = wallSeconds();
    // The wall clock, which places the points, goes on while the computer sleeps. Before the next point.
    const double slept = wall - lastWall_ - (now - lastTick_);
    if (slept > kSleptSeconds) notice("suspended", fmt::format("{:.0f} s", slept));
    lastWall_ = wall;
    if (!paused_) {
        seconds_ += now - lastTick_;
        sessionSeconds_ += now - lastTick_;
    }
    lastTick_ = now;
}

// Of a step that failed before its update nothing has changed; its batches come again.
StepReport TrainingSession::stepWith(const std::vector<text::Batch>& batches, bool measureUpdate) {
    const std::int64_t done = trainer_->steps();
    try {
        return trainer_->step(batches, learningRateAt(config_, plan_, done), measureUpdate);
    } catch (const std::exception&) {
        if (trainer_->steps() == done) batches_->seek({batches.front().epoch, batches.front().index});
        throw;
    }
}

bool TrainingSession::stepOnce() {
    const double before = steadySeconds();
    std::vector<text::Batch> batches;
    for (std::int64_t i = 0; i < config_.integer("train.accumulate"); ++i)
        batches.push_back(batches_->next());
    const double ready = steadySeconds();
    const bool logged = (trainer_->steps() + 1) % config_.integer("log.every_steps") == 0;
    const StepReport report = stepWith(batches, /*measureUpdate=*/logged);
    updateTime();
    if (wasNotFinite()) return false;
    log_.add(report, ready - before, steadySeconds() - before);
    tokens_ += report.targetTokens;
    sessionTokens_ += report.targetTokens;
    ++sessionSteps_;
    if (plannedByTime() && plan_.correct({trainer_->steps(), seconds_, config_.real("train.seconds")}))
        writer_->set("total_steps", std::to_string(limit()));
    progress();
    return true;
}

// On a GPU the check is a sync, and a step that was not finite blocks all later ones by itself: done now and
// then, and before anything is recorded, which would bear the number of a step that was not made.
bool TrainingSession::wasNotFinite() {
    const std::int64_t histograms = config_.integer("log.histogram_steps");
    const bool recorded = logIsDue() || evaluationIsDue() || saveIsDue() ||
                          (histograms > 0 && trainer_->steps() % histograms == 0);
    if (!request_.device.is_cpu() && !recorded && trainer_->steps() % 16 != 0 && trainer_->steps() < limit())
        return false;
    const auto failure = leaveOutNonFinite(trainer_->steps() - 1);
    if (!failure) return false;
    onNonFinite(failure->step, failure->tensor);
    return true;
}

std::optional<Trainer::NonFinite> TrainingSession::leaveOutNonFinite(std::int64_t logged) {
    const auto failure = trainer_->nonFinite();
    if (!failure) return failure;
    trainer_->clearNonFinite();
    if (failure->step <= logged) (void)log_.take();  // its loss is in the sums
    return failure;
}

void TrainingSession::fail(Error error) {
    result_.failure = std::move(error);
    stopping_ = true;
}

void TrainingSession::progress() {
    const double now = steadySeconds();
    if (now - lastProgress_ < 0.1) return;
    lastProgress_ = now;
    const double rate = static_cast<double>(sessionSteps_) / std::max(sessionSeconds_, 1e-3);
    double eta = static_cast<double>(limit() - trainer_->steps()) / std::max(rate, 1e-6);
    if (timeLimit() > 0)
        eta = plannedByTime() ? timeLimit() - seconds_ : std::min(eta, timeLimit() - seconds_);
    if (request_.maxSeconds > 0) eta = std::min(eta, request_.maxSeconds - sessionSeconds_);
    json metrics = json::object();
    for (const auto& [name, value] : result_.metrics)
        metrics[name] = std::isfinite(value) ? json(value)
                        : std::isnan(value)  ? json("nan")
                                             : json(value > 0 ? "inf" : "-inf");
    link_.emit(event("progress", {{"step", trainer_->steps()},
                                  {"total", limit()},
                                  {"planned_seconds", plannedSeconds()},
                                  {"metrics", metrics},
                                  {"device", request_.device.str()},
                                  {"tokens_per_second",
                                   static_cast<double>(sessionTokens_) / std::max(sessionSeconds_, 1e-3)},
                                  {"eta_seconds", std::max(0.0, eta)}}));
}

bool TrainingSession::finished() {
    if (stopping_) return true;
    if (const std::string why = link_.stopReason(); !why.empty()) {
        reason_ = why;
        result_.stoppedByUser = stopping_ = true;
    } else if (timeLimitReached()) {
        reason_ = "time limit reached: " + counted(config_.real("train.seconds"), "second");
        stopping_ = true;
    } else if (!paused_ && trainer_->steps() >= limit()) {
        reason_ = "step limit reached: " + counted(trainer_->steps(), "step");
        stopping_ = true;
    } else if (request_.maxSeconds > 0 && sessionSeconds_ >= request_.maxSeconds) {
        reason_ = "time limit reached: " + counted(request_.maxSeconds, "second");
        stopping_ = true;
    }
    return stopping_;
}

std::int64_t TrainingSession::limit() const {
    if (timeLimitReached()) return trainer_->steps();  // the plan was an estimate
    if (request_.maxSteps > 0) return request_.maxSteps;
    return extendedTo_ > 0 ? extendedTo_ : plan_.total(trainer_->steps());
}

bool TrainingSession::timeLimitReached() const {
    return timeLimit() > 0 && seconds_ >= timeLimit();
}

double TrainingSession::timeLimit() const {
    return request_.maxSteps == 0 && extendedTo_ == 0 ? config_.real("train.seconds") : 0;
}

bool TrainingSession::plannedByTime() const {
    return config_.integer("train.steps") == 0 && timeLimit() > 0;
}

double TrainingSession::plannedSeconds() const {
    return plannedByTime() ? timeLimit() : 0;
}

std::string TrainingSession::deviceKind() const {
    return request_.device.is_cpu() ? "cpu" : "cuda";
}

TraceOrigin TrainingSession::origin() const {
    return {request_.runId, "training at step " + std::to_string(trainer_->steps()), "", trainer_->steps()};
}

}  // namespace kurve::train
