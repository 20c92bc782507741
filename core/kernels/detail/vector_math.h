#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

// For the vectorised CPU kernels: compiled once for each instruction set, chosen at start.
#if defined(__x86_64__) && !defined(KURVE_ONE_INSTRUCTION_SET)
#define KURVE_CLONES __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define KURVE_CLONES
#endif
#define KURVE_INLINE inline __attribute__((always_inline))

namespace kurve::kernels::cpu {

// Narrower instruction sets take several registers for each.
using Sixteen [[gnu::vector_size(64)]] = float;
using Eight [[gnu::vector_size(32)]] = float;
using Four [[gnu::vector_size(16)]] = float;

/// y = x^T of four rows and columns; rows are so many elements apart.
KURVE_INLINE void transposeFour(const float* x, std::int64_t xStride, float* __restrict y,
                                std::int64_t yStride) {
    Four row[4];
    for (int r = 0; r < 4; ++r) std::memcpy(&row[r], x + r * xStride, sizeof row[r]);
    const Four low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5),
               high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7),
               low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5),
               high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    const Four turned[4] = {__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                            __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                            __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                            __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
    for (int r = 0; r < 4; ++r) std::memcpy(y + r * yStride, &turned[r], sizeof turned[r]);
}

/// e^x to 2e-7, 0 below e^-87, without branches: loops over it vectorise.
KURVE_INLINE float fastExp(float exact) {
    constexpr float kLog2E = 1.44269504f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f, kLeast = -87.0f,
                    kRounding = 12582912.0f;  // adding it rounds to a whole number
    float x = exact > 88.0f ? 88.0f : exact;
    x = x < kLeast ? kLeast : x;
    const float shifted = x * kLog2E + kRounding, n = shifted - kRounding;
    const float r = (x - n * kLn2High) - n * kLn2Low;
    float p = 1.9875691500e-4f;  // Cephes, expf
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const std::int32_t exponent = std::bit_cast<std::int32_t>(shifted) - 0x4B400000;
    const float y = p * std::bit_cast<float>((exponent + 127) << 23);
    return exact < kLeast ? 0.0f : y;
}

KURVE_INLINE float sigmoid(float x) {
    return 1.0f / (1.0f + fastExp(-x));
}

}  // namespace kurve::kernels::cpu
