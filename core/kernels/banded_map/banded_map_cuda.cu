#include <cuda_runtime.h>

#include "core/kernels/banded_map/banded_map.h"

namespace kurve::kernels::cuda {
namespace {

/// One block per output row, threads along the width: neighbours read neighbours.
__global__ void applyKernel(RaggedMap map, const float* in, float* out) {
    const std::int64_t row = blockIdx.x, b = row / map.outRows, i = row % map.outRows;
    const bool inside = i < map.rows[b];
    const std::int64_t r = inside ? map.table[b] + i : 0;
    const std::int64_t begin = inside ? map.band.begin[r] : 0, end = inside ? map.band.begin[r + 1] : 0;
    const float* source = in + (b * map.inRows + (inside ? map.band.first[r] : 0)) * map.width;
    for (std::int64_t c = threadIdx.x; c < map.width; c += blockDim.x) {
        float sum = 0;
        for (std::int64_t w = begin; w < end; ++w)
            sum += map.band.weight[w] * source[(w - begin) * map.width + c];
        out[row * map.width + c] = sum;
    }
}

}  // namespace

int apply(const RaggedMap& map, const float* in, float* out, void* stream) {
    const std::int64_t rows = map.batch * map.outRows;
    if (rows == 0 || map.width == 0) return cudaSuccess;
    const unsigned threads = map.width >= 128 ? 128 : (map.width > 32 ? 64 : 32);
    applyKernel<<<static_cast<unsigned>(rows), threads, 0, static_cast<cudaStream_t>(stream)>>>(map, in, out);
    return cudaGetLastError();
}

}  // namespace kurve::kernels::cuda
