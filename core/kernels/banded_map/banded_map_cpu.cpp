#include <algorithm>

#include "core/kernels/banded_map/banded_map.h"

#if defined(__x86_64__) && !defined(KURVE_ONE_INSTRUCTION_SET)
#define KURVE_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define KURVE_CLONES
#endif

namespace kurve::kernels::cpu {
namespace {

constexpr std::int64_t kLanes = 32;  // sums that stay in registers

/// out[0 … width) = sum over `count` rows of weight times row, rows `stride` apart.
KURVE_CLONES void weightedSum(const float* __restrict weight, std::int64_t count, const float* __restrict in,
                              std::int64_t stride, float* __restrict out) {
    std::int64_t c = 0;
    for (; c + kLanes <= stride; c += kLanes) {
        float sum[kLanes] = {};
        for (std::int64_t j = 0; j < count; ++j)
            for (std::int64_t l = 0; l < kLanes; ++l) sum[l] += weight[j] * in[j * stride + c + l];
        for (std::int64_t l = 0; l < kLanes; ++l) out[c + l] = sum[l];
    }
    for (; c < stride; ++c) {
        float sum = 0;
        for (std::int64_t j = 0; j < count; ++j) sum += weight[j] * in[j * stride + c];
        out[c] = sum;
    }
}

}  // namespace

void apply(const RaggedMap& map, std::int64_t from, std::int64_t to, const float* in, float* out) {
    const BandRows& band = map.band;
    const std::int64_t width = map.width;
    for (std::int64_t b = from; b < to; ++b) {
        const float* source = in + b * map.inRows * width;
        float* target = out + b * map.outRows * width;
        for (std::int64_t i = 0; i < map.rows[b]; ++i) {
            const std::int64_t r = map.table[b] + i, begin = band.begin[r];
            weightedSum(band.weight + begin, band.begin[r + 1] - begin, source + band.first[r] * width, width,
                        target + i * width);
        }
        std::fill(target + map.rows[b] * width, target + map.outRows * width, 0.0f);
    }
}

}  // namespace kurve::kernels::cpu
