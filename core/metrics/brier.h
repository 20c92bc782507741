#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace kurve {
class RandomStream;
}

// Brier-1..4 and BrierLM: a language model scored by draws alone (Shao et al. 2025, "Continuous
// Autoregressive Language Models", section 4). Brier-n = 2 P(y) - sum_x P(x)^2 of the first n tokens, one
// outcome together: 2 accuracy - collision, where accuracy is the chance that a draw equals the truth y, and
// collision that two draws are equal. Strictly proper; from -1 to 1, higher is better.
//
// The caller leaves out starts whose chunks hold the end of a text or padding: what is certain behind an end
// would raise every score.
namespace kurve::metrics {

inline constexpr std::size_t kBrierOrders = 4;

/// A chunk's token ids, as drawn.
using TokenDraw = std::vector<std::int32_t>;

/// AllPairs: every draw and every pair of draws (a U-statistic). TwoSamples: the first two draws alone, as
/// published; the same expectation, more variance.
enum class PairEstimator : std::uint8_t { AllPairs, TwoSamples };

/// What one start gives for n = 1..orders; entries beyond are 0 and mean nothing.
struct BrierTerms {
    std::array<double, kBrierOrders> accuracy{}, collision{};
    std::size_t orders = 0;
    [[nodiscard]] double brier(std::size_t n) const { return 2 * accuracy[n - 1] - collision[n - 1]; }
};

/// Of draws of the chunk at a start. Orders: the length of `truth` (>= 1), at most 4; each of the two or more
/// draws is at least as long.
[[nodiscard]] BrierTerms termsOf(std::span<const std::int32_t> truth, std::span<const TokenDraw> draws,
                                 PairEstimator estimator = PairEstimator::AllPairs);

// Chunks of K < 4 tokens: an n-gram goes on in the next chunks. With c_1, c_2, … the chunks from a start,
//   terms = termsOf(c_1's truth, draws of c_1);  agreed = agreedDraw(draws of c_1);
//   for j = 2..: chain = draws of c_j after the true chunks before the start and the agreed values since
//   (none,
//                        once nothing agreed);
//                terms = combine(terms, followingTerms(c_j's truth, draws of c_j after the truth, chain));
//                agreed = agreedDraw(chain).
// All is unbiased: accuracies of successive chunks come from independent draws, and the agreed value is v
// with a chance in proportion to the pairs of v, so that share of agreeing pairs times what follows has the
// mean sum_v P(v)^2 collision(after v).

/// One of the draws in an agreeing pair: the index of a draw that equals another one as a whole, chosen in
/// proportion to the pairs; absent if all differ.
[[nodiscard]] std::optional<std::size_t> agreedDraw(std::span<const TokenDraw> draws, RandomStream& stream,
                                                    PairEstimator estimator = PairEstimator::AllPairs);

/// Of a chunk behind the first: the accuracy from `draws`, the collision from `chain`, 0 where that is empty.
[[nodiscard]] BrierTerms followingTerms(std::span<const std::int32_t> truth, std::span<const TokenDraw> draws,
                                        std::span<const TokenDraw> chain,
                                        PairEstimator estimator = PairEstimator::AllPairs);

/// The terms of a chunk, all of whose tokens `first` covers, with those of the chunk behind it.
[[nodiscard]] BrierTerms combine(const BrierTerms& first, const BrierTerms& following);

// Autoregressive models, whose probabilities are known, need no draws of the truth: accuracy is a product.
// The collision is a chain: x_i drawn from q(x) = p(x | x_<i)^2 / mass_i, mass_i = sum_x p(x | x_<i)^2; the
// running product of the masses has the collision as its mean, and unlike agreeing draws it is never 0.

struct ChainLink {
    double mass = 0;         ///< sum p^2
    std::int32_t token = 0;  ///< drawn from p^2 / mass
};
/// `probabilities` [V] of the next token.
[[nodiscard]] ChainLink chainLink(std::span<const double> probabilities, RandomStream& stream);

/// `truth`: p(y_i | y_<i); `masses`: of a chain from the same start; both 1 to 4 numbers.
[[nodiscard]] BrierTerms exactTerms(std::span<const double> truth, std::span<const double> masses);

/// A mean over starts with its standard error; NaN of fewer than two rows.
struct BrierValue {
    double value = 0, error = 0;
};
struct BrierOrder {
    BrierValue brier, accuracy, collision;
};
struct BrierResult {
    std::vector<BrierOrder> orders;     ///< n = 1.., as far as every start reaches
    std::optional<BrierValue> brierlm;  ///< 0..100; absent below four orders
    bool degenerate = false;            ///< some Brier-n <= 0, so that BrierLM is 0
    std::int64_t rows = 0, starts = 0;
};

/// 100 (B_1 B_2 B_3 B_4)^(1/4), 0 unless all are above 0: two negative factors would look like a good model.
[[nodiscard]] double brierLm(std::span<const double, kBrierOrders> briers);

namespace detail {
/// Sums over starts.
struct BrierSums {
    std::array<double, kBrierOrders> accuracy{}, collision{};
    std::int64_t starts = 0;
    BrierSums& operator+=(const BrierSums& other);
};
}  // namespace detail

/// Means over all starts of a set of rows (documents). The published score is the mean of the rows' means:
/// the same where all rows have equally many starts.
class BrierScore {
public:
    /// A start of the row with that number. All starts have the same orders.
    void add(std::int64_t row, const BrierTerms& terms);
    /// Standard errors by the bootstrap over rows: 1,000 resamples, stream "metrics.bootstrap" of seed 12345.
    /// At least one start.
    [[nodiscard]] BrierResult result() const;

private:
    std::map<std::int64_t, detail::BrierSums> rows_;
    std::size_t orders_ = 0;
};

}  // namespace kurve::metrics
