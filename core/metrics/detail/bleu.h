#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/metrics/detail/ngrams.h"

namespace kurve::metrics::detail {

inline constexpr int kBleuOrder = 4;

/// A segment's n-grams of order 1 to 4.
struct BleuSegment {
    explicit BleuSegment(std::span<const std::uint32_t> tokens);
    int length = 0;
    std::array<NgramCounts, kBleuOrder> ngrams;
};

/// Hypothesis length, reference length, 4 matches, 4 totals: sums over sentences give corpus BLEU.
using BleuRow = std::array<double, 2 + 2 * kBleuOrder>;
[[nodiscard]] BleuRow bleuRow(const BleuSegment& hypothesis, std::span<const BleuSegment> references);

struct BleuResult {
    double score = 0, brevityPenalty = 1;
    std::array<double, kBleuOrder> precisions{};  ///< percent
};
enum class BleuOrder : std::uint8_t {
    Full,       ///< geometric mean over orders 1 to 4
    Effective,  ///< only over orders that the hypothesis is long enough for: single sentences
};
enum class BleuSmoothing : std::uint8_t {
    Exponential,  ///< Chen and Cherry's method 3, as in sacreBLEU 2
    None,         ///< an order without a match makes the score 0
};
/// BLEU 0..100.
[[nodiscard]] BleuResult bleuOf(std::span<const double> row, BleuOrder order,
                                BleuSmoothing smoothing = BleuSmoothing::Exponential);

/// NLTK's sentence_bleu with smoothing method 4, 0..100, of one sentence's row: with c words, m_n matches and
/// t_n n-grams, BP exp(1/4 sum over n of ln(m_n / max(1, t_n))), and 0 if m_1 = 0. The q-th order without a
/// match counts as m_n = ln(c) / (5 * 2^q), or is skipped if c = 1. NLTK up to 3.5: m_n = n - 1 + 5 / ln(c).
[[nodiscard]] double nltkBleu(std::span<const double> row);

}  // namespace kurve::metrics::detail
