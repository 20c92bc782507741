#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

namespace kurve::models::cmlm {

/// The hinge on cosines of different positions of a sentence (Guo et al. 2023, equations 5 and 6).
struct ContrastiveForm {
    double margin = 0.4;
    bool paper =
        false;  ///< max(0, s - margin) as in the paper; else, as in its code, max(0, s - (1 - margin))
    bool macro = false;  ///< mean of the sentences' means; else mean over all pairs of the batch
};

/// Inner products of all rows of a sentence: states [B, L, d] -> [B, L, L].
[[nodiscard]] at::Tensor gramOf(const at::Tensor& states);
/// The same for the vocabulary logits states E^T, which are never computed: H (E^T E) H^T. `centred`: of the
/// logits less their mean over the vocabulary, which softmax does not see.
[[nodiscard]] at::Tensor gramOfLogits(const at::Tensor& states, const at::Tensor& table, bool centred);

/// The loss's sum, to be divided by pairCount() of the whole step: over ordered pairs of different positions
/// of `included` ([B, L] bool). A zero row has cosine 0 with all. Differentiable by `gram`.
[[nodiscard]] at::Tensor contrastiveSum(const at::Tensor& gram, const at::Tensor& included,
                                        const ContrastiveForm& form);
/// The number of terms of that sum: pairs, or sentences that have pairs; `positions`: included ones of each.
[[nodiscard]] double pairCount(std::span<const std::int32_t> positions, const ContrastiveForm& form);

}  // namespace kurve::models::cmlm
