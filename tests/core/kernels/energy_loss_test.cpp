#include "core/kernels/energy_loss/energy_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random_stream.h"

namespace kurve::kernels {
namespace {

struct EnergySize {
    std::int64_t positions, samples, targets, width;
};

std::vector<float> normals(std::int64_t count, const char* purpose) {
    RandomStream random(4, purpose);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values) value = static_cast<float>(random.normal());
    return values;
}

/// Random samples and targets; the first two samples of each position are equal, and so are the third and a
/// target.
struct EnergyCase {
    std::vector<float> x, y, mean, deviation;
    EnergyTask<float> task;

    EnergyCase(const EnergySize& size, double alpha, bool drawn)
        : x(normals(size.positions * size.samples * size.width, "test.x")),
          y(normals(size.positions * size.targets * size.width, "test.y")),
          mean(normals(size.positions * size.width, "test.mean")),
          deviation(mean.size(), 0.3f) {
        const auto width = static_cast<std::size_t>(size.width);
        for (std::size_t p = 0; p < static_cast<std::size_t>(size.positions); ++p) {
            const std::size_t first = p * static_cast<std::size_t>(size.samples) * width;
            std::copy_n(&x[first], width, &x[first + width]);
            if (size.samples > 2)
                std::copy_n(&y[p * static_cast<std::size_t>(size.targets) * width], width,
                            &x[first + 2 * width]);
        }
        task.positions = size.positions;
        task.samples = size.samples;
        task.targets = size.targets;
        task.width = size.width;
        task.alpha = alpha;
        task.x = x.data();
        if (!drawn) task.y = y.data();
        task.mean = mean.data();
        task.deviation = deviation.data();
        const StreamId id(7, "test.energy", 3);
        task.noise = {id.key, id.step, 11, 0, 0};
    }
    EnergyCase(const EnergyCase&) = delete;  // the task points into the vectors
    EnergyCase& operator=(const EnergyCase&) = delete;
};

struct EnergyValues {
    std::vector<float> fidelity, diversity, gradient;
    bool operator==(const EnergyValues&) const = default;
};

template <class Path>
EnergyValues computed(const EnergyTask<float>& task, const Path& path, bool wantsGradient = true) {
    constexpr float kPoison = -777.25f;
    const auto positions = static_cast<std::size_t>(task.positions);
    EnergyValues out{
        std::vector<float>(positions + 1, kPoison), std::vector<float>(positions + 1, kPoison),
        std::vector<float>(positions * static_cast<std::size_t>(task.samples * task.width) + 1, kPoison)};
    path(task, EnergyResult<float>{out.fidelity.data(), out.diversity.data(),
                                   wantsGradient ? out.gradient.data() : nullptr});
    for (auto* values : {&out.fidelity, &out.diversity, &out.gradient}) {
        EXPECT_EQ(values->back(), kPoison) << "wrote behind the end";
        values->pop_back();
    }
    if (!wantsGradient)
        for (const float value : out.gradient) EXPECT_EQ(value, kPoison);
    return out;
}

const auto kReference = [](const EnergyTask<float>& task, const EnergyResult<float>& result) {
    reference::energyLoss(task, result);
};
const auto kCpu = [](const EnergyTask<float>& task, const EnergyResult<float>& result) {
    cpu::energyLoss(task, 0, task.positions, result);
};

float largest(const std::vector<float>& values) {
    float most = 0;
    for (const float value : values) most = std::max(most, std::abs(value));
    return most;
}

/// To 1e-6 of the value, a gradient to 1e-6 of the largest.
void expectAgree(const EnergyValues& got, const EnergyValues& expected) {
    for (std::size_t p = 0; p < got.fidelity.size(); ++p) {
        EXPECT_NEAR(got.fidelity[p], expected.fidelity[p], 1e-6f * expected.fidelity[p]);
        EXPECT_NEAR(got.diversity[p], expected.diversity[p], 1e-6f * expected.diversity[p]);
    }
    const float most = largest(expected.gradient);
    for (std::size_t i = 0; i < got.gradient.size(); ++i)
        ASSERT_NEAR(got.gradient[i], expected.gradient[i], 1e-6f * most) << i;
}

class EnergyLossAlphas : public testing::TestWithParam<double> {};

TEST_P(EnergyLossAlphas, VectorisedPathAgreesWithTheReference) {
    for (const EnergySize& size : {EnergySize{3, 8, 100, 128}, EnergySize{3, 8, 100, 64},
                                   EnergySize{4, 2, 1, 1}, EnergySize{2, 3, 33, 31}, EnergySize{2, 5, 32, 33},
                                   EnergySize{2, 37, 7, 17}, EnergySize{1, 4, 2, 1023}})
        for (const bool drawn : {false, true}) {
            SCOPED_TRACE(testing::Message() << size.samples << " x " << size.targets << " x " << size.width
                                            << (drawn ? ", drawn" : ", given"));
            const EnergyCase one(size, GetParam(), drawn);
            expectAgree(computed(one.task, kCpu), computed(one.task, kReference));
        }
}

TEST_P(EnergyLossAlphas, EqualSamplesHaveNoDiversityAndFiniteGradients) {
    EnergyCase one({2, 8, 40, 33}, GetParam(), true);
    std::fill(one.x.begin(), one.x.end(), 0.0f);
    const EnergyValues got = computed(one.task, kCpu), expected = computed(one.task, kReference);
    expectAgree(got, expected);
    EXPECT_EQ(got.diversity, std::vector<float>(2, 0.0f));
    EXPECT_GT(largest(got.gradient), 0);
    // Targets that equal them too: nothing is left.
    std::fill(one.mean.begin(), one.mean.end(), 0.0f);
    std::fill(one.deviation.begin(), one.deviation.end(), 0.0f);
    for (const EnergyValues& none : {computed(one.task, kCpu), computed(one.task, kReference)}) {
        EXPECT_EQ(largest(none.fidelity), 0);
        EXPECT_EQ(largest(none.gradient), 0);
    }
}

TEST_P(EnergyLossAlphas, StaysExactNextToATargetWithoutNoise) {
    EnergyCase one({2, 8, 100, 64}, GetParam(), true);
    std::fill(one.deviation.begin(), one.deviation.end(), 0.0f);
    for (std::size_t i = 0; i < one.x.size(); ++i)
        one.x[i] = 100 + one.mean[i / (8 * 64) * 64 + i % 64] + 1e-3f * one.x[i];
    for (float& mean : one.mean) mean += 100;
    expectAgree(computed(one.task, kCpu), computed(one.task, kReference));
}

/// Of the reference in f64, whose gradient the other paths are held to.
TEST_P(EnergyLossAlphas, GradientIsThatOfCentralDifferences) {
    const EnergyCase one({1, 3, 4, 5}, GetParam(), false);
    std::vector<double> x(one.x.begin(), one.x.end()), y(one.y.begin(), one.y.end()), gradient(x.size());
    for (std::size_t c = 0; c < 5; ++c) {  // apart, as a difference quotient needs them
        x[5 + c] += 0.5;
        x[10 + c] -= 0.25;
    }
    EnergyTask<double> task;
    task.positions = 1;
    task.samples = 3;
    task.targets = 4;
    task.width = 5;
    task.alpha = GetParam();
    task.x = x.data();
    task.y = y.data();
    const auto loss = [&](double* wanted) {
        double fidelity = 0, diversity = 0;
        reference::energyLoss(task, EnergyResult<double>{&fidelity, &diversity, wanted});
        return 2 * fidelity - diversity;
    };
    loss(gradient.data());
    constexpr double kStep = 1e-5;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double at = x[i];
        x[i] = at + kStep;
        const double above = loss(nullptr);
        x[i] = at - kStep;
        const double below = loss(nullptr);
        x[i] = at;
        EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-8);
    }
}
INSTANTIATE_TEST_SUITE_P(Alphas, EnergyLossAlphas, testing::Values(0.3, 0.75, 1.0, 1.25, 1.5, 2.0));

TEST(EnergyLoss, APositionDoesNotDependOnItsRangeOrTheGradient) {
    const EnergyCase one({5, 8, 40, 33}, 1, true);
    const EnergyValues whole = computed(one.task, kCpu);
    const EnergyValues single = computed(one.task, [](const auto& task, const auto& result) {
        for (std::int64_t p = task.positions; p-- > 0;) cpu::energyLoss(task, p, p + 1, result);
    });
    EXPECT_EQ(whole, single);
    EXPECT_EQ(computed(one.task, kCpu, false).fidelity, whole.fidelity);
    EXPECT_EQ(computed(one.task, kReference, false).diversity, computed(one.task, kReference).diversity);
}

TEST(EnergyLoss, DrawnTargetsAreTheRowsOfRandomFill) {
    EnergyCase drawn({3, 4, 40, 65}, 1, true);
    std::fill(drawn.mean.begin(), drawn.mean.end(), 0.0f);
    std::fill(drawn.deviation.begin(), drawn.deviation.end(), 1.0f);
    EnergyCase given({3, 4, 40, 65}, 1, false);
    RandomRows rows = drawn.task.noise;
    rows.rows = 3 * 40;
    rows.rowLength = 65;
    reference::fill(rows, NormalFill{}, given.y.data());
    EXPECT_EQ(computed(drawn.task, kCpu), computed(given.task, kCpu));
    EXPECT_EQ(computed(drawn.task, kReference), computed(given.task, kReference));
}

TEST(EnergyLoss, NaNIsNotTakenForEqual) {
    EnergyCase one({1, 4, 8, 16}, 1, true);
    one.x[20] = std::numeric_limits<float>::quiet_NaN();
    for (const EnergyValues& got : {computed(one.task, kCpu), computed(one.task, kReference)}) {
        EXPECT_TRUE(std::isnan(got.fidelity[0]));
        EXPECT_TRUE(std::isnan(got.diversity[0]));
        EXPECT_TRUE(std::isnan(got.gradient[20]));
    }
}

}  // namespace
}  // namespace kurve::kernels
