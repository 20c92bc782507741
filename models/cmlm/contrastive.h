#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace kurve::models::cmlm {

/// The hinge on cosines of different positions of a sentence (Guo et al. 2023, equations 5 and 6).
struct ContrastiveForm {
    double margin = 0.4;
    bool paper =
        false;  ///< max(0, s - margin) as the paper writes; else, as its code, max(0, s - (1 - margin))
    bool macro = false;  ///< mean of the sentences' means; else mean over all pairs of the batch
};

/// Inner products of all rows of a sentence: states [B, L, d] -> [B, L, L].
[[nodiscard]] at::Tensor gramOf(const at::Tensor& states);
/// The same for the vocabulary logits states E^T, which are never made: H (E^T E) H^T. `centred`: of the
/// logits less their mean over the vocabulary, which softmax does not see.
[[nodiscard]] at::Tensor gramOfLogits(const at::Tensor& states, const at::Tensor& table, bool centred);

/// The loss's sum, to be divided by pairUnits() of the whole step: over ordered pairs of different positions
/// that `takesPart` ([B, L] bool) has. A zero row is like nothing. Differentiable by `gram`.
[[nodiscard]] at::Tensor contrastiveSum(const at::Tensor& gram, const at::Tensor& takesPart,
                                        const ContrastiveForm& form);
/// What that sum is over: pairs, or sentences that have pairs; `positions`: how many take part in each.
[[nodiscard]] double pairUnits(std::span<const std::int32_t> positions, const ContrastiveForm& form);

}  // namespace kurve::models::cmlm
