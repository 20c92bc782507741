#include "core/sampling/unmasking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>

#include "core/base/check.h"
#include "core/base/random_stream.h"

namespace kurve::sampling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<Certainty> withEntropies(const std::vector<float>& entropies) {
    std::vector<Certainty> result;
    for (const float entropy : entropies) result.push_back({.entropy = entropy});
    return result;
}

const std::vector<Certainty> kFour{{.5F, .1F, .9F}, {.4F, .3F, .7F}, {.5F, .3F, 1.1F}, {.2F, .2F, .7F}};

TEST(MostCertain, EachOrderReadsItsOwnValue) {
    EXPECT_THAT(mostCertain(kFour, UnmaskingOrder::Confidence, 3), ElementsAre(0, 1, 2));
    EXPECT_THAT(mostCertain(kFour, UnmaskingOrder::Margin, 3), ElementsAre(1, 2, 3));
    EXPECT_THAT(mostCertain(kFour, UnmaskingOrder::Entropy, 3), ElementsAre(0, 1, 3));
    EXPECT_THROW((void)mostCertain(kFour, UnmaskingOrder::Random, 1), ContractError);
}

TEST(MostCertain, TiesGoToTheLowestIndex) {
    EXPECT_THAT(mostCertain(kFour, UnmaskingOrder::Confidence, 1), ElementsAre(0));
    EXPECT_THAT(mostCertain(kFour, UnmaskingOrder::Margin, 1), ElementsAre(1));
    EXPECT_THAT(mostCertain(kFour, UnmaskingOrder::Entropy, 1), ElementsAre(1));
}

TEST(MostCertain, CountIsClamped) {
    EXPECT_THAT(mostCertain(kFour, UnmaskingOrder::Margin, 9), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(mostCertain(kFour, UnmaskingOrder::Margin, -1), IsEmpty());
    EXPECT_THAT(mostCertain({}, UnmaskingOrder::Margin, 1), IsEmpty());
}

TEST(MostCertain, NanIsLeastCertainAndStillTaken) {
    const std::vector<Certainty> certainties{{kNan, kNan, kNan}, {.1F, 0, 9}, {0, -1, kInfinity}};
    for (const auto order : {UnmaskingOrder::Confidence, UnmaskingOrder::Margin, UnmaskingOrder::Entropy}) {
        EXPECT_THAT(mostCertain(certainties, order, 1), ElementsAre(1));
        EXPECT_THAT(mostCertain(certainties, order, 3), ElementsAre(0, 1, 2));
        EXPECT_THAT(mostCertain({certainties.data(), 1}, order, 1), ElementsAre(0));
    }
    EXPECT_THAT(mostCertain(certainties, UnmaskingOrder::Confidence, 2), ElementsAre(1, 2));
}

TEST(RandomChoice, EverySubsetIsEquallyProbable) {
    RandomStream stream(11, "test.choice");
    std::map<std::vector<int>, int> counts;
    constexpr int kDraws = 40000;
    for (int i = 0; i < kDraws; ++i) ++counts[randomChoice(5, 2, stream)];
    ASSERT_EQ(counts.size(), 10U);
    for (const auto& [subset, count] : counts) {
        EXPECT_LT(subset[0], subset[1]);
        EXPECT_NEAR(count, kDraws * 0.1, 4 * std::sqrt(kDraws * 0.1 * 0.9));
    }
}

TEST(RandomChoice, CountIsClamped) {
    RandomStream stream(12, "test.choice");
    EXPECT_THAT(randomChoice(3, 5, stream), ElementsAre(0, 1, 2));
    EXPECT_THAT(randomChoice(3, -1, stream), IsEmpty());
    EXPECT_THAT(randomChoice(0, 2, stream), IsEmpty());
}

TEST(AboveThreshold, PassesOrTakesTheMostCertain) {
    EXPECT_THAT(aboveThreshold(kFour, UnmaskingOrder::Confidence, 0.4), ElementsAre(0, 1, 2));
    EXPECT_THAT(aboveThreshold(kFour, UnmaskingOrder::Margin, 0.3), ElementsAre(1, 2));
    EXPECT_THAT(aboveThreshold(kFour, UnmaskingOrder::Entropy, 0.9), ElementsAre(0, 1, 3));
    EXPECT_THAT(aboveThreshold(kFour, UnmaskingOrder::Confidence, 0.6), ElementsAre(0));
    EXPECT_THAT(aboveThreshold(kFour, UnmaskingOrder::Entropy, 0.6), ElementsAre(1));
    EXPECT_THAT(aboveThreshold({}, UnmaskingOrder::Entropy, 0.6), IsEmpty());
}

TEST(AboveThreshold, NanPassesNone) {
    const std::vector<Certainty> certainties{{kNan, kNan, kNan}, {.3F, .3F, .3F}};
    EXPECT_THAT(aboveThreshold(certainties, UnmaskingOrder::Confidence, 0), ElementsAre(1));
    EXPECT_THAT(aboveThreshold(certainties, UnmaskingOrder::Entropy, 9), ElementsAre(1));
    EXPECT_THAT(aboveThreshold({certainties.data(), 1}, UnmaskingOrder::Margin, 0), ElementsAre(0));
}

// In float32 0.9 is below, 0.7 above its float64 value; both must count as equal.
TEST(AboveThreshold, AnEqualFloatPasses) {
    const std::vector<Certainty> certainties{{.9F, .9F, .9F}, {.7F, .7F, .7F}};
    EXPECT_THAT(aboveThreshold(certainties, UnmaskingOrder::Confidence, 0.9), ElementsAre(0));
    EXPECT_THAT(aboveThreshold(certainties, UnmaskingOrder::Entropy, 0.7), ElementsAre(1));
    EXPECT_THAT(aboveThreshold(certainties, UnmaskingOrder::Margin, 0.7), ElementsAre(0, 1));
}

TEST(EntropyBounded, TheLargestEntropyIsFree) {
    const auto certainties = withEntropies({2, .5F, 1, .25F});
    EXPECT_THAT(entropyBounded(certainties, 0), ElementsAre(3));
    EXPECT_THAT(entropyBounded(certainties, 0.25), ElementsAre(1, 3));
    EXPECT_THAT(entropyBounded(certainties, 0.75), ElementsAre(1, 2, 3));
    EXPECT_THAT(entropyBounded(certainties, 1.75), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(entropyBounded(certainties, 1.74), ElementsAre(1, 2, 3));
    EXPECT_THAT(entropyBounded(certainties, -1), ElementsAre(3));
    EXPECT_THAT(entropyBounded({}, 1), IsEmpty());
}

TEST(EntropyBounded, CertainPositionsAllOpenAndTiesGoToTheLowestIndex) {
    EXPECT_THAT(entropyBounded(withEntropies({0, 1, 0, 1}), 0), ElementsAre(0, 1, 2));
    EXPECT_THAT(entropyBounded(withEntropies({1, 1, 1}), 1), ElementsAre(0, 1));
}

// Like a huge entropy: the last one taken, where all others fit.
TEST(EntropyBounded, NanIsLeastCertain) {
    EXPECT_THAT(entropyBounded(withEntropies({kNan, 1, kNan}), 0.5), ElementsAre(1));
    EXPECT_THAT(entropyBounded(withEntropies({kNan, 1, kNan}), 1), ElementsAre(0, 1));
    EXPECT_THAT(entropyBounded(withEntropies({kNan, 1, 1}), 1.5), ElementsAre(1, 2));
    EXPECT_THAT(entropyBounded(withEntropies({kNan}), 1), ElementsAre(0));
}

// Of all subsets that keep the bound: none is larger, and the one found keeps it.
TEST(EntropyBounded, BruteForceOverSubsets) {
    RandomStream stream(13, "test.entropies");
    for (int trial = 0; trial < 300; ++trial) {
        std::vector<float> entropies(1 + stream.below(8));
        for (float& entropy : entropies)
            entropy = static_cast<float>(stream.below(32)) / 16;  // exact sums, ties
        const double gamma = static_cast<double>(stream.below(64)) / 16;
        std::size_t largest = 1;
        const auto spare = [&](unsigned set) {
            double sum = 0, most = 0;
            for (std::size_t i = 0; i < entropies.size(); ++i)
                if ((set >> i & 1U) != 0) {
                    sum += entropies[i];
                    most = std::max<double>(most, entropies[i]);
                }
            return gamma - (sum - most);
        };
        for (unsigned set = 1; set < 1U << entropies.size(); ++set)
            if (spare(set) >= 0)
                largest = std::max<std::size_t>(largest, static_cast<unsigned>(std::popcount(set)));
        unsigned found = 0;
        const std::vector<int> chosen = entropyBounded(withEntropies(entropies), gamma);
        for (const int i : chosen) found |= 1U << i;
        EXPECT_EQ(chosen.size(), largest);
        EXPECT_GE(spare(found), 0);
        for (const int in : chosen)
            for (std::size_t out = 0; out < entropies.size(); ++out)
                if ((found >> out & 1U) == 0) {
                    EXPECT_LE(entropies[static_cast<std::size_t>(in)], entropies[out]);
                }
    }
}

TEST(EvenBudget, AllAreOpenAfterTheLastStep) {
    for (int masked = 0; masked <= 64; ++masked)
        for (int steps = 1; steps <= 64; ++steps) {
            int left = masked;
            for (int step = 0; step < steps; ++step) {
                const int count = evenBudget(left, step, steps);
                // The counts of LLaDA's code: floor(L / T), and one more in the first L mod T steps.
                EXPECT_EQ(count, masked / steps + (step < masked % steps ? 1 : 0)) << masked << ' ' << steps;
                EXPECT_EQ(count == 0, left == 0);
                left -= count;
            }
            EXPECT_EQ(left, 0) << masked << ' ' << steps;
        }
    EXPECT_THROW((void)evenBudget(1, 4, 4), ContractError);
    EXPECT_THROW((void)evenBudget(-1, 0, 4), ContractError);
}

TEST(EvenBudget, PositionsMaskedAgainAreSharedByTheStepsLeft) {
    EXPECT_EQ(evenBudget(10, 6, 8), 5);
    EXPECT_EQ(evenBudget(10, 7, 8), 10);
    EXPECT_EQ(evenBudget(1, 0, 8), 1);
}

TEST(UnmaskProbability, ClosedForm) {
    EXPECT_DOUBLE_EQ(unmaskProbability(0.5, 0.375), 0.25);
    EXPECT_EQ(unmaskProbability(0.5, 0), 1);
    EXPECT_EQ(unmaskProbability(0.5, -0.125), 1);
    EXPECT_EQ(unmaskProbability(0.5, 0.5), 0);
    EXPECT_EQ(unmaskProbability(0.5, 0.6), 0);
    EXPECT_EQ(unmaskProbability(0, -0.1), 1);
    // Of the log-linear schedule with mask probability (1 - eps) t, which cancels: 1 - s / t.
    EXPECT_NEAR(unmaskProbability(0.999 * 0.5, 0.999 * 0.375), 0.25, 1e-15);
}

}  // namespace
}  // namespace kurve::sampling
