#include "core/sampling/remasking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.h"
#include "core/sampling/unmasking.h"

namespace kurve::sampling {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr RemaskingSchedule kSchedules[] = {RemaskingSchedule::None, RemaskingSchedule::Cap,
                                            RemaskingSchedule::Rescale, RemaskingSchedule::Confidence,
                                            RemaskingSchedule::Loop};

Remasking with(RemaskingSchedule schedule, double eta) {
    return {.schedule = schedule, .eta = eta, .loop = {}};
}

TEST(RemaskingTransition, LargestRemaskProbability) {
    EXPECT_DOUBLE_EQ(maxRemaskProbability(0.5, 0.4), 0.8);
    EXPECT_EQ(maxRemaskProbability(0.9, 0.8), 1);
    EXPECT_EQ(maxRemaskProbability(1, 0.9), 1);
    EXPECT_EQ(maxRemaskProbability(0.5, 0), 0);
    EXPECT_EQ(maxRemaskProbability(0.5, -0.1), 0);
    EXPECT_EQ(maxRemaskProbability(0, 0), 0);
}

// alpha_t = .5, alpha_s = .6, sigma_max = .4 / .5 = .8; unmask = (.6 - (1 - sigma) .5) / .5 by hand.
TEST(RemaskingTransition, ClosedForms) {
    const MaskingStep step{.t = 0.5, .pt = 0.5, .ps = 0.4};
    const auto expect = [&](RemaskingSchedule schedule, double eta, double remask, double unmask) {
        const RemaskingTransition transition = remaskingTransition(with(schedule, eta), step);
        EXPECT_NEAR(transition.remask, remask, 1e-15);
        EXPECT_NEAR(transition.unmask, unmask, 1e-15);
    };
    expect(RemaskingSchedule::None, 0.3, 0, 0.2);
    expect(RemaskingSchedule::Cap, 0.1, 0.1, 0.3);
    expect(RemaskingSchedule::Cap, 0.9, 0.8, 1);
    expect(RemaskingSchedule::Rescale, 0.25, 0.2, 0.4);
    expect(RemaskingSchedule::Confidence, 0.25, 0.2, 0.2);
    expect(RemaskingSchedule::Loop, 0.1, 0.1, 0.3);
}

TEST(RemaskingTransition, RemasksInTheLoopOnly) {
    const Remasking loop = with(RemaskingSchedule::Loop, 0.02);
    const auto remask = [&](double t) {
        return remaskingTransition(loop, {.t = t, .pt = 0.1, .ps = 0.1}).remask;
    };
    EXPECT_EQ(remask(0.56), 0);
    EXPECT_EQ(remask(0.55), 0.02);
    EXPECT_EQ(remask(0.06), 0.02);
    EXPECT_EQ(remask(0.05), 0);
    // sigma alpha / (1 - alpha): what is masked again is unmasked elsewhere.
    EXPECT_NEAR(remaskingTransition(loop, {.t = 0.3, .pt = 0.1, .ps = 0.1}).unmask, 0.02 * 0.9 / 0.1, 1e-15);
}

TEST(RemaskingTransition, EtaZeroIsAncestral) {
    for (const auto schedule : kSchedules)
        for (double pt = 1; pt > 0; pt -= 0.03)
            for (double ps = pt; ps > -0.03; ps -= 0.03) {
                const auto transition = remaskingTransition(with(schedule, 0), {.t = pt, .pt = pt, .ps = ps});
                EXPECT_EQ(transition.remask, 0);
                EXPECT_EQ(transition.unmask, unmaskProbability(pt, ps));  // bit for bit: the same draws
            }
}

TEST(RemaskingTransition, LastStepOnlyFills) {
    for (const auto schedule : kSchedules)
        for (const double pt : {1.0, 0.7, 0.3, 1e-5, 0.0})
            for (const double ps : {0.0, -0.1}) {
                const auto transition =
                    remaskingTransition(with(schedule, 1), {.t = 0.3, .pt = pt, .ps = ps});
                EXPECT_EQ(transition.unmask, 1);
                EXPECT_EQ(transition.remask, 0);
            }
}

// P(masked at s) = P(masked at t) (1 - unmask) + P(unmasked at t) remask, for every eta: what makes the
// samplers usable with a network trained on the noise schedule.
TEST(RemaskingTransition, KeepsTheMaskProbabilities) {
    for (const auto schedule : {RemaskingSchedule::None, RemaskingSchedule::Cap, RemaskingSchedule::Rescale,
                                RemaskingSchedule::Loop})
        for (const double eta : {0.0, 0.05, 0.4, 1.0})
            for (double pt = 1; pt > 0; pt -= 0.03)
                for (double ps = pt; ps >= 0; ps -= 0.03) {
                    const auto [unmask, remask] =
                        remaskingTransition(with(schedule, eta), {.t = 0.3, .pt = pt, .ps = ps});
                    EXPECT_NEAR(pt * (1 - unmask) + (1 - pt) * remask, ps, 1e-14);
                    EXPECT_TRUE(unmask >= 0 && unmask <= 1 && remask >= 0 && remask <= 1);
                }
}

TEST(RemaskingTransition, RefusesWhatIsNoStep) {
    const Remasking cap = with(RemaskingSchedule::Cap, 0.1);
    EXPECT_THROW((void)remaskingTransition(cap, {.t = 1, .pt = 0.4, .ps = 0.5}), ContractError);
    EXPECT_THROW((void)remaskingTransition(cap, {.t = 1, .pt = 1.1, .ps = 0.5}), ContractError);
    EXPECT_THROW((void)remaskingTransition(with(RemaskingSchedule::Cap, 1.5), {}), ContractError);
}

TEST(LoopMaskProbability, ThreePhases) {
    const LoopPhases phases;
    EXPECT_EQ(loopMaskProbability(phases, 1), 1);
    EXPECT_NEAR(loopMaskProbability(phases, 0.775), 0.55, 1e-15);  // half of the way to .1
    EXPECT_NEAR(loopMaskProbability(phases, 0.55), 0.1, 1e-15);
    EXPECT_NEAR(loopMaskProbability(phases, 0.3), 0.1, 1e-15);
    EXPECT_NEAR(loopMaskProbability(phases, 0.05), 0.1, 1e-15);
    EXPECT_NEAR(loopMaskProbability(phases, 0.025), 0.05, 1e-15);
    EXPECT_EQ(loopMaskProbability(phases, 0), 0);
    EXPECT_EQ(loopMaskProbability(phases, -0.1), 0);
    for (double t = -0.1; t < 1.1; t += 1e-3)
        EXPECT_LE(loopMaskProbability(phases, t), loopMaskProbability(phases, t + 1e-3)) << t;
    EXPECT_EQ(loopMaskProbability(phases, 1.1), 1);
}

TEST(LoopMaskProbability, EmptyPhases) {
    EXPECT_EQ(loopMaskProbability({.on = 1, .off = 0, .alpha = 0.25}, 1), 0.75);
    EXPECT_EQ(loopMaskProbability({.on = 1, .off = 0, .alpha = 0.25}, 0), 0);
    EXPECT_EQ(loopMaskProbability({.on = 1, .off = 1, .alpha = 0.5}, 1), 0.5);
    EXPECT_EQ(loopMaskProbability({.on = 0, .off = 0, .alpha = 1}, 0.25), 0.25);
    EXPECT_THROW((void)loopMaskProbability({.on = 0.1, .off = 0.2, .alpha = 0.5}, 1), ContractError);
    EXPECT_THROW((void)loopMaskProbability({.on = 0.2, .off = 0.1, .alpha = 1.5}, 1), ContractError);
}

TEST(ConfidenceRemasking, SoftmaxOfMinusConfidence) {
    const double e = std::exp(-0.5), sum = 1 + e + std::exp(-1);
    EXPECT_THAT(confidenceRemasking(0.3, std::vector<float>{0.5F, 0, 1}),
                ElementsAre(DoubleNear(0.3 * e / sum, 1e-15), DoubleNear(0.3 / sum, 1e-15),
                            DoubleNear(0.3 * std::exp(-1) / sum, 1e-15)));
    EXPECT_THAT(confidenceRemasking(0.3, std::vector<float>{0.9F}), ElementsAre(DoubleNear(0.3, 1e-15)));
    EXPECT_THAT(confidenceRemasking(0.3, {}), IsEmpty());
    const std::vector<double> nan =
        confidenceRemasking(1, std::vector<float>{std::numeric_limits<float>::quiet_NaN(), 0});
    EXPECT_THAT(nan, ElementsAre(0.5, 0.5));
}

}  // namespace
}  // namespace kurve::sampling
