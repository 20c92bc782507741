#include "core/diffusion/absorbing_process.h"

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <map>

#include "core/base/check.h"
#include "core/tensor/random.h"

namespace kurve::diffusion {
namespace {

const StreamId kMasks(5, "test.masks", 0);

std::shared_ptr<const schedule::NoiseSchedule> made(const std::string& id,
                                                    const std::map<std::string, std::string>& values = {}) {
    return std::move(*schedule::makeSchedule(id, values));
}

at::Tensor flags(const std::vector<int>& values, std::int64_t rows) {
    return at::tensor(values, at::kInt).to(at::kBool).view({rows, -1});
}

at::Tensor uniform(std::int64_t rows, std::int64_t length, std::uint64_t firstRow = 0) {
    return tensor::uniformRows({rows, length}, {kMasks, firstRow}, at::kCPU);
}

// MDLM's log-linear schedule with eps = 1e-3, written with ten digits.
TEST(AbsorbingProcess, LogLinearNumbers) {
    struct Row {
        double t, sigma, probability, weight;
    };
    const AbsorbingProcess process(made("log-linear"));
    for (const Row& row : {Row{.001, .0009994993, .000999, 1000}, Row{.1, .1052494107, .0999, 10},
                           Row{.25, .2873487947, .24975, 4}, Row{.5, .6921476802, .4995, 2},
                           Row{.9, 2.2936253516, .8991, 1.1111111111}, Row{1, 6.9077552790, .999, 1}}) {
        const auto noising = process.at(row.t);
        EXPECT_EQ(noising.time, row.t);
        EXPECT_NEAR(noising.sigma, row.sigma, 1e-10);
        EXPECT_NEAR(noising.maskProbability, row.probability, 1e-15);
        EXPECT_NEAR(noising.weight, row.weight, 1e-10 * row.weight);
        EXPECT_NEAR(noising.logSnr, std::log((1 - row.probability) / row.probability), 1e-12);
    }
    EXPECT_THROW((void)process.at(1.1), ContractError);
    EXPECT_THROW(AbsorbingProcess{made("sqrt")}, ContractError);
}

TEST(AbsorbingProcess, StepsRoundTheTime) {
    const AbsorbingProcess process(made("log-linear"), 4);
    EXPECT_EQ(process.at(0).time, .25);
    EXPECT_EQ(process.at(.3).time, .5);
    EXPECT_EQ(process.at(1).time, 1);
    EXPECT_EQ(process.at(.3).maskProbability, .4995);
    EXPECT_NEAR(process.at(.3).weight, 4 * (.4995 - .24975) / .4995, 1e-14);
    EXPECT_NEAR(process.at(.1).weight, 4, 1e-14);  // the last step reveals every token
}

// At every T: weight times mask probability averages to alpha(0) - alpha(1), the expected fraction of tokens.
TEST(AbsorbingProcess, StepsTelescope) {
    for (const char* id : {"log-linear", "free-mask"}) {
        const auto schedule = made(id);
        for (const int steps : {1, 3, 1000}) {
            const AbsorbingProcess process(schedule, steps);
            double sum = 0;
            for (int i = 0; i < steps; ++i) {
                const auto noising = process.at((i + .5) / steps);
                sum += noising.weight * noising.maskProbability / steps;
            }
            EXPECT_NEAR(sum, schedule->alpha(0) - schedule->alpha(1), 1e-12) << id << " " << steps;
        }
    }
}

TEST(AbsorbingProcess, ManyStepsApproachContinuousTime) {
    for (const char* id : {"log-linear", "free-mask"}) {
        const auto schedule = made(id);
        for (const double t : {.1, .37, .5, .8}) {
            double before = INFINITY;
            for (const std::int64_t steps : {100, 10'000, 1'000'000}) {
                const auto noising = AbsorbingProcess(schedule, steps).at(t);
                const double limit = AbsorbingProcess(schedule).at(noising.time).weight,
                             error = std::abs(noising.weight / limit - 1);
                EXPECT_LT(error, std::max(20. / static_cast<double>(steps), 1e-9)) << id << " " << t;
                EXPECT_LE(error, std::max(before / 50, 1e-9)) << id << " " << t;  // of first order in 1 / T
                before = error;
            }
        }
    }
}

TEST(MaskDraw, FrequenciesAndMaskable) {
    constexpr std::int64_t kLength = 40'000;
    const std::vector<double> probabilities{.02, .3, .9, 1};
    at::Tensor maskable = at::ones({4, kLength}, at::kBool);
    maskable.narrow(1, 0, 10).fill_(false);
    const at::Tensor mask = maskDraw(uniform(4, kLength), at::tensor(probabilities, at::kDouble), maskable);
    ASSERT_EQ(mask.scalar_type(), at::kBool);
    EXPECT_FALSE(mask.narrow(1, 0, 10).any().item<bool>());
    const double n = kLength - 10;
    for (std::size_t r = 0; r < 4; ++r) {
        const double p = probabilities[r], masked = mask[static_cast<std::int64_t>(r)].sum().item<double>();
        EXPECT_NEAR(masked / n, p, 4 * std::sqrt(p * (1 - p) / n)) << p;
    }
}

TEST(MaskDraw, SplitAndPaddingChangeNothing) {
    const at::Tensor p = at::full({6}, .4), maskable = at::ones({6, 20}, at::kBool);
    const at::Tensor counts = at::full({6}, 7, at::kLong);
    const at::Tensor mask = maskDraw(uniform(6, 20), p, maskable),
                     exact = exactCountMask(uniform(6, 20), counts, maskable);
    const at::Tensor upper = maskable.narrow(0, 4, 2);
    EXPECT_TRUE(at::equal(maskDraw(uniform(2, 20, 4), p.narrow(0, 4, 2), upper), mask.narrow(0, 4, 2)));
    EXPECT_TRUE(
        at::equal(exactCountMask(uniform(2, 20, 4), counts.narrow(0, 4, 2), upper), exact.narrow(0, 4, 2)));
    const at::Tensor padded = at::constant_pad_nd(maskable, {0, 5});
    EXPECT_TRUE(at::equal(maskDraw(uniform(6, 25), p, padded).narrow(1, 0, 20), mask));
    EXPECT_TRUE(at::equal(exactCountMask(uniform(6, 25), counts, padded).narrow(1, 0, 20), exact));
    EXPECT_THROW((void)maskDraw(uniform(6, 20), p, padded), ContractError);
    EXPECT_THROW((void)maskDraw(uniform(6, 20), p.narrow(0, 0, 5), maskable), ContractError);
}

TEST(ExactCount, EveryCountEquallyOften) {
    std::map<std::int64_t, int> times;
    for (int i = 0; i < 40; ++i) {
        const ExactCount count = exactCount((i + 0.3) / 40, 10);
        EXPECT_NEAR(count.weight * static_cast<double>(count.masked), 10, 1e-12);
        ++times[count.masked];
    }
    ASSERT_EQ(times.size(), 10u);
    EXPECT_EQ(times.begin()->first, 1);
    for (const auto& [masked, often] : times) EXPECT_EQ(often, 4) << masked;
    EXPECT_EQ(exactCount(0, 0).masked, 0);
    EXPECT_EQ(exactCount(0, 0).weight, 0);
    EXPECT_EQ(exactCount(1 - 0x1p-53, 3).masked, 3);
}

TEST(ExactCount, SmallestNumbersOfTheMaskableInOrderOfPositions) {
    const at::Tensor numbers =
        at::tensor({.1, .5, .2, .9, .3, .3, .3, .3, .9, .8, .7, .6}, at::kFloat).view({3, 4});
    const at::Tensor maskable = flags({0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0}, 3);
    const at::Tensor mask = exactCountMask(numbers, at::tensor({2, 3, 4}, at::kLong), maskable);
    EXPECT_TRUE(at::equal(mask, flags({0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 0}, 3))) << mask;
}

TEST(ExactCount, EverySubsetEquallyOften) {
    constexpr std::int64_t kRows = 24'000;
    const at::Tensor maskable = flags({0, 1, 1, 1, 1}, 1).expand({kRows, 5});
    const at::Tensor mask = exactCountMask(uniform(kRows, 5), at::full({kRows}, 2, at::kLong), maskable);
    EXPECT_TRUE(at::equal(mask.sum(1), at::full({kRows}, 2, at::kLong)));
    const at::Tensor subset = mask.to(at::kLong).mv(at::tensor({1, 2, 4, 8, 16}, at::kLong));
    const at::Tensor often = at::bincount(subset, {}, 32);
    const double p = 1. / 6, within = 4 * std::sqrt(p * (1 - p) / kRows);
    int subsets = 0;
    for (int s = 0; s < 32; ++s) {
        if (often[s].item<std::int64_t>() == 0) continue;
        ++subsets;
        EXPECT_NEAR(often[s].item<double>() / kRows, p, within) << s;
    }
    EXPECT_EQ(subsets, 6);
}

// The estimate of a run's memory runs the model on shapes alone.
TEST(MaskDraw, RunsOnMeta) {
    const auto o = at::TensorOptions(at::kMeta);
    const at::Tensor numbers = at::empty({3, 4}, o.dtype(at::kFloat)),
                     maskable = at::empty({3, 4}, o.dtype(at::kBool));
    EXPECT_EQ(maskDraw(numbers, at::empty({3}, o.dtype(at::kFloat)), maskable).sizes(), maskable.sizes());
    EXPECT_EQ(exactCountMask(numbers, at::empty({3}, o.dtype(at::kLong)), maskable).sizes(),
              maskable.sizes());
}

}  // namespace
}  // namespace kurve::diffusion
