#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/clock.h"
#include "core/store/run_reader.h"
#include "core/text/unigram_entropy.h"
#include "core/train/session.h"

// A session's alerts and their actions.

namespace kurve::train {
namespace {

constexpr double kDiskSeconds = 10;
const std::string kAlerted = "alerted_";  // of table run, before the id of a watch that found something

}  // namespace

void TrainingSession::onNonFinite(std::int64_t step, const std::string& tensor) {
    const std::string text = fmt::format("step {} was not finite: {}; its update was skipped", step, tensor);
    notice("non_finite", text);
    link_.emit(event("warning", {{"code", "train.non_finite"}, {"message", text}, {"step", step}}));
    const alerts::Action action = alerts_.onNonFinite().value_or(alerts::Action::Pause);
    // A run that continues may have many such steps in a row: reported once. One that stops is reported each
    // time.
    const bool continues = action == alerts::Action::Note || action == alerts::Action::Checkpoint;
    if (!std::exchange(reportedNonFinite_, true) || !continues)
        link_.emit(event("alert", {{"step", step}, {"text", text}, {"action", alerts::name(action)}}));
    if (action == alerts::Action::Note) return;
    if (action == alerts::Action::Checkpoint) return save();
    if (action == alerts::Action::Pause && link_.attended()) return pause(text);
    fail(workError("train.non_finite", text)
             .at(tensor)
             .fix(savedAt_ >= 0
                      ? "lower train.lr and fork from the checkpoint of step " + std::to_string(savedAt_)
                      : "lower train.lr"));
}

void TrainingSession::checkAlerts(const std::map<std::string, double>& metrics) {
    for (const auto& alarm : alerts_.observe(trainer_->steps(), metrics)) act(alarm);
}

Status TrainingSession::makeAlerts() {
    KURVE_TRY(const auto rules, alerts::loadRules(request_.project));
    auto watches = request_.family->watches(0);
    // The entropy takes a pass over the whole training split: only for a family that watches anything.
    if (!watches.empty()) watches = request_.family->watches(text::unigramEntropy(data_->train));
    if (request_.checkpoint) {
        KURVE_TRY(const auto reader, store::RunReader::open(request_.runFolder));
        const auto known = reader->values();
        std::erase_if(watches, [&](const auto& watch) { return known.contains(kAlerted + watch->id()); });
    }
    alerts_ = alerts::AlertWatch(rules, std::move(watches));
    return {};
}

void TrainingSession::watchDisk() {
    const double now = steadySeconds();
    if (!alerts_.watchesDisk() || now - lastDisk_ < kDiskSeconds) return;
    lastDisk_ = now;
    std::error_code failed;
    const auto space = std::filesystem::space(request_.runFolder, failed);
    if (failed) return;
    for (const auto& alarm : alerts_.observeDisk(static_cast<double>(space.available) / 1e6)) act(alarm);
}

// Where nobody can resume a paused run, it stops instead.
void TrainingSession::act(const alerts::Alarm& alarm) {
    notice("alert", alarm.text);
    if (!alarm.watch.empty()) writer_->set(kAlerted + alarm.watch, std::to_string(trainer_->steps()));
    link_.emit(
        event("alert",
              {{"step", trainer_->steps()}, {"text", alarm.text}, {"action", alerts::name(alarm.action)}}));
    if (alarm.action == alerts::Action::Checkpoint) save();
    if (alarm.action == alerts::Action::Pause && link_.attended()) return pause(alarm.text);
    if (alarm.action != alerts::Action::Stop && alarm.action != alerts::Action::Pause) return;
    reason_ = "alert: " + alarm.text;
    result_.stoppedByUser = stopping_ = true;
}

// Changes that the original run had made when as many steps were done.
void TrainingSession::replayChanges() {
    if (!request_.reproduces) return;
    const auto& all = request_.reproduces->live;
    for (; replayed_ < all.size() && all[replayed_].step <= trainer_->steps(); ++replayed_) {
        if (const auto status = change(all[replayed_].key, all[replayed_].value); !status)
            warn("warning", status.error());
    }
}

}  // namespace kurve::train
