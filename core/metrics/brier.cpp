#include "core/metrics/brier.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.h"
#include "core/base/random_stream.h"

namespace kurve::metrics {
namespace {

constexpr int kResamples = 1000;
constexpr std::uint64_t kBootstrapSeed = 12345;

std::span<const TokenDraw> usedDraws(std::span<const TokenDraw> draws, PairEstimator estimator) {
    KURVE_CHECK(draws.size() >= 2, "{} draws make no pair", draws.size());
    return estimator == PairEstimator::TwoSamples ? draws.first(2) : draws;
}

double pairs(std::size_t count) {
    return static_cast<double>(count) * (static_cast<double>(count) - 1) / 2;
}

/// The first min(4, orders) tokens; 0 behind them.
using Prefix = std::array<std::int32_t, kBrierOrders>;

Prefix prefixOf(std::span<const std::int32_t> tokens, std::size_t orders) {
    KURVE_CHECK(tokens.size() >= orders, "{} tokens for {} orders", tokens.size(), orders);
    Prefix prefix{};
    std::copy_n(tokens.begin(), orders, prefix.begin());
    return prefix;
}

/// How many tokens two prefixes have in common before they differ.
std::size_t commonLength(const Prefix& a, const Prefix& b) {
    return static_cast<std::size_t>(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin());
}

/// The share of pairs whose first n tokens are equal, n = 1..orders. Sorted, equal prefixes are neighbours.
std::array<double, kBrierOrders> collisions(std::vector<Prefix> prefixes, std::size_t orders) {
    std::sort(prefixes.begin(), prefixes.end());
    std::array<double, kBrierOrders> shares{};
    for (std::size_t n = 1; n <= orders; ++n) {
        double equal = 0;
        std::size_t run = 1;
        for (std::size_t i = 1; i < prefixes.size(); ++i) {
            run = commonLength(prefixes[i - 1], prefixes[i]) >= n ? run + 1 : 1;
            equal += static_cast<double>(run - 1);
        }
        shares[n - 1] = equal / pairs(prefixes.size());
    }
    return shares;
}

std::array<double, kBrierOrders> collisionsOf(std::span<const TokenDraw> draws, std::size_t orders) {
    std::vector<Prefix> prefixes;
    prefixes.reserve(draws.size());
    for (const TokenDraw& draw : draws) prefixes.push_back(prefixOf(draw, orders));
    return collisions(std::move(prefixes), orders);
}

/// The share of draws whose first n tokens are the truth's.
std::array<double, kBrierOrders> accuraciesOf(const Prefix& truth, std::span<const TokenDraw> draws,
                                              std::size_t orders) {
    std::array<double, kBrierOrders> shares{};
    for (const TokenDraw& draw : draws) {
        const std::size_t equal = commonLength(truth, prefixOf(draw, orders));
        for (std::size_t n = 1; n <= std::min(equal, orders); ++n) shares[n - 1] += 1;
    }
    for (double& share : shares) share /= static_cast<double>(draws.size());
    return shares;
}

/// The running product of 1 to 4 numbers.
std::array<double, kBrierOrders> products(std::span<const double> factors) {
    std::array<double, kBrierOrders> result{};
    std::partial_sum(factors.begin(), factors.end(), result.begin(), std::multiplies<>());
    return result;
}

/// What result() tells, in one row: of each order Brier, accuracy and collision, then BrierLM.
using Statistics = std::array<double, 3 * kBrierOrders + 1>;

Statistics statisticsOf(const detail::BrierSums& sums) {
    Statistics all{};
    std::array<double, kBrierOrders> briers{};
    for (std::size_t i = 0; i < kBrierOrders; ++i) {
        const double accuracy = sums.accuracy[i] / static_cast<double>(sums.starts);
        const double collision = sums.collision[i] / static_cast<double>(sums.starts);
        briers[i] = 2 * accuracy - collision;
        all[3 * i] = briers[i];
        all[3 * i + 1] = accuracy;
        all[3 * i + 2] = collision;
    }
    all.back() = brierLm(briers);
    return all;
}

/// Standard deviations, by Welford's update: squares would cancel where they are small.
class Spread {
public:
    void add(const Statistics& values) {
        ++count_;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double before = values[i] - mean_[i];
            mean_[i] += before / count_;
            squares_[i] += before * (values[i] - mean_[i]);
        }
    }
    [[nodiscard]] Statistics deviations() const {
        Statistics result{};
        for (std::size_t i = 0; i < result.size(); ++i) result[i] = std::sqrt(squares_[i] / (count_ - 1));
        return result;
    }

private:
    Statistics mean_{}, squares_{};
    int count_ = 0;
};

Statistics bootstrapErrors(const std::vector<detail::BrierSums>& rows) {
    Statistics none;
    none.fill(std::numeric_limits<double>::quiet_NaN());
    if (rows.size() < 2) return none;
    RandomStream stream(kBootstrapSeed, "metrics.bootstrap");
    Spread spread;
    for (int r = 0; r < kResamples; ++r) {
        detail::BrierSums sums;
        for (std::size_t i = 0; i < rows.size(); ++i) sums += rows[stream.below(rows.size())];
        spread.add(statisticsOf(sums));
    }
    return spread.deviations();
}

}  // namespace

BrierTerms termsOf(std::span<const std::int32_t> truth, std::span<const TokenDraw> draws,
                   PairEstimator estimator) {
    return followingTerms(truth, draws, draws, estimator);
}

std::optional<std::size_t> agreedDraw(std::span<const TokenDraw> draws, RandomStream& stream,
                                      PairEstimator estimator) {
    const auto used = usedDraws(draws, estimator);
    std::vector<std::size_t> first;  // the first draw of each agreeing pair
    for (std::size_t a = 0; a < used.size(); ++a)
        for (std::size_t b = a + 1; b < used.size(); ++b)
            if (used[a] == used[b]) first.push_back(a);
    if (first.empty()) return std::nullopt;
    return first[stream.below(first.size())];
}

BrierTerms followingTerms(std::span<const std::int32_t> truth, std::span<const TokenDraw> draws,
                          std::span<const TokenDraw> chain, PairEstimator estimator) {
    KURVE_CHECK(!truth.empty(), "a chunk without tokens");
    BrierTerms terms;
    terms.orders = std::min(truth.size(), kBrierOrders);
    terms.accuracy = accuraciesOf(prefixOf(truth, terms.orders), usedDraws(draws, estimator), terms.orders);
    if (!chain.empty()) terms.collision = collisionsOf(usedDraws(chain, estimator), terms.orders);
    return terms;
}

BrierTerms combine(const BrierTerms& first, const BrierTerms& following) {
    KURVE_CHECK(first.orders >= 1, "no chunk to go on from");
    BrierTerms all = first;
    all.orders = std::min(first.orders + following.orders, kBrierOrders);
    for (std::size_t i = first.orders; i < all.orders; ++i) {
        all.accuracy[i] = first.accuracy[first.orders - 1] * following.accuracy[i - first.orders];
        all.collision[i] = first.collision[first.orders - 1] * following.collision[i - first.orders];
    }
    return all;
}

ChainLink chainLink(std::span<const double> probabilities, RandomStream& stream) {
    KURVE_CHECK(!probabilities.empty(), "no probabilities");
    ChainLink link;
    for (const double p : probabilities) link.mass += p * p;
    double rest = stream.uniform() * link.mass;
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        if (probabilities[i] > 0) link.token = static_cast<std::int32_t>(i);
        if ((rest -= probabilities[i] * probabilities[i]) < 0) break;
    }
    return link;
}

BrierTerms exactTerms(std::span<const double> truth, std::span<const double> masses) {
    KURVE_CHECK(!truth.empty() && truth.size() <= kBrierOrders && masses.size() == truth.size(),
                "{} probabilities and {} masses", truth.size(), masses.size());
    return {products(truth), products(masses), truth.size()};
}

double brierLm(std::span<const double, kBrierOrders> briers) {
    double product = 1;
    for (const double brier : briers) {
        if (!(brier > 0)) return 0;
        product *= brier;
    }
    return 100 * std::pow(product, 1.0 / kBrierOrders);
}

detail::BrierSums& detail::BrierSums::operator+=(const BrierSums& other) {
    for (std::size_t i = 0; i < kBrierOrders; ++i) {
        accuracy[i] += other.accuracy[i];
        collision[i] += other.collision[i];
    }
    starts += other.starts;
    return *this;
}

void BrierScore::add(std::int64_t row, const BrierTerms& terms) {
    KURVE_CHECK(terms.orders >= 1 && (orders_ == 0 || terms.orders == orders_), "{} orders after {}",
                terms.orders, orders_);
    orders_ = terms.orders;
    rows_[row] += {terms.accuracy, terms.collision, 1};
}

BrierResult BrierScore::result() const {
    KURVE_CHECK(!rows_.empty(), "a score of nothing");
    std::vector<detail::BrierSums> rows;
    detail::BrierSums sums;
    for (const auto& [number, row] : rows_) {
        rows.push_back(row);
        sums += row;
    }
    const Statistics values = statisticsOf(sums), errors = bootstrapErrors(rows);
    const auto valueAt = [&](std::size_t i) { return BrierValue{values[i], errors[i]}; };
    BrierResult result;
    result.rows = static_cast<std::int64_t>(rows.size());
    result.starts = sums.starts;
    for (std::size_t i = 0; i < orders_; ++i)
        result.orders.push_back({valueAt(3 * i), valueAt(3 * i + 1), valueAt(3 * i + 2)});
    if (orders_ < kBrierOrders) return result;
    result.brierlm = valueAt(values.size() - 1);
    result.degenerate = result.brierlm->value == 0;
    return result;
}

}  // namespace kurve::metrics
