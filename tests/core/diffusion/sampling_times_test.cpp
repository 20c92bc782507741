#include "core/diffusion/sampling_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace kurve::diffusion {
namespace {

const StreamId kTimes(7, "test.times", 3);

// The Kronecker sequence's discrepancy: no part of [0, 1) has more than three points too many or too few.
TEST(SamplingTimes, FillTheRangeEvenlyForAnyNumberOfRows) {
    for (const int rows : {4, 16, 50, 333, 2000}) {
        std::vector<double> u;
        for (int row = 0; row < rows; ++row)
            u.push_back(lowDiscrepancyUniform(kTimes, static_cast<std::uint64_t>(row)));
        std::sort(u.begin(), u.end());
        for (int i = 0; i < rows; ++i) {
            EXPECT_GE(u[static_cast<std::size_t>(i)], 0);
            EXPECT_LT(u[static_cast<std::size_t>(i)], 1);
            EXPECT_NEAR(u[static_cast<std::size_t>(i)] * rows, i + 0.5, 3) << rows;
        }
    }
}

TEST(SamplingTimes, EveryRowIsUniformOverTheSteps) {
    constexpr int kSteps = 4000;
    for (const std::uint64_t row : {0U, 2U, 1'000'003U}) {
        double mean = 0, square = 0;
        for (std::uint64_t step = 0; step < kSteps; ++step) {
            const double u = lowDiscrepancyUniform(kTimes.at(step), row);
            mean += u / kSteps;
            square += u * u / kSteps;
        }
        EXPECT_NEAR(mean, 0.5, 4 / std::sqrt(12.0 * kSteps));
        EXPECT_NEAR(square, 1.0 / 3, 4 * std::sqrt(4.0 / 45 / kSteps));
    }
}

}  // namespace
}  // namespace kurve::diffusion
