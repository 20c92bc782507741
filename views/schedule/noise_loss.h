#pragma once

#include <cstdint>
#include <vector>

#include "core/schedule/flatten.h"
#include "core/store/run_reader.h"

namespace kurve::views {

/// One histogram of a run: loss against noise level, and how much single sentences pull at the weights there.
struct NoiseLoss {
    std::int64_t step = 0;
    std::vector<double> logSnr, loss;  ///< centres of the bins that hold something, ascending
    std::vector<schedule::LossLevel> levels;
    /// Root mean square of one sentence's gradient norm; empty where a run did not measure it.
    std::vector<double> gradientLogSnr, gradient;
    /// How likely training draws each bin; empty where no step sampler chooses.
    std::vector<double> probabilityLogSnr, probability;
};
/// The newest histogram at or before `step` (any if step < 0) that can be read; empty without one.
[[nodiscard]] NoiseLoss noiseLossOf(const GrowingList<store::HistogramRow>& rows, std::int64_t step = -1);

}  // namespace kurve::views
