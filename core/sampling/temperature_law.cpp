#include "core/sampling/temperature_law.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.h"
#include "core/sampling/detail/log_binomial.h"
#include "core/sampling/temperature.h"

namespace kurve::sampling {
namespace {

/// With room for rounding: three times 0.333333 is a sum that is just as far off.
constexpr double kSumTolerance = 1e-6 + 1e-12;
/// Counts that an enumeration may visit: some seconds.
constexpr double kMostCounts = 2e8;

Error probabilityError(std::string message) {
    return requestError("sampler.probabilities", std::move(message))
        .at("probabilities")
        .fix("give positive numbers with the sum 1");
}

Result<std::vector<double>> normalised(std::span<const double> probabilities) {
    for (const double p : probabilities)
        if (!(p > 0 && std::isfinite(p)))
            return probabilityError(fmt::format("{} is no probability above 0", p));
    const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
    if (!(std::abs(sum - 1) <= kSumTolerance))
        return probabilityError(fmt::format("the probabilities sum to {:.9g}", sum));
    std::vector<double> result(probabilities.begin(), probabilities.end());
    for (double& p : result) p /= sum;
    return result;
}

/// log sum p^power; the powers themselves underflow at low temperatures.
double logPowerSum(std::span<const double> probabilities, double power) {
    const double top = power * std::log(*std::max_element(probabilities.begin(), probabilities.end()));
    double sum = 0;
    for (const double p : probabilities) sum += std::exp(power * std::log(p) - top);
    return top + std::log(sum);
}

/// Sums Algorithm 2's choice over all vectors of counts, each with its multinomial chance.
class CountEnumeration {
public:
    CountEnumeration(std::vector<double> probabilities, std::int64_t n, std::int64_t samples)
        : probabilities_(std::move(probabilities)),
          n_(n),
          samples_(samples),
          counts_(probabilities_.size()),
          weights_(probabilities_.size()),
          logFactorial_(static_cast<std::size_t>(samples) + 1),
          logWeight_(static_cast<std::size_t>(samples) + 1) {
        for (std::size_t c = 1; c < logFactorial_.size(); ++c)
            logFactorial_[c] = logFactorial_[c - 1] + std::log(static_cast<double>(c));
        for (std::int64_t c = n + 1; c <= samples; ++c)
            logWeight_[static_cast<std::size_t>(c)] =
                logWeight_[static_cast<std::size_t>(c - 1)] +
                std::log(static_cast<double>(c) / static_cast<double>(c - n));
        law_.law.assign(probabilities_.size(), 0);
        law_.chosenBy.assign(static_cast<std::size_t>(std::min(n, samples)), 0);
    }

    BatchLaw sum() {
        place(0, samples_, logFactorial_.back());
        for (std::size_t i = 0; i < probabilities_.size(); ++i) {
            law_.accuracy += law_.law[i] * probabilities_[i];
            law_.collision += law_.law[i] * law_.law[i];
        }
        for (std::size_t m = 0; m < law_.chosenBy.size(); ++m)
            if (static_cast<std::int64_t>(m) + 1 < n_) law_.fallback += law_.chosenBy[m];
        return std::move(law_);
    }

private:
    /// Every count of outcome `at` and of those behind it, of which `left` draws are still free.
    void place(std::size_t at, std::int64_t left, double logChance) {
        const bool last = at + 1 == counts_.size();
        const double logP = std::log(probabilities_[at]);
        for (std::int64_t c = last ? left : 0; c <= left; ++c) {
            counts_[at] = c;
            const double chance =
                logChance + static_cast<double>(c) * logP - logFactorial_[static_cast<std::size_t>(c)];
            if (last) {
                addChoice(std::exp(chance));
            } else {
                place(at + 1, left - c, chance);
            }
        }
    }

    /// Algorithm 2 with these counts.
    void addChoice(double chance) {
        const std::int64_t largest = *std::max_element(counts_.begin(), counts_.end());
        const std::int64_t m = std::min(n_, largest);
        law_.chosenBy[static_cast<std::size_t>(m - 1)] += chance;
        double total = 0;
        for (std::size_t i = 0; i < counts_.size(); ++i)
            total += weights_[i] = counts_[i] < m ? 0 : weightOf(counts_[i], largest);
        for (std::size_t i = 0; i < counts_.size(); ++i) law_.law[i] += chance * weights_[i] / total;
    }

    /// binom(count, n) over that of the largest count; below n all candidates occur m times: weight 1.
    [[nodiscard]] double weightOf(std::int64_t count, std::int64_t largest) const {
        if (count == largest) return 1;
        return std::exp(logWeight_[static_cast<std::size_t>(count)] -
                        logWeight_[static_cast<std::size_t>(largest)]);
    }

    std::vector<double> probabilities_;
    std::int64_t n_, samples_;
    std::vector<std::int64_t> counts_;
    std::vector<double> weights_, logFactorial_;
    std::vector<double> logWeight_;  ///< log binom(c, n) by c, from c = n
    BatchLaw law_;
};

Status checkSize(std::size_t outcomes, std::int64_t samples) {
    const auto others = static_cast<std::int64_t>(outcomes) - 1;
    const double logVectors = detail::logBinomial(samples + others, others);
    if (logVectors + std::log(static_cast<double>(outcomes)) <= std::log(kMostCounts)) return {};
    return requestError("sampler.too_large",
                        fmt::format("{} draws of {} outcomes have {:.2g} vectors of counts", samples,
                                    outcomes, std::exp(logVectors)))
        .at("samples")
        .fix("lower the number of samples or of outcomes");
}

}  // namespace

Result<ExactLaw> exactLaw(std::span<const double> probabilities, double temperature) {
    KURVE_TRY(const Exponent exponent, exponentOf(temperature));
    KURVE_TRY(const std::vector<double> p, normalised(probabilities));
    const auto n = static_cast<double>(exponent.whole);
    const double inverse = n + exponent.fraction, logZ = logPowerSum(p, inverse);
    ExactLaw law;
    for (const double one : p) law.target.push_back(std::exp(inverse * std::log(one) - logZ));
    law.normaliser = std::exp(logZ);
    law.stageOne = std::exp(logPowerSum(p, n));
    const double second = exponent.fraction > 0 ? std::exp(logPowerSum(p, inverse - 1)) : 0;
    law.expectedCalls = std::exp(std::log(n + second) - logZ);
    return law;
}

Result<BatchLaw> batchLaw(std::span<const double> probabilities, std::int64_t n, std::int64_t samples) {
    KURVE_CHECK(n >= 1 && samples >= 1, "n = {}, {} samples", n, samples);
    KURVE_TRY(std::vector<double> p, normalised(probabilities));
    KURVE_CHECKED(checkSize(p.size(), samples));
    return CountEnumeration(std::move(p), n, samples).sum();
}

}  // namespace kurve::sampling
