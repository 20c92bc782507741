#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/random_stream.h"
#include "core/sampling/remasking.h"
#include "core/sampling/unmasking.h"
#include "tests/core/sampling/toy_law.h"

// Whole denoising chains over the 64 partly masked states of a toy, computed exactly and drawn.
namespace kurve::sampling {
namespace {

using test::kLength;
using test::kMask;
using test::State;
using test::ToyLaw;
using test::Weights;

constexpr double kExact = 1e-12;

const ToyLaw& toy() {
    static const ToyLaw law = ToyLaw::dependent();
    return law;
}

Remasking with(RemaskingSchedule schedule, double eta) {
    return {.schedule = schedule, .eta = eta, .loop = {}};
}

/// The steps of the linear schedule, or of the loop's, from t = 1 to 0.
std::vector<MaskingStep> grid(const Remasking& remasking, int steps) {
    const auto p = [&](double t) {
        return remasking.schedule == RemaskingSchedule::Loop ? loopMaskProbability(remasking.loop, t) : t;
    };
    std::vector<MaskingStep> result;
    for (int i = steps; i > 0; --i) {
        const double t = static_cast<double>(i) / steps, s = static_cast<double>(i - 1) / steps;
        result.push_back({.t = t, .pt = p(t), .ps = p(s)});
    }
    return result;
}

/// For each position the probability that a step changes it: unmasks or masks it.
std::array<double, kLength> changes(const ToyLaw& law, const Remasking& remasking, const MaskingStep& step,
                                    const State& state) {
    const auto [unmask, remask] = remaskingTransition(remasking, step);
    std::array<double, kLength> result{};
    std::vector<float> confidences;  // of a law of independent positions: a token's own probability
    for (int i = 0; i < kLength; ++i)
        if (const int token = test::at(state, i); token != kMask)
            confidences.push_back(
                static_cast<float>(law.conditional(test::kAllMasked, i)[static_cast<std::size_t>(token)]));
    const std::vector<double> shared = confidenceRemasking(remask, confidences);
    std::size_t unmasked = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const bool masked = state[i] == kMask;
        const bool byConfidence = remasking.schedule == RemaskingSchedule::Confidence;
        result[i] = masked ? unmask : byConfidence ? shared[unmasked] : remask;
        if (!masked) ++unmasked;
    }
    return result;
}

/// One step of the chain on a distribution of states, without the paths that unmask more than `atOnce`.
Weights advanced(const ToyLaw& law, const Remasking& remasking, const MaskingStep& step, const Weights& from,
                 int atOnce) {
    Weights to;
    for (const auto& [state, weight] : from) {
        const auto change = changes(law, remasking, step, state);
        for (unsigned set = 0; set < 1U << kLength; ++set) {
            double probability = weight;
            State next = state;
            std::vector<int> unmasked;
            for (int i = 0; i < kLength; ++i) {
                const bool changed = (set >> i & 1U) != 0;
                const double p = change[static_cast<std::size_t>(i)];
                probability *= changed ? p : 1 - p;
                if (changed && test::at(state, i) == kMask) unmasked.push_back(i);
                if (changed && test::at(state, i) != kMask) next = test::with(next, i, kMask);
            }
            if (probability == 0 || static_cast<int>(unmasked.size()) > atOnce) continue;
            Weights opened;  // the network sees the state before the step
            test::unmask(law, state, unmasked, probability, opened);
            for (const auto& [complete, mass] : opened) {
                State result = complete;
                for (std::size_t i = 0; i < result.size(); ++i)
                    if (state[i] != kMask) result[i] = next[i];
                to[result] += mass;
            }
        }
    }
    return to;
}

Weights chain(const ToyLaw& law, const Remasking& remasking, int steps, int atOnce = kLength) {
    Weights weights{{test::kAllMasked, 1.0}};
    for (const MaskingStep& step : grid(remasking, steps))
        weights = advanced(law, remasking, step, weights, atOnce);
    return weights;
}

double error(const Remasking& remasking, int steps) {
    return test::totalVariation(chain(toy(), remasking, steps), toy().joint());
}

/// One drawn chain; `most` receives the largest number of positions that one step unmasked.
State drawn(const Remasking& remasking, int steps, RandomStream& coins, RandomStream& tokens, int& most) {
    State state = test::kAllMasked;
    most = 0;
    for (const MaskingStep& step : grid(remasking, steps)) {
        const State before = state;
        const auto [unmask, remask] = remaskingTransition(remasking, step);
        int unmasked = 0;
        for (int i = 0; i < kLength; ++i) {
            const bool masked = test::at(before, i) == kMask;
            if (coins.uniform() >= (masked ? unmask : remask)) continue;
            state = test::with(state, i, masked ? toy().draw(before, i, tokens) : kMask);
            unmasked += masked ? 1 : 0;
        }
        most = std::max(most, unmasked);
    }
    return state;
}

// Cap, Rescale and Loop choose positions without looking at tokens. Then, as long as no step unmasks two at
// once, the visible tokens of every state have exactly their joint distribution: unmasking appends one exact
// conditional, masking forgets coordinates. So the paths of that kind give the joint law, whatever eta.
TEST(RemaskingLaw, ExactWithoutSimultaneousUnmasking) {
    for (const auto& remasking : {with(RemaskingSchedule::None, 0), with(RemaskingSchedule::Cap, 0.1),
                                  with(RemaskingSchedule::Cap, 0.4), with(RemaskingSchedule::Rescale, 0.3),
                                  with(RemaskingSchedule::Loop, 0.05)})
        for (const int steps : {3, 8, 21}) {
            Weights weights = chain(toy(), remasking, steps, 1);
            const double kept = test::sum(weights);
            ASSERT_GT(kept, 1e-3);
            for (auto& [state, weight] : weights) weight /= kept;
            EXPECT_LT(test::totalVariation(weights, toy().joint()), kExact) << steps;
        }
}

TEST(RemaskingLaw, AllIsUnmaskedAtTheEnd) {
    for (const auto schedule : {RemaskingSchedule::Cap, RemaskingSchedule::Rescale,
                                RemaskingSchedule::Confidence, RemaskingSchedule::Loop})
        for (const auto& [state, weight] : chain(toy(), with(schedule, 0.7), 6))
            EXPECT_TRUE(test::maskedPositions(state).empty());
}

// After every step the positions are masked independently with probability ps, as in training.
TEST(RemaskingLaw, MaskPatternsFollowTheNoiseSchedule) {
    for (const auto& remasking : {with(RemaskingSchedule::Cap, 0.2), with(RemaskingSchedule::Rescale, 0.5),
                                  with(RemaskingSchedule::Loop, 0.1)}) {
        Weights weights{{test::kAllMasked, 1.0}};
        for (const MaskingStep& step : grid(remasking, 7)) {
            weights = advanced(toy(), remasking, step, weights, kLength);
            std::array<double, kLength + 1> counts{};
            for (const auto& [state, weight] : weights) counts[test::maskedPositions(state).size()] += weight;
            const double p = step.ps, q = 1 - p;
            const std::array<double, kLength + 1> binomial{q * q * q, 3 * q * q * p, 3 * q * p * p,
                                                           p * p * p};
            for (std::size_t n = 0; n < counts.size(); ++n) EXPECT_NEAR(counts[n], binomial[n], kExact);
        }
    }
}

// Two positions in one step have probability O(1/n^2), in n steps O(1/n), if remasking vanishes as 1/n too.
TEST(RemaskingLaw, ErrorFallsWithTheNumberOfSteps) {
    for (const double rate : {0.0, 1.0, 4.0}) {
        const auto at = [&](int steps) { return error(with(RemaskingSchedule::Cap, rate / steps), steps); };
        EXPECT_NEAR(at(128) / at(256), 2, 0.1) << rate;
        EXPECT_LT(at(256), 0.01) << rate;
    }
    EXPECT_GT(error({}, 2), 0.05);
}

RemaskingSchedule named(const std::string& name) {
    return name == "cap"       ? RemaskingSchedule::Cap
           : name == "rescale" ? RemaskingSchedule::Rescale
           : name == "loop"    ? RemaskingSchedule::Loop
                               : RemaskingSchedule::None;
}

// Made by make_remasking_chain.py, which knows nothing of this code.
TEST(RemaskingLaw, ErrorsAreThoseOfTheOracle) {
    std::ifstream file(KURVE_SOURCE_DIR "/tests/core/sampling/remasking_chain.json");
    const auto rows = nlohmann::json::parse(file);
    EXPECT_EQ(rows.size(), 27U);
    for (const auto& row : rows)
        EXPECT_NEAR(error(with(named(row.at("schedule")), row.at("eta")), row.at("steps")), row.at("error"),
                    kExact)
            << row;
}

TEST(RemaskingLaw, IndependentPositionsAreExactUnderAnyEta) {
    const ToyLaw law = ToyLaw::independent();
    for (const auto schedule : {RemaskingSchedule::Cap, RemaskingSchedule::Rescale, RemaskingSchedule::Loop})
        for (const double eta : {0.2, 1.0})
            EXPECT_LT(test::totalVariation(chain(law, with(schedule, eta), 9), law.joint()), kExact);
}

// Confidence looks at the tokens: improbable ones are masked again more often, even with exact conditionals.
TEST(RemaskingLaw, ConfidenceFavoursProbableTokens) {
    const ToyLaw law = ToyLaw::independent();
    const State mostProbable{2, 0, 2};
    const double expected = law.joint().at(mostProbable);
    EXPECT_NEAR(expected, 0.5 * 0.7 * 0.4, kExact);
    EXPECT_GT(chain(law, with(RemaskingSchedule::Confidence, 1), 9).at(mostProbable), 1.01 * expected);
    EXPECT_NEAR(chain(law, with(RemaskingSchedule::Confidence, 0), 9).at(mostProbable), expected, kExact);
}

TEST(RemaskingLaw, DrawsFollowTheChain) {
    for (const auto& remasking : {with(RemaskingSchedule::None, 0), with(RemaskingSchedule::Cap, 0.15)}) {
        RandomStream coins(31, "test.coins"), tokens(31, "test.tokens");
        Weights counts, countsOneAtATime;
        for (int i = 0; i < 60000; ++i) {
            int most = 0;
            const State state = drawn(remasking, 12, coins, tokens, most);
            ++counts[state];
            if (most == 1) ++countsOneAtATime[state];
        }
        test::expectDraws(counts, chain(toy(), remasking, 12));
        EXPECT_GT(test::sum(countsOneAtATime), 20000);
        test::expectDraws(countsOneAtATime, toy().joint());
    }
}

TEST(RemaskingLaw, EtaZeroDrawsWhatAncestralSamplingDraws) {
    for (const auto schedule :
         {RemaskingSchedule::Cap, RemaskingSchedule::Rescale, RemaskingSchedule::Confidence}) {
        RandomStream coins(32, "test.coins"), tokens(32, "test.tokens");
        RandomStream otherCoins = coins, otherTokens = tokens;
        for (int i = 0; i < 2000; ++i) {
            int most = 0, otherMost = 0;
            EXPECT_EQ(drawn(with(schedule, 0), 5, coins, tokens, most),
                      drawn({}, 5, otherCoins, otherTokens, otherMost));
        }
        EXPECT_EQ(coins.position(), otherCoins.position());
        EXPECT_EQ(tokens.position(), otherTokens.position());
    }
}

}  // namespace
}  // namespace kurve::sampling
