#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "core/config/run_config.h"
#include "core/train/model_family.h"

namespace kurve::models::cmlm {

/// Numbers of tokens, for each row of a batch, that training masks and that CORR replaces.
struct MaskCounts {
    std::vector<std::int32_t> ordinary;  ///< tokens but BOS and EOS
    std::vector<std::int32_t> masked, replaced;
};
/// And which: flat positions row * width + column, ascending.
struct MaskDraw : MaskCounts {
    std::vector<std::int64_t> ordinaryAt, maskedAt, replacedAt;
};

/// A row depends on its number in the step only (Guo et al. 2023; Huang et al. 2022): the tokens of the
/// lowest ranks are masked, and of the others those of the lowest second ranks replaced. Without `correcting`
/// nothing is replaced. countMasks() is drawMasks() without the positions.
[[nodiscard]] MaskCounts countMasks(const train::DeviceBatch& batch, const train::StepRandom& random,
                                    const RunConfig& config, bool correcting);
[[nodiscard]] MaskDraw drawMasks(const train::DeviceBatch& batch, const train::StepRandom& random,
                                 const RunConfig& config, bool correcting);

}  // namespace kurve::models::cmlm
