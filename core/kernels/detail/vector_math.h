#pragma once

#include <bit>
#include <cstdint>

// For the vectorised CPU kernels: compiled once for each instruction set, chosen at start.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
#define KURVE_CLONES __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define KURVE_CLONES
#endif
#define KURVE_INLINE inline __attribute__((always_inline))

namespace kurve::kernels::cpu {

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
