#include "core/train/step_plan.h"

#include <algorithm>
#include <cmath>

#include "core/schedule/noise_schedule.h"

namespace kurve::train {

StepPlan::StepPlan(const RunConfig& config, std::int64_t from) {
    const std::int64_t steps = config.integer("train.steps");
    corrections_.emplace_back(from, steps > 0 ? steps : from + config.integer("train.expected_steps"));
}

std::int64_t StepPlan::total(std::int64_t done) const {
    std::int64_t total = 0;
    for (const auto& [from, steps] : corrections_)
        if (from <= done) total = steps;
    return total;
}

bool StepPlan::lengthen(std::int64_t done, std::int64_t total) {
    if (total <= this->total(done)) return false;
    corrections_.emplace_back(done, total);
    return true;
}

bool StepPlan::correct(const Measured& now) {
    constexpr std::int64_t kEnoughSteps = 20;
    if (!measuring_) {  // the first step of a process is slow and says nothing
        measuring_ = true;
        last_ = now;
        return false;
    }
    const double elapsed = now.seconds - last_.seconds;
    const std::int64_t steps = now.done - last_.done;
    // By the plan as well: one that expects too few steps must not end the run before its time.
    const bool due = elapsed >= now.limit / 20 || steps * 20 >= total(now.done);
    if (steps < kEnoughSteps || !due) return false;
    // Half the speed of late, half the speed so far: follows a machine that became busy without jumping.
    const double late = static_cast<double>(steps) / elapsed,
                 all = static_cast<double>(now.done - corrections_.front().first) / now.seconds;
    const double left = std::max(0.0, now.limit - now.seconds) * (late + all) / 2;
    corrections_.emplace_back(now.done, now.done + std::max<std::int64_t>(1, std::llround(left)));
    last_ = now;
    return true;
}

double learningRateAt(const RunConfig& config, const StepPlan& plan, std::int64_t done) {
    schedule::LearningRateSchedule schedule;
    schedule.kind = config.text("train.schedule");
    schedule.peak = config.real("train.lr");
    schedule.initial = config.real("train.lr_initial");
    schedule.final = config.real("train.lr_final");
    schedule.warmup = config.integer("train.warmup_steps");
    schedule.total = plan.total(done);
    return schedule.at(done);
}

}  // namespace kurve::train
