#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/store/safetensors.h"

namespace kurve::store {
namespace {

/// The value of a half by its definition (IEEE 754-2008, 3.4), without any bit trick.
double valueOf(std::uint16_t half) {
    const int sign = half >> 15, exponent = (half >> 10) & 31, mantissa = half & 1023;
    if (exponent == 31) return mantissa ? NAN : (sign ? -INFINITY : INFINITY);
    const double value = exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24);
    return sign ? -value : value;
}

TEST(Half, EveryHalfMeansItsDefinitionAndComesBack) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const auto half = static_cast<std::uint16_t>(bits);
        const float value = fromHalf(half);
        if (std::isnan(valueOf(half))) {
            EXPECT_TRUE(std::isnan(value)) << bits;
            EXPECT_TRUE(std::isnan(fromHalf(toHalf(value)))) << bits;
            continue;
        }
        ASSERT_EQ(static_cast<double>(value), valueOf(half)) << bits;
        ASSERT_EQ(toHalf(value), half) << bits;
    }
}

TEST(Half, RoundsToTheNearestAndTiesToEven) {
    for (unsigned bits = 0; bits < 0x7bff; ++bits) {
        const auto low = static_cast<std::uint16_t>(bits), high = static_cast<std::uint16_t>(bits + 1);
        const float middle = static_cast<float>((valueOf(low) + valueOf(high)) / 2);  // exact in a float
        ASSERT_EQ(toHalf(middle), bits % 2 == 0 ? low : high) << bits;
        ASSERT_EQ(toHalf(std::nextafter(middle, -1.0f)), low) << bits;
        ASSERT_EQ(toHalf(std::nextafter(middle, 1e9f)), high) << bits;
        ASSERT_EQ(toHalf(-middle), (bits % 2 == 0 ? low : high) | 0x8000) << bits;
    }
}

TEST(Half, OverflowsToInfinityOnlyFromTheMiddleOn) {
    EXPECT_EQ(toHalf(65519.996f), 0x7bff);
    EXPECT_EQ(toHalf(65520.0f), 0x7c00);
    EXPECT_EQ(toHalf(-1e30f), 0xfc00);
    EXPECT_EQ(toHalf(std::numeric_limits<float>::denorm_min()), 0);
}

}  // namespace
}  // namespace kurve::store
