#include "core/train/live_trace.h"

#include "core/base/clock.h"

namespace kurve::train {
namespace {

constexpr double kSeconds = 0.1;

}  // namespace

LiveTrace::LiveTrace(std::string file, std::string requestId, SessionLink& link)
    : file_(std::move(file)),
      requestId_(std::move(requestId)),
      link_(&link),
      next_(steadySeconds() + kSeconds) {}

void LiveTrace::operator()(int steps, int planned) {
    const double now = steadySeconds();
    if (now < next_) return;
    next_ = now + kSeconds;
    link_->emit(event("tracing", {{"file", file_}, {"steps", steps}, {"planned", planned}}, requestId_));
}

}  // namespace kurve::train
