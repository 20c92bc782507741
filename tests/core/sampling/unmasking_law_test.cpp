#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random_stream.h"
#include "core/sampling/semi_autoregressive.h"
#include "core/sampling/unmasking.h"
#include "tests/core/sampling/toy_law.h"

// The distribution of the sentences that each rule leads to, where the denoiser's conditionals are exact.
namespace kurve::sampling {
namespace {

using test::Rule;
using test::State;
using test::ToyLaw;
using test::Weights;

constexpr double kExact = 1e-12;

const ToyLaw& toy() {
    static const ToyLaw law = ToyLaw::dependent();
    return law;
}

int masks(const State& state) {
    return static_cast<int>(test::maskedPositions(state).size());
}

double divergence(const Weights& p, const Weights& q) {
    double total = 0;
    for (const auto& [state, mass] : p) total += mass * std::log(mass / q.at(state));
    return total;
}

// Each step is one factor of the chain rule, and the order may depend on the tokens that are already there.
TEST(UnmaskingLaw, OnePositionAStepIsExactInEveryOrder) {
    for (const auto order : {UnmaskingOrder::Confidence, UnmaskingOrder::Margin, UnmaskingOrder::Entropy}) {
        const Rule rule = [&](const State& state) { return mostCertain(toy().certainties(state), order, 1); };
        EXPECT_LT(test::totalVariation(test::lawOf(toy(), rule), toy().joint()), kExact);
        const double never = order == UnmaskingOrder::Entropy ? -1 : 2;
        const Rule alone = [&](const State& state) {
            return aboveThreshold(toy().certainties(state), order, never);
        };
        EXPECT_LT(test::totalVariation(test::lawOf(toy(), alone), toy().joint()), kExact);
    }
}

TEST(UnmaskingLaw, SeveralAtOnceIsNotExact) {
    const Rule all = [](const State& state) {
        return mostCertain(toy().certainties(state), UnmaskingOrder::Margin, evenBudget(masks(state), 0, 1));
    };
    EXPECT_GT(test::totalVariation(test::lawOf(toy(), all), toy().joint()), 0.1);
    const ToyLaw independent = ToyLaw::independent();
    EXPECT_LT(test::totalVariation(test::lawOf(independent, all), independent.joint()), kExact);
}

TEST(UnmaskingLaw, RandomOrderIsExact) {
    RandomStream order(21, "test.order"), tokens(21, "test.tokens");
    Weights counts;
    for (int i = 0; i < 60000; ++i) {
        State state = test::kAllMasked;
        while (masks(state) > 0) {
            const std::vector<int> open = test::maskedPositions(state);
            const int position = open[static_cast<std::size_t>(randomChoice(masks(state), 1, order).at(0))];
            state = test::with(state, position, toy().draw(state, position, tokens));
        }
        ++counts[state];
    }
    test::expectDraws(counts, toy().joint());
}

// A step that unmasks the set S adds sum H(x_l) - H(x_S) <= sum H - max H <= gamma to the divergence, and of
// three positions only one step can unmask several.
TEST(UnmaskingLaw, EntropyBoundBoundsTheDivergence) {
    double before = 0;
    for (const double gamma : {0.0, 0.3, 0.6, 0.9, 1.05, 1.3, 2.2}) {
        const Rule rule = [&](const State& state) { return entropyBounded(toy().certainties(state), gamma); };
        const double added = divergence(toy().joint(), test::lawOf(toy(), rule));
        EXPECT_LE(added, gamma + kExact) << gamma;
        EXPECT_GE(added, before - kExact) << gamma;
        before = added;
    }
    EXPECT_GT(before, 0.1);
}

TEST(UnmaskingLaw, BlocksFromTheLeftAreExact) {
    const std::vector<PositionBlock> blocks = positionBlocks(test::kLength, 2);
    const Rule rule = [&](const State& state) {
        const std::vector<int> open = test::maskedPositions(state);
        for (const PositionBlock& block : blocks) {
            std::vector<Certainty> inBlock;  // the masked positions of a block are the leftmost ones
            for (const int position : open)
                if (position < block.end) inBlock.push_back(toy().certainty(state, position));
            if (!inBlock.empty()) return mostCertain(inBlock, UnmaskingOrder::Confidence, 1);
        }
        return std::vector<int>{};
    };
    EXPECT_LT(test::totalVariation(test::lawOf(toy(), rule), toy().joint()), kExact);
}

}  // namespace
}  // namespace kurve::sampling
