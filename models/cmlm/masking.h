#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"

namespace kurve::models::cmlm {

/// How many words of each row of a batch training masks, and how many of the others CORR replaces.
struct MaskCounts {
    std::vector<std::int32_t> ordinary;  ///< words but BOS and EOS
    std::vector<std::int32_t> masked, replaced;
};
/// And which: flat positions row * width + place, ascending.
struct MaskDraw : MaskCounts {
    std::vector<std::int64_t> ordinaryAt, maskedAt, replacedAt;
};

/// What concerns a row depends on the row's number in the step only (Guo et al. 2023; Huang et al. 2022): the
/// words of the lowest ranks are masked, and of those that are not, those of the lowest second ranks
/// replaced. Without `correcting` nothing is replaced. countMasks() is drawMasks() without the places.
[[nodiscard]] MaskCounts countMasks(const train::DeviceBatch& batch, const train::StepRandom& random,
                                    const RunConfig& config, bool correcting);
[[nodiscard]] MaskDraw drawMasks(const train::DeviceBatch& batch, const train::StepRandom& random,
                                 const RunConfig& config, bool correcting);

}  // namespace kurve::models::cmlm
