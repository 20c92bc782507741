// Playback: speed and loop.
#include <QComboBox>
#include <QToolButton>
#include <algorithm>

#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/timeline/timeline_panel.h"
#include "views/timeline/transport_icons.h"

namespace kurve::views {

namespace {

constexpr int kWholeTraceMs = 5000;  // at speed 1, within the limits below
constexpr int kFastestMs = 16, kSlowestMs = 300;
constexpr int kWholeMs = 4;  // step lengths at speed 1 are multiples of this: whole milliseconds also at 4x

}  // namespace

int TimelinePanel::lastOfLoop() const {
    return state_.loopTo < 0 ? context().playhead->denoiseSteps() - 1 : state_.loopTo;
}

double TimelinePanel::stepMilliseconds() const {
    const int steps = std::max(1, context().playhead->denoiseSteps());
    const double speed = kSpeeds[static_cast<std::size_t>(std::max(0, speed_->currentIndex()))];
    const int length = std::clamp(kWholeTraceMs / steps, 2 * kFastestMs, kSlowestMs);
    return (length - length % kWholeMs) / speed;
}

int TimelinePanel::speedInterval() const {
    return std::max(kFastestMs, static_cast<int>(stepMilliseconds()));
}

void TimelinePanel::setPlaying(bool on) {
    on = on && hasData();
    if (on) {
        const int last = lastOfLoop();
        if (context().playhead->denoiseStep() >= last) context().playhead->setDenoiseStep(state_.loopFrom);
        stepRemainder_ = 0;
        timer_.start(speedInterval());
    } else {
        timer_.stop();
    }
    context()
        .commands->action(QStringLiteral("timeline.play"))
        ->setIcon(transportIcon(on ? TransportIcon::Pause : TransportIcon::Play));
}

void TimelinePanel::tick() {
    Playhead* head = context().playhead;
    const int last = lastOfLoop();
    // A picture is shown for kFastestMs at least: faster playback skips steps; the fraction of a step is
    // carried over.
    stepRemainder_ += speedInterval() / stepMilliseconds();
    const int steps = static_cast<int>(stepRemainder_ + 1e-6);  // rounding: nine times 16/9 is whole
    stepRemainder_ -= steps;
    if (head->denoiseStep() < last) return head->setDenoiseStep(std::min(last, head->denoiseStep() + steps));
    if (!loop_->isChecked()) return setPlaying(false);
    head->setDenoiseStep(state_.loopFrom);
}

void TimelinePanel::setLoopEnd(bool end) {
    (end ? state_.loopTo : state_.loopFrom) = context().playhead->denoiseStep();
    if (state_.loopTo >= 0 && state_.loopTo <= state_.loopFrom)
        (end ? state_.loopFrom : state_.loopTo) = end ? 0 : -1;
    const int last = lastOfLoop();
    canvas_->requestFrame();
    Q_EMIT stateChanged();
    Q_EMIT statusMessage(tr("Loop from step %1 to %2.").arg(state_.loopFrom + 1).arg(last + 1));
}

}  // namespace kurve::views
