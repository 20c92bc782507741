#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/philox.h"

/// The arithmetic that all paths of random_fill share, for host and device.
namespace kurve::kernels::detail {

/// 16 Philox blocks make a group of 64 elements: element e of a group is word e / 16 of block e % 16, so that
/// a vector of blocks is stored without shuffling.
inline constexpr int kBlocksPerGroup = 16;
inline constexpr int kGroup = 4 * kBlocksPerGroup;

KURVE_HOST_DEVICE inline PhiloxBlock blockAt(std::uint64_t key, std::uint64_t step, std::uint64_t row,
                                             std::uint32_t blockInRow) {
    const std::uint64_t index = (row << 30) + blockInRow;
    return philox4x32({{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                        static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)}},
                      static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32));
}

KURVE_HOST_DEVICE inline float uniformOf(std::uint32_t word) {
    return static_cast<float>(static_cast<std::int32_t>(word >> 8)) * 0x1p-24f;
}

KURVE_HOST_DEVICE inline std::uint32_t bitsOf(float value) {
    union {
        float f;
        std::uint32_t u;
    } both{value};
    return both.u;
}

KURVE_HOST_DEVICE inline float floatOf(std::uint32_t bits) {
    union {
        std::uint32_t u;
        float f;
    } both{bits};
    return both.f;
}

/// Natural logarithm of a positive normal float (Cephes' logf; error below 1 ulp or so).
KURVE_HOST_DEVICE inline float logOf(float value) {
    // mantissa in [sqrt(1/2), sqrt(2)): subtracting the bits of sqrt(1/2) moves the break to where it is
    // wanted
    const std::uint32_t shifted = bitsOf(value) - 0x3F3504F3u;
    const std::int32_t exponent = static_cast<std::int32_t>(shifted) >> 23;
    const float x = floatOf((shifted & 0x007FFFFFu) + 0x3F3504F3u) - 1.0f;
    const float z = x * x;
    float y = 7.0376836292e-2f;
    y = y * x - 1.1514610310e-1f;
    y = y * x + 1.1676998740e-1f;
    y = y * x - 1.2420140846e-1f;
    y = y * x + 1.4249322787e-1f;
    y = y * x - 1.6668057665e-1f;
    y = y * x + 2.0000714765e-1f;
    y = y * x - 2.4999993993e-1f;
    y = y * x + 3.3333331174e-1f;
    const float e = static_cast<float>(exponent);
    y = y * x * z + e * -2.12194440e-4f - 0.5f * z;
    return x + y + e * 0.693359375f;
}

struct NormalPair {
    float first, second;
};

/// Two independent standard normals from two words. The angle is an integer fraction of the circle, so its
/// reduction to a quarter is exact.
KURVE_HOST_DEVICE inline NormalPair normalsOf(std::uint32_t radiusWord, std::uint32_t angleWord) {
    // 0 < u <= 1 with 31 bits: a signed conversion is one instruction on every vector unit
    const float u = (static_cast<float>(static_cast<std::int32_t>(radiusWord >> 1)) + 1.0f) * 0x1p-31f;
    const float radius = sqrtf(-2.0f * logOf(u));
    const std::uint32_t quarter = (angleWord + 0x20000000u) >> 30;
    const float x =
        static_cast<float>(static_cast<std::int32_t>(angleWord - (quarter << 30))) * 1.4629180792671596e-9f;
    const float z = x * x;
    const float sine = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * x + x;
    const float cosine =
        ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z - 0.5f * z +
        1.0f;
    const bool swap = (quarter & 1u) != 0;
    const float a = swap ? sine : cosine, b = swap ? cosine : sine;
    const float c = floatOf(bitsOf(a) ^ (((quarter + 1u) & 2u) << 30));
    const float s = floatOf(bitsOf(b) ^ ((quarter & 2u) << 30));
    return {radius * c, radius * s};
}

/// An element is dropped if its word is below this; rate in [0, 1).
inline std::uint32_t dropThreshold(float rate) {
    return static_cast<std::uint32_t>(static_cast<double>(rate) * 4294967296.0);
}

}  // namespace kurve::kernels::detail
