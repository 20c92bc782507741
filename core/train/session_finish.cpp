#include <utility>

#include "core/base/clock.h"
#include "core/train/run_record.h"
#include "core/train/session.h"

// The end of a session.

namespace kurve::train {

void TrainingSession::finish() {
    updateTime();
    paused_ = false;
    // A part of a sharded state is lost with its rank.
    if (interrupted_ && !trainer_->halfUpdated() && !trainer_->sharded() && sessionSteps_ > 0)
        saveAfterFailure();
    if (!result_.failure && (sessionSteps_ > 0 || changedSinceSave_)) try {
            sessionSteps_ > 0 ? finishRecord() : save();
        } catch (const distributed::RankLost& lost) {
            fail(lost.error());
        }
    if (request_.checkpoint && sessionSteps_ == 0) writer_->withdrawSegment();
    if (result_.checkpoint.empty() && !checkpoints_->rows().empty())
        result_.checkpoint = (request_.runFolder / checkpoints_->rows().back().path.text()).string();
    result_.state = result_.failure ? "failed" : result_.stoppedByUser ? "cancelled" : "completed";
    result_.reason = result_.failure ? result_.failure->text() : reason_;
    result_.run = request_.runId;
    result_.steps = trainer_->steps();
    result_.seconds = seconds_;
    result_.tokensPerSecond = static_cast<double>(sessionTokens_) / std::max(sessionSeconds_, 1e-6);
    writer_->set("ended", exactText(wallSeconds()));
    writer_->set("seconds", exactText(seconds_));
    notice(result_.state, result_.reason);
    if (alerts_.reportsEnd())
        link_.emit(event("alert", {{"step", result_.steps}, {"text", result_.reason}, {"action", "note"}}));
    setState(result_.state, result_.reason);
}

// What the failure left of the device may not suffice for it; the failure stays the reason.
void TrainingSession::saveAfterFailure() {
    const Error reason = *result_.failure;
    try {
        (void)leaveOutNonFinite(trainer_->steps());
        save();
    } catch (const std::exception& error) {
        fail(errorOf(error));
    }
    const Error after = *std::exchange(result_.failure, reason);
    if (after.text() != reason.text()) warn("warning", after);
}

void TrainingSession::finishRecord() {
    setState("stopping", reason_);
    if (const auto failure = leaveOutNonFinite(trainer_->steps()))
        notice("non_finite", fmt::format("step {} was not finite: {}", failure->step, failure->tensor));
    finalEvaluation();
    save();
    const bool reachedLimit = !result_.stoppedByUser && !result_.failure && trainer_->steps() >= limit();
    if (reachedLimit && config_.flag("checkpoint.save_weights_only"))
        if (const auto status = checkpoints_->keepWeightsOnly(); !status) warn("warning", status.error());
}

// Of a copy: a resumed run has the points that it would have had without this stop.
void TrainingSession::finalEvaluation() {
    StepLog log = log_;
    if (!log.empty()) logPoint(log);
    if (!result_.stoppedByUser) evaluate(log);
}

}  // namespace kurve::train
