#include "core/curve/nearest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/random_stream.h"

namespace kurve::curve {
namespace {

std::vector<float> numbers(std::size_t count, std::uint64_t seed) {
    RandomStream stream(seed, "test.nearest");
    std::vector<float> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(static_cast<float>(stream.normal()));
    return out;
}

/// Every row with its distance, in doubles, nearest first.
std::vector<std::pair<double, int>> ordered(const std::vector<float>& table, const float* point, int dims) {
    std::vector<std::pair<double, int>> all;
    const auto d = static_cast<std::size_t>(dims);
    for (std::size_t v = 0; v < table.size() / d; ++v) {
        double sum = 0;
        for (std::size_t i = 0; i < d; ++i) sum += std::pow(double(point[i]) - double(table[v * d + i]), 2);
        all.emplace_back(std::sqrt(sum), static_cast<int>(v));
    }
    std::sort(all.begin(), all.end());
    return all;
}

TEST(Nearest, AgreesWithEveryDistanceInDoubles) {
    constexpr int kDims = 7;
    const std::vector<float> rows = numbers(200 * kDims, 1), points = numbers(9 * kDims, 2);
    const EmbeddingTable table(rows, kDims);
    EXPECT_EQ(table.size(), 200);
    const std::vector<Nearest> found = table.nearest(points, 5);
    ASSERT_EQ(found.size(), 45U);
    for (std::size_t p = 0; p < 9; ++p) {
        const auto truth = ordered(rows, points.data() + p * kDims, kDims);
        for (std::size_t k = 0; k < 5; ++k) {
            EXPECT_EQ(found[p * 5 + k].row, truth[k].second);
            EXPECT_NEAR(found[p * 5 + k].distance, truth[k].first, 1e-4);
        }
    }
}

TEST(Nearest, RequestsMoreThanThereAre) {
    const EmbeddingTable table({0, 0, 3, 4}, 2);
    const std::vector<float> origin{0, 0};
    const std::vector<Nearest> found = table.nearest(origin, 50);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[1].row, 1);
    EXPECT_FLOAT_EQ(found[1].distance, 5);
}

TEST(Nearest, MovedPointsEqualANewSearch) {
    constexpr int kDims = 16;
    const std::vector<float> rows = numbers(300 * kDims, 3), points = numbers(6 * kDims, 4);
    const std::vector<float> directions = numbers(2 * kDims, 5);
    const EmbeddingTable table(rows, kDims);
    const MovedNearest moved(table, points, directions);
    int changed = 0;
    for (const float a : {-1.5F, 0.0F, 0.8F})
        for (const float b : {-0.7F, 1.1F})
            for (int p = 0; p < 6; ++p) {
                std::vector<float> point(points.begin() + p * kDims, points.begin() + (p + 1) * kDims);
                const int before = ordered(rows, point.data(), kDims).front().second;
                for (std::size_t i = 0; i < kDims; ++i)
                    point[i] += a * directions[i] + b * directions[kDims + i];
                const auto truth = ordered(rows, point.data(), kDims).front();
                const std::vector<float> by{a, b};
                const Nearest found = moved.find(p, by);
                EXPECT_EQ(found.row, truth.second);
                EXPECT_NEAR(found.distance, truth.first, 1e-4);
                changed += found.row != before ? 1 : 0;
            }
    EXPECT_GT(changed, 10);  // the moves did lead elsewhere
}

}  // namespace
}  // namespace kurve::curve
