#include "core/kernels/random_fill/random_fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "core/base/random_stream.h"

namespace kurve::kernels {
namespace {

RandomRows block(std::int64_t rows, std::int64_t length, std::uint64_t firstRow = 0) {
    const StreamId id(7, "test.fill", 3);
    return {id.key, id.step, firstRow, rows, length};
}

template <class Op, class Path>
std::vector<float> filled(const RandomRows& rows, const Op& op, const Path& path) {
    constexpr float kPoison = -777.25f;
    std::vector<float> out(static_cast<std::size_t>(rows.rows * rows.rowLength) + 1, kPoison);
    path(rows, op, out.data());
    EXPECT_EQ(out.back(), kPoison) << "wrote behind the end";
    out.pop_back();
    return out;
}

const auto kReference = [](const RandomRows& rows, const auto& op, float* out) {
    reference::fill(rows, op, out);
};
const auto kCpu = [](const RandomRows& rows, const auto& op, float* out) { cpu::fill(rows, op, out); };

class RandomFill : public testing::TestWithParam<std::int64_t> {};

TEST_P(RandomFill, VectorisedPathGivesTheReferencesBits) {
    const RandomRows rows = block(3, GetParam(), 11);
    EXPECT_EQ(filled(rows, UniformFill{}, kCpu), filled(rows, UniformFill{}, kReference));
    EXPECT_EQ(filled(rows, NormalFill{0.5f, 2}, kCpu), filled(rows, NormalFill{0.5f, 2}, kReference));
    const std::vector<float> input = filled(rows, NormalFill{}, kReference),
                             residual = filled(rows, UniformFill{}, kCpu);
    for (const float* extra : {static_cast<const float*>(nullptr), residual.data()}) {
        const DropoutFill op{0.3f, input.data(), extra};
        EXPECT_EQ(filled(rows, op, kCpu), filled(rows, op, kReference));
    }
}
INSTANTIATE_TEST_SUITE_P(Lengths, RandomFill,
                         testing::Values(1, 15, 31, 33, 64, 100, 1023, 1024, 1025, 5000));

TEST(RandomFillValues, DependOnRowAndElementOnly) {
    const std::vector<float> whole = filled(block(4, 200), NormalFill{}, kCpu);
    const std::vector<float> tail = filled(block(2, 70, 2), NormalFill{}, kCpu);
    for (int r = 0; r < 2; ++r)
        for (int e = 0; e < 70; ++e)
            EXPECT_EQ(tail[static_cast<std::size_t>(r * 70 + e)],
                      whole[static_cast<std::size_t>((r + 2) * 200 + e)]);
}

TEST(RandomFillValues, FirstUniformIsTheFirstPhiloxWord) {
    const StreamId id(7, "test.fill", 3);
    const float first = filled(block(1, 1), UniformFill{}, kCpu)[0];
    EXPECT_EQ(first, static_cast<float>(RandomStream(id).bits() >> 8) * 0x1p-24f);
}

TEST(RandomFillValues, NormalsHaveTheirMomentsAndTails) {
    const std::vector<float> z = filled(block(1, 1 << 20), NormalFill{}, kCpu);
    double sum = 0, square = 0, fourth = 0, beyond3 = 0;
    for (const float value : z) {
        sum += value;
        square += double{value} * value;
        fourth += std::pow(value, 4);
        beyond3 += std::abs(value) > 3 ? 1 : 0;
    }
    const auto n = static_cast<double>(z.size());
    EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
    EXPECT_NEAR(square / n, 1, 5 * std::sqrt(2 / n));
    EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96 / n));
    EXPECT_NEAR(beyond3 / n, 0.0026998, 5 * std::sqrt(0.0027 / n));
}

TEST(RandomFillValues, NormalIsBoxMullerOfItsWords) {
    // Independent computation in doubles from the same words.
    RandomStream stream(StreamId(7, "test.fill", 3));
    const double u = (static_cast<double>(stream.bits() >> 1) + 1) / 2147483648.0;
    const double angle = 2 * M_PI * static_cast<double>(stream.bits()) / 4294967296.0;
    const std::vector<float> z = filled(block(1, 64), NormalFill{}, kCpu);
    EXPECT_NEAR(z[0], std::sqrt(-2 * std::log(u)) * std::cos(angle), 2e-6);
    EXPECT_NEAR(z[16], std::sqrt(-2 * std::log(u)) * std::sin(angle), 2e-6);
}

TEST(RandomFillValues, DropoutKeepsTheFractionAndTheMean) {
    const std::vector<float> ones(1 << 18, 1.0f);
    const DropoutFill op{0.1f, ones.data(), nullptr};
    double sum = 0;
    for (const float value : filled(block(1, 1 << 18), op, kCpu)) {
        EXPECT_TRUE(value == 0 || std::abs(value - 1 / 0.9f) < 1e-6);
        sum += value;
    }
    EXPECT_NEAR(sum / (1 << 18), 1, 5 * std::sqrt(0.1 / 0.9 / (1 << 18)));
}

}  // namespace
}  // namespace kurve::kernels
