#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/train/gradient_noise.h"
#include "core/train/run_record.h"
#include "core/train/run_reference.h"
#include "core/train/session.h"

// A session's record: logged points, evaluations, checkpoints, events.

namespace kurve::train {

using nlohmann::json;

Status TrainingSession::record() {
    const bool first = !request_.checkpoint.has_value();
    const double now = wallSeconds();
    if (first) KURVE_CHECKED(recordRun(*writer_, request_, *data_));
    KURVE_CHECKED(storeReferences(request_.resolver.get(), config_, request_.runFolder));
    for (const auto& [key, value] : request_.facts) writer_->set(key, value);
    const std::int64_t frozen = trainer_->parameters().frozenCount();
    writer_->set("parameters", std::to_string(trainer_->parameters().trainedCount() + frozen));
    if (frozen > 0) writer_->set("frozen_parameters", std::to_string(frozen));
    if (const double flops = trainer_->model().trainingFlops(); flops > 0)
        writer_->set("flops_per_token", fmt::format("{}", flops));
    writer_->set("ended", "0");
    writer_->beginSegment(first ? 0 : trainer_->steps() + 1, first ? "started" : "resumed");
    setState("running", "");
    notice(first ? "started" : "resumed",
           fmt::format("at step {}{}", trainer_->steps(),
                       lengthened_ ? fmt::format(", planned to step {} now", request_.maxSteps) : ""));
    for (const auto& warning : data_->warnings) notice("warning", warning);
    if (request_.maybeUnusedGpu) warn("warning", *request_.maybeUnusedGpu);
    for (const auto& why : inexact_)
        warn("warning",
             requestError(
                 "resume.not_exact",
                 (request_.reproduces ? "the reproduction will not be bit-identical: "
                                      : "the resumed run will not be bit-identical to one without a stop: ") +
                     why));
    if (first && data_->sameLanguage) {
        const double copy = evaluator_->copyBleu();
        writer_->scalar("copy_bleu", 0, now, copy);
        writer_->set("copy_bleu", exactText(copy));
        result_.metrics["copy_bleu"] = copy;
    }
    heartbeat();
    return {};
}

void TrainingSession::logPoint(StepLog& log) {
    const double now = wallSeconds();
    auto values = log.take();
    meters_->addTo(values);
    values["tokens_seen"] = static_cast<double>(tokens_);
    values["examples_seen"] = static_cast<double>(batches_->examplesBefore());
    values["epoch"] = batches_->epochs();
    values.merge(trainer_->model().healthMetrics());
    for (const auto& [name, value] : values) {
        writer_->scalar(name, trainer_->steps(), now, value);
        result_.metrics[name] = value;
    }
    checkAlerts(values);
}

bool TrainingSession::logIsDue() const {
    return trainer_->steps() % config_.integer("log.every_steps") == 0;
}

bool TrainingSession::evaluationIsDue() const {
    const std::int64_t everySteps = config_.integer("eval.every_steps");
    const double everySeconds = config_.real("eval.every_seconds");
    return (everySteps > 0 && trainer_->steps() % everySteps == 0) ||
           (everySeconds > 0 && seconds_ - lastEvaluation_ >= everySeconds);
}

void TrainingSession::evaluate(StepLog& log) {
    if (evaluatedAt_ == trainer_->steps()) return;
    const auto report = evaluation(log);
    evaluatedAt_ = trainer_->steps();
    updateTime();
    lastEvaluation_ = seconds_;
    lastMetric_ = std::nan("");
    if (!report) return notice("warning", "the evaluation failed: " + report.error().text());
    for (const auto& problem : report->problems) warn("warning", problem);
    const double now = wallSeconds();
    for (const auto& row : report->samples) writer_->sample(row);
    for (const auto& row : report->traces) writer_->trace(row);
    for (const auto& [name, value] : report->metrics) {
        writer_->scalar(name, trainer_->steps(), now, value);
        result_.metrics[name] = value;
    }
    if (!log.noise().empty()) {
        if (const auto [levels, shares] = trainer_->model().levelProbabilities(); levels.defined())
            log.noise().setProbabilities(levels, shares);
        writer_->histogram("loss", trainer_->steps(), log.noise().take());
    }
    json metrics = json::object();
    for (const auto& [name, value] : report->metrics) metrics[name] = value;
    link_.emit(event("evaluated", {{"step", trainer_->steps()}, {"metrics", metrics}}));
    const auto metric = report->metrics.find(config_.text("checkpoint.metric"));
    lastMetric_ = metric == report->metrics.end() ? std::nan("") : metric->second;
    if (metric == report->metrics.end() && !metricMissing_) warnOfNoMetric();
    checkAlerts(report->metrics);
}

void TrainingSession::warnOfNoMetric() {
    metricMissing_ = true;
    warn("warning", requestError("checkpoint.no_metric",
                                 fmt::format("no evaluation measures {}: no checkpoint is the best one, and "
                                             "“best” names the last",
                                             config_.text("checkpoint.metric")))
                        .at("checkpoint.metric")
                        .fix("set checkpoint.metric to one that is measured, or eval.samples and "
                             "eval.loss_pairs above 0"));
}

// A device without memory left for it costs the evaluation, not the run.
Result<EvaluationReport> TrainingSession::evaluation(StepLog& log) {
    try {
        if (!log.noise().empty())
            measureGradients(
                trainer_->model(), data_->train,
                {config_.integer("log.gradient_rows"), static_cast<std::uint64_t>(config_.integer("seed")),
                 static_cast<std::uint64_t>(trainer_->steps()), request_.device},
                log.noise());
        const Trainer::Evaluation guard(*trainer_);
        return evaluator_->evaluate(trainer_->model(), origin(), [this] { heartbeat(); });
    } catch (const distributed::RankLost&) {
        throw;
    } catch (const std::exception& error) {
        return errorOf(error);
    }
}

bool TrainingSession::saveIsDue() const {
    const std::int64_t everySteps = config_.integer("checkpoint.every_steps");
    const double everySeconds = config_.real("checkpoint.every_seconds");
    return (everySteps > 0 && trainer_->steps() % everySteps == 0) ||
           (everySeconds > 0 && seconds_ - lastSave_ >= everySeconds);
}

void TrainingSession::saveIfDue() {
    if (saveIsDue() || checkpoints_->wouldBeRetained(metricNow())) save();
}

double TrainingSession::metricNow() const {
    if (evaluatedAt_ == trainer_->steps()) return lastMetric_;
    return savedAt_ == trainer_->steps() ? savedMetric_ : std::nan("");
}

void TrainingSession::save() {
    const double metric = metricNow();
    const bool newlyEvaluated = std::isnan(savedMetric_) && !std::isnan(metric);
    if (savedAt_ == trainer_->steps() && !newlyEvaluated && !changedSinceSave_) return;
    if (const auto bad = trainer_->parameters().firstNonFinite(trainer_->parameters().values()))
        return fail(
            workError("train.non_finite", "the weights are not finite, no checkpoint was written").at(*bad));
    updateTime();
    const auto row = checkpoints_->save(*trainer_, state(metric));
    lastSave_ = seconds_;
    savePending_ = !row;
    if (!row) return onWriteError(row.error());
    savedAt_ = trainer_->steps();
    changedSinceSave_ = false;
    savedMetric_ = metric;
    result_.checkpoint = (request_.runFolder / row->path.text()).string();
    link_.emit(event("checkpoint", {{"step", row->step}, {"path", result_.checkpoint}}));
}

void TrainingSession::heartbeat() {
    const double now = steadySeconds();
    if (now - lastHeartbeat_ < 1) return;
    lastHeartbeat_ = now;
    writer_->heartbeat(trainer_->steps());
    writer_->set("seconds", exactText(seconds_));
    const auto status = writer_->lastError();
    if (!status && !recordFailing_ && !result_.failure) onWriteError(status.error());
    recordFailing_ = !status;
}

void TrainingSession::notice(const std::string& kind, const std::string& text) {
    writer_->event(trainer_->steps(), kind, text);
    link_.emit(event("mark", {{"step", trainer_->steps()}, {"kind", kind}, {"text", text}}));
}

void TrainingSession::warn(const std::string& kind, const Error& what) {
    notice(kind, what.text());
    link_.emit(event("warning", {{"code", what.code},
                                 {"message", what.text()},
                                 {"remedy", what.remedy},
                                 {"step", trainer_->steps()}}));
}

// What could not be written is still in memory: an attended run pauses, another one continues and tries again
// when the next is due. Only at the end there is no next time.
void TrainingSession::onWriteError(const Error& error) {
    const bool mayPass = error.code == "io.write" || error.code == "store.busy";
    if (stopping_ || !mayPass) return fail(error);
    warn("warning", error);
    if (link_.attended()) pause(error.text());
}

TrainingState TrainingSession::state(double metric) const {
    TrainingState state;
    state.step = trainer_->steps();
    state.seconds = seconds_;
    state.tokens = tokens_;
    state.data = batches_->position();
    state.plan = plan_;
    state.live = live_;
    state.config = request_.config.canonicalText();
    state.configHash = request_.config.contentHash();
    state.tokenizerHash = data_->target->hash();
    state.dataHash = data_->sha256;
    state.trainHash = data_->trainSha256;
    state.extendedTo = extendedTo_;
    state.threads = request_.threads;
    state.replicas = trainer_->replicas();
    state.ranks = trainer_->ranks();
    state.mostRanks = std::max(mostRanks_, state.ranks);
    state.device = deviceKind();
    state.metric = metric;
    state.log = log_;
    state.history = trainer_->model().history();
    return state;
}

}  // namespace kurve::train
