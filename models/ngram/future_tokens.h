#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kurve::models::ngram {

/// Which of the next n tokens of every state of a padded batch exist. Free of tensors.
struct FutureTokens {
    std::vector<std::int64_t> states;  ///< [K] flat positions r * (width - 1) + t of states with a next token
    /// [P] of every existing token: position 1 of all states, then position 2, …
    std::vector<std::int64_t> prediction;  ///< j * K + k of state k, with j from 0: its vector in [n, K]
    std::vector<std::int64_t> target;      ///< r * width + t + 1 + j: where the token is
    std::vector<std::int64_t> row;         ///< r
    std::vector<std::int64_t> count;       ///< [n] how many there are of each position
};

/// `lengths`: ids of each row, BOS and EOS included, at least one; rows are padded to `width`.
[[nodiscard]] FutureTokens futureTokens(std::span<const std::int32_t> lengths, std::int64_t width,
                                        std::int64_t n);

}  // namespace kurve::models::ngram
