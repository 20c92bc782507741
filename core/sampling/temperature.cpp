#include "core/sampling/temperature.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "core/base/check.h"
#include "core/base/random_stream.h"
#include "core/sampling/detail/log_binomial.h"

namespace kurve::sampling {
namespace {

/// Above this 1/T, doubles lie too far apart for the snap.
constexpr double kLargestExponent = 1e6;
constexpr double kSnap = 1e-9;

/// Hands out draws one after the other and asks for more while the budget lasts.
class DrawSupply {
public:
    DrawSupply(const DrawMany& draw, const CallBudget& budget) : draw_(draw), budget_(budget) {}

    /// Whether the next `count` draws are there.
    bool holds(std::int64_t count) {
        while (waiting() < count && refill(count - waiting())) {
        }
        return waiting() >= count;
    }
    /// After holds().
    Outcome next() {
        Outcome outcome = std::move(waiting_.front());
        waiting_.pop_front();
        seen_.insert(outcome);
        return outcome;
    }
    [[nodiscard]] std::int64_t calls() const { return calls_; }
    [[nodiscard]] std::int64_t distinct() const { return static_cast<std::int64_t>(seen_.size()); }

private:
    [[nodiscard]] std::int64_t waiting() const { return static_cast<std::int64_t>(waiting_.size()); }

    /// Asks for `missing` draws or a batch; none where the budget does not cover the missing ones.
    bool refill(std::int64_t missing) {
        const std::int64_t left = budget_.most - calls_;
        if (ended_ || missing > left) return false;
        const std::int64_t count = std::min(std::max(missing, budget_.batch), left);
        std::vector<Outcome> drawn = draw_(count);
        const auto got = static_cast<std::int64_t>(drawn.size());
        KURVE_CHECK(got <= count, "{} draws instead of {}", got, count);
        calls_ += got;
        ended_ = got < count;
        for (Outcome& outcome : drawn) waiting_.push_back(std::move(outcome));
        return !ended_;
    }

    const DrawMany& draw_;
    CallBudget budget_;
    std::deque<Outcome> waiting_;
    std::set<Outcome> seen_;
    std::int64_t calls_ = 0;
    bool ended_ = false;
};

/// Stage 1: whether the next n draws are equal, and to what. Draws all of them although the first two may
/// differ: fewer would leave the law as it is, but cost less than Theorem 2 says.
Verdict agreement(DrawSupply& supply, std::int64_t n, Outcome& value) {
    if (!supply.holds(n)) return Verdict::Exhausted;
    value = supply.next();
    bool equal = true;
    for (std::int64_t i = 1; i < n; ++i) equal &= supply.next() == value;
    return equal ? Verdict::Accepted : Verdict::Rejected;
}

Verdict round(DrawSupply& supply, const Exponent& exponent, Outcome& value, RandomStream& stream) {
    const Verdict first = agreement(supply, exponent.whole, value);
    if (first != Verdict::Accepted || exponent.fraction == 0) return first;
    const auto equalsValue = [&]() -> std::optional<bool> {
        if (!supply.holds(1)) return std::nullopt;
        return supply.next() == value;
    };
    return powerCoin(equalsValue, exponent.fraction, stream);
}

Error temperatureError(double temperature, const char* what) {
    return requestError("sampler.temperature", fmt::format("temperature {} is {}", temperature, what))
        .at("temperature");
}

/// Index of the weight in which `u` of their sum lies.
std::size_t pick(std::span<const double> weights, double u) {
    double sum = 0;
    for (const double weight : weights) sum += weight;
    double rest = u * sum;
    for (std::size_t i = 0; i + 1 < weights.size(); ++i)
        if ((rest -= weights[i]) < 0) return i;
    return weights.size() - 1;
}

/// binom(count, m) / binom(largest, m): the binomials themselves leave the range of doubles.
std::vector<double> relativeWeights(std::span<const std::int64_t> counts, std::int64_t m) {
    const double largest = detail::logBinomial(*std::max_element(counts.begin(), counts.end()), m);
    std::vector<double> weights;
    weights.reserve(counts.size());
    for (const std::int64_t count : counts)
        weights.push_back(std::exp(detail::logBinomial(count, m) - largest));
    return weights;
}

/// Sorted, so that a seed's choice does not depend on the order of draws or of a hash.
using Counts = std::map<Outcome, std::int64_t>;

Counts countsOf(std::span<const Outcome> draws) {
    Counts counts;
    for (const Outcome& outcome : draws) ++counts[outcome];
    return counts;
}

double entropyOf(const Counts& counts, std::size_t draws) {
    double entropy = 0;
    for (const auto& [outcome, count] : counts) {
        const double share = static_cast<double>(count) / static_cast<double>(draws);
        entropy -= share * std::log(share);
    }
    return entropy;
}

std::int64_t largestCount(const Counts& counts) {
    std::int64_t largest = 0;
    for (const auto& [outcome, count] : counts) largest = std::max(largest, count);
    return largest;
}

}  // namespace

Result<Exponent> exponentOf(double temperature) {
    const double inverse = 1 / temperature;
    if (!(temperature > 0 && temperature <= 1 && inverse <= kLargestExponent + kSnap))
        return temperatureError(temperature, "not in (0, 1]: draws can only sharpen a distribution")
            .fix("give 0.000001 to 1");
    const double nearest = std::round(inverse);
    if (std::abs(inverse - nearest) < kSnap) return Exponent{static_cast<std::int64_t>(nearest), 0};
    const double whole = std::floor(inverse);
    return Exponent{static_cast<std::int64_t>(whole), inverse - whole};
}

Result<std::int64_t> reciprocal(double temperature) {
    KURVE_TRY(const Exponent exponent, exponentOf(temperature));
    if (exponent.fraction == 0) return exponent.whole;
    return temperatureError(temperature, "not 1/n for a whole n, as sampling by one batch needs")
        .fix(fmt::format("give {0:.12g} (1/{1}) or {2:.12g} (1/{3}), or sample exactly",
                         1.0 / static_cast<double>(exponent.whole), exponent.whole,
                         1.0 / static_cast<double>(exponent.whole + 1), exponent.whole + 1));
}

Verdict powerCoin(const std::function<std::optional<bool>()>& flip, double a, RandomStream& stream) {
    KURVE_CHECK(a > 0 && a < 1, "an exponent of {}", a);
    for (std::int64_t failures = 1;; ++failures) {
        const std::optional<bool> success = flip();
        if (!success) return Verdict::Exhausted;
        if (*success) return Verdict::Accepted;
        if (stream.uniform() < a / static_cast<double>(failures)) return Verdict::Rejected;
    }
}

ExactDraw drawExact(const DrawMany& draw, const Exponent& exponent, const CallBudget& budget,
                    RandomStream& stream) {
    KURVE_CHECK(exponent.whole >= 1 && budget.batch >= 1, "n = {}, batches of {}", exponent.whole,
                budget.batch);
    DrawSupply supply(draw, budget);
    Outcome value;
    Verdict verdict = Verdict::Rejected;
    while (verdict == Verdict::Rejected) verdict = round(supply, exponent, value, stream);
    ExactDraw result{std::nullopt, supply.calls(), supply.distinct(), verdict == Verdict::Exhausted};
    if (!result.exhausted) result.outcome = std::move(value);
    return result;
}

BatchInRounds::BatchInRounds(std::int64_t draws, std::int64_t n)
    : n_(n), places_(static_cast<std::size_t>(draws), -1) {
    KURVE_CHECK(draws >= 1 && n >= 1, "{} draws, n = {}", draws, n);
}

void BatchInRounds::propose(RandomStream& stream) {
    std::vector<std::size_t> members;
    while (static_cast<std::int64_t>(members.size()) < n_) {
        const std::size_t one = stream.below(places_.size());
        if (std::find(members.begin(), members.end(), one) == members.end()) members.push_back(one);
    }
    for (const std::size_t one : members) {
        if (places_[one] < 0) places_[one] = used_++;
        set_.push_back(places_[one]);
    }
}

std::optional<BatchDraw> BatchInRounds::choose(std::span<const Outcome> made, RandomStream& stream) {
    const auto count = static_cast<std::int64_t>(made.size()),
               draws = static_cast<std::int64_t>(places_.size());
    if (n_ > draws && count < draws) return std::nullopt;
    for (;; set_.clear()) {
        // The sets tried so far had no equal draws: what is left is a choice among those that have.
        if (set_.empty() && count == draws) return drawBatch(made, n_, stream);
        if (set_.empty()) propose(stream);
        const auto missing = [&](std::int64_t place) { return place >= count; };
        if (std::any_of(set_.begin(), set_.end(), missing)) return std::nullopt;
        const Outcome& first = made[static_cast<std::size_t>(set_.front())];
        const auto equal = [&](std::int64_t place) { return made[static_cast<std::size_t>(place)] == first; };
        if (!std::all_of(set_.begin(), set_.end(), equal)) continue;
        const Counts counts = countsOf(made);
        return BatchDraw{first, n_, false, static_cast<std::int64_t>(counts.size()),
                         entropyOf(counts, made.size())};
    }
}

BatchDraw drawBatch(std::span<const Outcome> draws, std::int64_t n, RandomStream& stream) {
    KURVE_CHECK(!draws.empty() && n >= 1, "{} draws, n = {}", draws.size(), n);
    const Counts counts = countsOf(draws);
    const std::int64_t m = std::min(n, largestCount(counts));
    std::vector<const Outcome*> candidates;
    std::vector<std::int64_t> occurrences;
    for (const auto& [outcome, count] : counts) {
        if (count < m) continue;
        candidates.push_back(&outcome);
        occurrences.push_back(count);
    }
    const std::size_t chosen = pick(relativeWeights(occurrences, m), stream.uniform());
    return {*candidates[chosen], m, m < n, static_cast<std::int64_t>(counts.size()),
            entropyOf(counts, draws.size())};
}

}  // namespace kurve::sampling
