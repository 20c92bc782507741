#include "core/kernels/banded_map/banded_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/random_stream.h"

namespace kurve::kernels {
namespace {

/// Random bands for a ragged batch of matrices [outRows(b), inRows(b)], some rows empty.
struct Case {
    std::vector<std::int32_t> first, rows;
    std::vector<std::int64_t> begin{0}, table;
    std::vector<float> weight, in;
    RaggedMap map;

    Case(std::int64_t width, std::uint64_t seed) {
        RandomStream random(seed, "test.band");
        map.batch = 5;
        map.outRows = 9;
        map.inRows = 13;
        map.width = width;
        for (std::int64_t b = 0; b < map.batch; ++b) {
            table.push_back(static_cast<std::int64_t>(first.size()));
            rows.push_back(static_cast<std::int32_t>(random.below(10)));
            const std::uint64_t columns = 3 + random.below(11);
            for (std::int32_t i = 0; i < rows.back(); ++i) {
                const std::uint64_t count = random.below(columns);
                first.push_back(static_cast<std::int32_t>(random.below(columns - count + 1)));
                for (std::uint64_t j = 0; j < count; ++j)
                    weight.push_back(static_cast<float>(random.normal()));
                begin.push_back(static_cast<std::int64_t>(weight.size()));
            }
        }
        for (std::int64_t i = 0; i < map.batch * map.inRows * width; ++i)
            in.push_back(static_cast<float>(random.normal()));
        map.band = {first.data(), begin.data(), weight.data()};
        map.table = table.data();
        map.rows = rows.data();
    }
    template <class Path>
    std::vector<float> applied(const Path& path) const {
        constexpr float kPoison = -777.25f;
        std::vector<float> out(static_cast<std::size_t>(map.batch * map.outRows * map.width) + 1, kPoison);
        path(map, in.data(), out.data());
        EXPECT_EQ(out.back(), kPoison) << "wrote behind the end";
        out.pop_back();
        return out;
    }
};

const auto kReference = [](const RaggedMap& map, const float* in, float* out) {
    reference::apply(map, in, out);
};
const auto kCpu = [](const RaggedMap& map, const float* in, float* out) {
    cpu::apply(map, 0, map.batch, in, out);
};

class BandedMapWidths : public testing::TestWithParam<std::int64_t> {};

TEST_P(BandedMapWidths, VectorisedPathAgreesWithTheReference) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const Case one(GetParam(), seed);
        const std::vector<float> expected = one.applied(kReference), got = one.applied(kCpu);
        for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], expected[i], 1e-5);
    }
}
INSTANTIATE_TEST_SUITE_P(Widths, BandedMapWidths, testing::Values(1, 31, 32, 33, 64, 100, 128, 1023));

TEST(BandedMap, UncoveredInputsAreNotRead) {
    Case one(40, 3);
    std::vector<bool> covered(one.in.size());
    for (std::size_t b = 0; b < 5; ++b)
        for (std::int32_t i = 0; i < one.rows[b]; ++i) {
            const auto r = static_cast<std::size_t>(one.table[b] + i);
            for (std::int64_t w = one.begin[r]; w < one.begin[r + 1]; ++w) {
                const std::int64_t row = static_cast<std::int64_t>(b) * 13 + one.first[r] + w - one.begin[r];
                for (std::int64_t c = 0; c < 40; ++c) covered[static_cast<std::size_t>(row * 40 + c)] = true;
            }
        }
    for (std::size_t i = 0; i < one.in.size(); ++i)
        if (!covered[i]) one.in[i] = std::numeric_limits<float>::quiet_NaN();
    for (const float value : one.applied(kCpu)) EXPECT_FALSE(std::isnan(value));
}

TEST(BandedMap, RowsBeyondAMatrixAreZero) {
    const Case one(8, 1);
    const std::vector<float> out = one.applied(kCpu);
    for (std::size_t b = 0; b < 5; ++b)
        for (std::size_t i = static_cast<std::size_t>(one.rows[b]); i < 9; ++i)
            for (std::size_t c = 0; c < 8; ++c) EXPECT_EQ(out[(b * 9 + i) * 8 + c], 0);
}

}  // namespace
}  // namespace kurve::kernels
