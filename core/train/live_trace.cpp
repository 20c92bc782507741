#include "core/train/live_trace.h"

#include <algorithm>

#include "core/base/clock.h"

namespace kurve::train {
namespace {

constexpr double kFirstSeconds = 0.15, kLeastSeconds = 0.1;
constexpr double kPauseFactor = 5;  // times the duration of writing a snapshot

}  // namespace

LiveTrace::LiveTrace(std::filesystem::path file, std::string requestId, SessionLink& link)
    : file_(std::move(file)),
      requestId_(std::move(requestId)),
      link_(link),
      next_(steadySeconds() + kFirstSeconds) {}

bool LiveTrace::wants(int /*stepsDone*/) {
    const double now = steadySeconds();
    if (failed_ || now < next_) return false;
    shownFrom_ = now;
    return true;
}

void LiveTrace::show(trace::Trace soFar, int plannedSteps) {
    const auto written = trace::writeTrace(file_, soFar);
    if (!written) {
        failed_ = true;
        const Error& error = written.error();
        return link_.emit(event("warning", {{"code", error.code}, {"message", error.text()}}, requestId_));
    }
    link_.emit(event("tracing", {{"file", file_.string()}, {"steps", soFar.steps}, {"planned", plannedSteps}},
                     requestId_));
    const double now = steadySeconds();
    next_ = now + std::max(kLeastSeconds, kPauseFactor * (now - shownFrom_));
}

}  // namespace kurve::train
