// The parts together: on models small enough for every mask, both estimators have the expectation that the
// integral over time has in closed form.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <array>
#include <bit>
#include <cmath>

#include "core/diffusion/absorbing_process.h"
#include "core/diffusion/masked_objective.h"
#include "core/diffusion/sampling_times.h"
#include "core/metrics/likelihood_bound.h"
#include "core/tensor/random.h"

namespace kurve::diffusion {
namespace {

constexpr std::int64_t kVocabulary = 6, kMaskId = 5;
constexpr double kEpsilon = 1e-3;

std::shared_ptr<const schedule::NoiseSchedule> logLinear(const std::string& epsilon) {
    return std::move(*schedule::makeSchedule("log-linear", {{"epsilon", epsilon}}));
}

/// Its logits at a masked position depend on the number c of masked neighbours alone. Position 0 is an anchor
/// if asked: never masked and not counted.
class Toy {
public:
    explicit Toy(std::int64_t length, bool anchor = false)
        : length_(length),
          table_(at::sin(at::arange(3 * kVocabulary, at::kDouble) * 1.7).view({3, -1}) * 2),
          ids_(at::arange(length, at::kLong) * 3 % kMaskId),
          maskable_(at::ones({1, length}, at::kBool)) {
        if (anchor) maskable_[0][0] = false;
    }

    [[nodiscard]] std::int64_t length() const { return length_; }
    [[nodiscard]] at::Tensor maskable(std::int64_t rows = 1) const {
        return maskable_.expand({rows, length_});
    }
    [[nodiscard]] std::int64_t tokens() const { return maskable_.sum().item<std::int64_t>(); }

    /// [B] sums of w nll.
    [[nodiscard]] at::Tensor weighted(const at::Tensor& mask, const at::Tensor& weights) const {
        const at::Tensor padded = at::constant_pad_nd(mask.to(at::kLong), {1, 1});
        const at::Tensor neighbours = padded.narrow(1, 0, length_) + padded.narrow(1, 2, length_);
        const auto tokens = maskedTokens(mask, maskable(mask.size(0)));
        const at::Tensor states =
            at::one_hot(neighbours.flatten().index_select(0, tokens.positions), 3).to(at::kDouble);
        const at::Tensor ids = ids_.expand_as(mask).reshape({-1}).index_select(0, tokens.positions);
        return weightedNll(maskedNll(states, table_.t(), {}, ids, kMaskId), tokens.rows, weights);
    }

    /// Position i's probability that c of its d maskable neighbours are masked is binomial; times the nll and
    /// the weight: integral of t^c (1 - t)^(d - c) C(d, c) dt = 1 / (d + 1).
    [[nodiscard]] double bound() const {
        double sum = 0;
        for (std::int64_t i = 0; i < length_; ++i)
            for (int c = 0; isMaskable(i) && c <= neighbours(i); ++c) sum += nll(i, c) / (neighbours(i) + 1);
        return sum;
    }
    /// Expected sum of the masked nll over the mask probability m, divided by m: a polynomial of degree <= 2.
    [[nodiscard]] double hazard(double m) const {
        double sum = 0;
        for (std::int64_t i = 0; i < length_; ++i) {
            const int d = neighbours(i);
            for (int c = 0; isMaskable(i) && c <= d; ++c)
                sum += (d == 2 && c == 1 ? 2 : 1) * std::pow(m, c) * std::pow(1 - m, d - c) * nll(i, c);
        }
        return sum;
    }

private:
    [[nodiscard]] bool isMaskable(std::int64_t i) const {
        return i >= 0 && i < length_ && maskable_[0][i].item<bool>();
    }
    [[nodiscard]] int neighbours(std::int64_t i) const { return isMaskable(i - 1) + isMaskable(i + 1); }
    [[nodiscard]] double nll(std::int64_t i, int c) const {
        const at::Tensor logits = table_[c].narrow(0, 0, kMaskId);  // the mask is the last column
        return -at::log_softmax(logits, 0)[ids_[i].item<std::int64_t>()].item<double>();
    }

    std::int64_t length_;
    at::Tensor table_, ids_, maskable_;
};

/// Sums of nll of all masks of the maskable positions with k masked: [k] -> their total.
std::vector<double> totalsByCount(const Toy& toy) {
    const std::int64_t skipped = toy.length() - toy.tokens();  // the anchor comes first
    std::vector<double> totals(static_cast<std::size_t>(toy.tokens()) + 1);
    for (unsigned bits = 1; bits < 1u << toy.tokens(); ++bits) {
        at::Tensor mask = at::zeros({1, toy.length()}, at::kBool);
        for (std::int64_t i = 0; i < toy.tokens(); ++i)
            if ((bits >> i & 1) != 0) mask[0][i + skipped] = true;
        totals[static_cast<std::size_t>(std::popcount(bits))] +=
            toy.weighted(mask, at::ones({1}, at::kDouble)).item<double>();
    }
    return totals;
}

double choose(double n, double k) {
    return std::round(std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1)));
}

double exactCountExpectation(const Toy& toy, const std::vector<double>& totals) {
    const auto n = static_cast<double>(toy.tokens());
    double sum = 0;
    for (std::int64_t k = 1; k <= toy.tokens(); ++k) {
        const ExactCount count = exactCount((static_cast<double>(k) - .5) / n, toy.tokens());
        EXPECT_EQ(count.masked, k);
        sum += count.weight * totals[static_cast<std::size_t>(k)] / choose(n, static_cast<double>(k)) / n;
    }
    return sum;
}

TEST(MaskedBound, ExactCountIsUnbiasedOverAllMasks) {
    for (const bool anchor : {false, true})
        for (std::int64_t length = anchor ? 2 : 1; length <= 6; ++length) {
            const Toy toy(length, anchor);
            EXPECT_NEAR(exactCountExpectation(toy, totalsByCount(toy)), toy.bound(), 1e-12) << length;
        }
}

TEST(MaskedBound, StepsOverAllMasksApproachIt) {
    const Toy toy(5);
    const auto totals = totalsByCount(toy);
    double before = 0;
    for (const int steps : {10, 100, 1000, 10'000}) {
        const AbsorbingProcess process(logLinear("0"), steps);
        double sum = 0;
        for (int i = 0; i < steps; ++i) {
            const auto noising = process.at((i + .5) / steps);
            const double m = noising.maskProbability;
            for (int k = 1; k <= 5; ++k)
                sum += noising.weight * std::pow(m, k) * std::pow(1 - m, 5 - k) *
                       totals[static_cast<std::size_t>(k)] / steps;
        }
        const double error = std::abs(sum - toy.bound());
        if (before > 0) EXPECT_NEAR(error / before, .1, .02) << steps;  // of first order in 1 / T
        before = error;
    }
    EXPECT_LT(before, 1e-3);
}

constexpr std::int64_t kRows = 8192;
const StreamId kTimes(11, "test.time", 0), kMasks(11, "test.mask", 0);

struct Estimate {
    double nats = 0, standardError = 0;
};

Estimate estimated(const at::Tensor& weighted, std::int64_t tokens) {
    std::vector<metrics::BoundedText> texts;
    for (std::int64_t r = 0; r < weighted.size(0); ++r)
        texts.push_back({weighted[r].item<double>(), static_cast<double>(tokens), 1});
    const metrics::Score score = metrics::likelihoodBounds(texts, "test")->at(metrics::kNelbo);
    return {score.value, score.parts.at("standard_error")};
}

std::vector<double> evenUniforms() {
    std::vector<double> u;
    for (std::int64_t row = 0; row < kRows; ++row)
        u.push_back(lowDiscrepancyUniform(kTimes, static_cast<std::uint64_t>(row)));
    return u;
}

Estimate official(const Toy& toy) {
    const AbsorbingProcess process(logLinear("0.001"));
    std::vector<double> probabilities, weights;
    for (const double u : evenUniforms()) {
        const double t = kEpsilon + (1 - kEpsilon) * u;
        probabilities.push_back(process.at(t).maskProbability);
        weights.push_back(process.at(t).weight);
    }
    const at::Tensor mask = maskDraw(tensor::uniformRows({kRows, toy.length()}, {kMasks}, at::kCPU),
                                     at::tensor(probabilities, at::kDouble), toy.maskable(kRows));
    return estimated(toy.weighted(mask, at::tensor(weights, at::kDouble)), toy.tokens());
}

Estimate exact(const Toy& toy) {
    std::vector<std::int64_t> counts;
    std::vector<double> weights;
    for (const double u : evenUniforms()) {
        const ExactCount count = exactCount(u, toy.tokens());
        counts.push_back(count.masked);
        weights.push_back(count.weight);
    }
    const at::Tensor mask = exactCountMask(tensor::uniformRows({kRows, toy.length()}, {kMasks}, at::kCPU),
                                           at::tensor(counts, at::kLong), toy.maskable(kRows));
    return estimated(toy.weighted(mask, at::tensor(weights, at::kDouble)), toy.tokens());
}

TEST(MaskedBound, DrawnMasksAgreeWithinTheirStandardErrors) {
    const Toy toy(6, true);
    const double tokens = 5;
    const Estimate counted = exact(toy), drawn = official(toy);
    EXPECT_NEAR(counted.nats, toy.bound() / tokens, 4 * counted.standardError);
    // With weight 1 / t at mask probability m = (1 - eps) t: the integral of hazard(m) over m, m from (1 -
    // eps) eps to 1 - eps, divided by 1 - eps. Simpson's rule is exact.
    const double low = (1 - kEpsilon) * kEpsilon, high = 1 - kEpsilon;
    const double simpson =
        (toy.hazard(low) + 4 * toy.hazard((low + high) / 2) + toy.hazard(high)) / 6 * (high - low);
    EXPECT_NEAR(drawn.nats, simpson / (1 - kEpsilon) / tokens, 4 * drawn.standardError);
    EXPECT_GT(drawn.standardError, 2 * counted.standardError);
}

/// V - 1 equally likely tokens, at every mask.
at::Tensor uniformNll(const MaskedTokens& tokens) {
    const std::int64_t n = tokens.positions.size(0);
    return maskedNll(at::zeros({n, 4}, at::kDouble), at::ones({kVocabulary, 4}, at::kDouble), {},
                     at::zeros({n}, at::kLong), kMaskId);
}

TEST(MaskedBound, UniformModel) {
    const double logV = std::log(static_cast<double>(kVocabulary - 1));
    constexpr std::int64_t kLength = 64;
    const at::Tensor maskable = at::ones({kRows, kLength}, at::kBool),
                     numbers = tensor::uniformRows({kRows, kLength}, {kMasks}, at::kCPU);
    const AbsorbingProcess process(logLinear("0.001"));
    std::vector<double> probabilities, weights, exactWeights;
    std::vector<std::int64_t> counts;
    for (const double u : evenUniforms()) {
        const auto noising = process.at(kEpsilon + (1 - kEpsilon) * u);
        EXPECT_NEAR(noising.weight * noising.maskProbability, .999, 1e-14);  // the official expectation
        probabilities.push_back(noising.maskProbability);
        weights.push_back(noising.weight);
        counts.push_back(exactCount(u, kLength).masked);
        exactWeights.push_back(exactCount(u, kLength).weight);
    }
    const auto estimate = [&](const at::Tensor& mask, const std::vector<double>& w) {
        const auto tokens = maskedTokens(mask, maskable);
        return estimated(weightedNll(uniformNll(tokens), tokens.rows, at::tensor(w, at::kDouble)), kLength);
    };
    const auto counted =
        estimate(exactCountMask(numbers, at::tensor(counts, at::kLong), maskable), exactWeights);
    EXPECT_NEAR(counted.nats, logV, 1e-12);
    EXPECT_LT(counted.standardError, 1e-12);
    const auto drawn = estimate(maskDraw(numbers, at::tensor(probabilities, at::kDouble), maskable), weights);
    EXPECT_NEAR(drawn.nats, .999 * logV, 4 * drawn.standardError);
    EXPECT_LT(drawn.standardError, .05);
}

}  // namespace
}  // namespace kurve::diffusion
