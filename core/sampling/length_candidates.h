#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kurve::sampling {

/// Lengths that a sentence may have, in tokens, BOS and EOS included.
struct LengthLimits {
    /// 3: at least one ordinary token. With 2 the empty sentence is a candidate, and wins: it scores 0, all
    /// others less.
    std::int64_t shortest = 3;
    std::int64_t longest = 0;  ///< of the position table
};

/// `beam` lengths around the predicted one: predicted - floor(beam / 2) …, each clamped. Clamped ones repeat.
[[nodiscard]] std::vector<std::int32_t> windowLengths(std::int64_t predicted, std::int64_t beam,
                                                      const LengthLimits& limits);

/// The lengths of the `beam` most probable classes, best first, each clamped; class c is the length
/// c + `offset`. Equal scores: the shorter length first. `beam` must not exceed the classes.
[[nodiscard]] std::vector<std::int32_t> likeliestLengths(std::span<const float> scores, std::int64_t offset,
                                                         std::int64_t beam, const LengthLimits& limits);

}  // namespace kurve::sampling
