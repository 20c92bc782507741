#pragma once

#include <array>
#include <cstdint>

namespace kurve {

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011): four 32-bit words
/// that depend on a 128-bit counter and a 64-bit key and on nothing else. Also the body of the CUDA kernel.
#if defined(__CUDACC__)
#define KURVE_HOST_DEVICE __host__ __device__
#else
#define KURVE_HOST_DEVICE
#endif
struct PhiloxBlock {
    std::uint32_t word[4];
};

KURVE_HOST_DEVICE inline PhiloxBlock philox4x32(PhiloxBlock counter, std::uint32_t key0, std::uint32_t key1) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * counter.word[0];
        const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * counter.word[2];
        counter = PhiloxBlock{
            {static_cast<std::uint32_t>(p1 >> 32) ^ counter.word[1] ^ key0, static_cast<std::uint32_t>(p1),
             static_cast<std::uint32_t>(p0 >> 32) ^ counter.word[3] ^ key1, static_cast<std::uint32_t>(p0)}};
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

}  // namespace kurve
