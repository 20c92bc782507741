#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace kurve::metrics::detail {

/// The n-grams of one order with their counts, sorted, so that two lists intersect in one pass. Exact (no
/// hashing).
using Ngram = std::array<std::uint32_t, 6>;  ///< unused entries are 0
struct NgramCount {
    Ngram ngram{};
    int count = 0;
};
using NgramCounts = std::vector<NgramCount>;

[[nodiscard]] NgramCounts countNgrams(std::span<const std::uint32_t> tokens, int order);
/// sum over common n-grams of the smaller count
[[nodiscard]] int matches(const NgramCounts& left, const NgramCounts& right);
/// For each n-gram the larger count (several references).
[[nodiscard]] NgramCounts unite(const NgramCounts& left, const NgramCounts& right);

}  // namespace kurve::metrics::detail
