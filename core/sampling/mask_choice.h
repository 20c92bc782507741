#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kurve::sampling {

/// Which counts: those of the isotropy paper's code (as in fairseq and CMLMC), or the original Mask-Predict.
enum class MaskRule : std::uint8_t { Isotropy, MaskPredict };

/// How many of the `ordinary` tokens (no BOS, EOS) are masked again after pass `pass`, from 0, of `passes`:
/// floor(n (T - s - 1) / T), in integers; MaskPredict takes at least one. None after the last pass.
[[nodiscard]] int remaskCount(int ordinary, int passes, int pass, MaskRule rule);

/// How many of `maskable` tokens training masks, from u uniform on [0, 1). Isotropy: uniform on 1..n, where
/// the ordinary tokens are maskable; MaskPredict: uniform on 1..n-1, where EOS is too, so that never all are.
[[nodiscard]] int trainingMaskCount(int maskable, double u, MaskRule rule);

/// How many of the revealed tokens CORR replaces by the model's own predictions: floor(rate * revealed).
[[nodiscard]] int replacedCount(int revealed, double rate);

/// The indices of the `count` lowest values, ascending. Equal values: the lowest index first; +infinity is
/// never taken, so there may be fewer; NaN counts as lowest.
[[nodiscard]] std::vector<int> lowest(std::span<const float> values, int count);

/// The score by which candidates of several lengths are compared: the sum over the ordinary tokens, BOS and
/// EOS counted with log 1, per token: / (n + 2), MaskPredict: / (n + 1).
[[nodiscard]] double candidateScore(std::span<const float> logProbabilities, MaskRule rule);

}  // namespace kurve::sampling
