#pragma once

#include "core/train/step_log.h"

namespace kurve::train {

/// Which sentences' gradients are computed.
struct GradientSample {
    std::int64_t rows = 0;  ///< drawn from the training split, with replacement, from `seed` and `step`
    std::uint64_t seed = 1, step = 0;
    c10::Device device;
};
/// The squared norm of the loss's gradient of single sentences, each at the noise level that training would
/// draw for it, into `into`. Its root mean square by level is a sentence's gradient norm there;
/// drawing levels in proportion to it gives the gradient's estimate the least variance (importance sampling,
/// Katharopoulos and Fleuret 2018, equation 6). Dropout is on, weights, buffers and optimizer stay as they
/// are, and no draw of training's own streams is used up. Syncs once a sentence. Stops after the first one
/// for a family without noise levels.
void measureGradients(SequenceModel& model, const text::Split& split, const GradientSample& sample,
                      NoiseHistogram& into);

}  // namespace kurve::train
