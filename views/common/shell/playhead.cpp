#include "views/common/shell/playhead.h"

#include <algorithm>
#include <utility>

namespace kurve::views {

void Playhead::setTrainStep(qint64 step) {
    if (!carried_) placed_ = true;
    step = std::max<qint64>(step, 0);
    if (std::exchange(trainStep_, step) == step) return;
    Q_EMIT trainStepChanged(step);
}

void Playhead::carryTrainStep(qint64 step) {
    carried_ = true;
    setTrainStep(step);
    carried_ = false;
}

void Playhead::beginRun() {
    placed_ = false;
    carryTrainStep(0);
}

void Playhead::setDenoiseStep(int step) {
    step = std::clamp(step, 0, std::max(denoiseSteps_ - 1, 0));
    if (std::exchange(denoiseStep_, step) == step) return;
    Q_EMIT denoiseStepChanged(step);
}

void Playhead::setDenoiseSteps(int steps) {
    steps = std::max(steps, 0);
    if (std::exchange(denoiseSteps_, steps) == steps) return;
    Q_EMIT denoiseStepsChanged(steps);
    setDenoiseStep(denoiseStep_);
}

}  // namespace kurve::views
