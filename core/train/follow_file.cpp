#include "core/train/follow_file.h"

#include <algorithm>

#include "core/base/clock.h"

namespace kurve::train {
namespace {

constexpr double kFirstSeconds = 0.15, kLeastSeconds = 0.1;
constexpr double kRest = 5;  // as often as long as a picture took

}  // namespace

FollowFile::FollowFile(std::filesystem::path file, std::string requestId, SessionLink& link)
    : file_(std::move(file)),
      requestId_(std::move(requestId)),
      link_(link),
      next_(steadySeconds() + kFirstSeconds) {}

bool FollowFile::wants(int /*stepsDone*/) {
    const double now = steadySeconds();
    if (failed_ || now < next_) return false;
    shownFrom_ = now;
    return true;
}

void FollowFile::show(trace::Trace soFar, int plannedSteps) {
    const auto written = trace::writeTrace(file_, soFar);
    if (!written) {
        failed_ = true;
        const Error& error = written.error();
        return link_.emit(event("warning", {{"code", error.code}, {"message", error.text()}}, requestId_));
    }
    link_.emit(event("tracing", {{"file", file_.string()}, {"steps", soFar.steps}, {"planned", plannedSteps}},
                     requestId_));
    const double now = steadySeconds();
    next_ = now + std::max(kLeastSeconds, kRest * (now - shownFrom_));
}

}  // namespace kurve::train
