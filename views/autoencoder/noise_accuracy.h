#pragma once

#include <cstdint>
#include <vector>

#include "views/common/data/run_catalog.h"

namespace kurve::views {

/// Fraction of the validation split's tokens that a run reconstructs under noise on the mean, as its training
/// logged it.
struct NoiseAccuracy {
    std::vector<double> noise, accuracy;  ///< by rising noise; empty: not logged
};
/// At the last evaluation up to `step`; a negative one is the last of all.
[[nodiscard]] NoiseAccuracy noiseAccuracyOf(const RunData& data, std::int64_t step);

}  // namespace kurve::views
