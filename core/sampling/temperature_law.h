#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/result.h"

// What the algorithms of temperature.h give of a known distribution. Probabilities are positive and sum to 1
// within 1e-6; they are divided by their sum. Errors: sampler.probabilities.
namespace kurve::sampling {

/// Algorithm 1 (Shao et al. 2025).
struct ExactLaw {
    std::vector<double> target;  ///< p^(1/T) / Z
    double normaliser = 0;       ///< Z = sum p^(1/T): the chance that a round accepts
    double stageOne = 0;         ///< sum p^n: the chance that n draws are equal
    double expectedCalls = 0;    ///< (n + [fraction > 0] sum p^(1/T - 1)) / Z, Theorem 2; may be infinite
};
/// Errors: sampler.temperature too.
[[nodiscard]] Result<ExactLaw> exactLaw(std::span<const double> probabilities, double temperature);

/// Algorithm 2 (Shao et al. 2025) of N draws at T = 1/n.
struct BatchLaw {
    std::vector<double> law;       ///< chance of each outcome
    std::vector<double> chosenBy;  ///< [min(n, N)]: chance that m = index + 1 copies decide
    double fallback = 0;           ///< chance of m < n
    double accuracy = 0;           ///< sum law * p: chance to equal a draw from p
    double collision = 0;          ///< sum law^2: chance that two results are equal
};
/// By the sum over all vectors of counts; n >= 1, `samples` = N >= 1. Errors: sampler.too_large (too many of
/// them, about 1e8 counts).
[[nodiscard]] Result<BatchLaw> batchLaw(std::span<const double> probabilities, std::int64_t n,
                                        std::int64_t samples);

}  // namespace kurve::sampling
