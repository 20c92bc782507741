#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/metrics/metric.h"
#include "core/text/split.h"
#include "core/train/model_family.h"

namespace kurve::train {

inline constexpr const char* kLoss = "loss";
inline constexpr std::int64_t kLossRows = 32;  ///< examples whose loss is computed together

struct LossRequest {
    std::size_t examples = 0;  ///< the first of the split, at most
    std::uint64_t seed = 0;    ///< of noise and times: one seed for losses that are to compare
    std::function<void()> alive = {};
};
/// The model's loss, "loss", and its parts by name on a split, weighted as SequenceModel::loss() does. The
/// model is in evaluation mode. Intervals are of the means of kLossRows examples (normal approximation), of
/// one such mean NaN.
[[nodiscard]] std::map<std::string, metrics::Score> lossScores(SequenceModel& model, const text::Split& split,
                                                               const LossRequest& request);

}  // namespace kurve::train
