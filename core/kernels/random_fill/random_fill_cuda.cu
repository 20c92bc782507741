#include <cuda_runtime.h>

#include "core/kernels/random_fill/random_fill.h"
#include "core/kernels/random_fill/random_value.h"

namespace kurve::kernels::cuda {
namespace {

using detail::kBlocksPerGroup;
using detail::kGroup;

struct UniformValue {
    __device__ void operator()(const PhiloxBlock& block, float (&value)[4], const std::int64_t*) const {
        for (int w = 0; w < 4; ++w) value[w] = detail::uniformOf(block.word[w]);
    }
};

struct NormalValue {
    NormalFill op;
    __device__ void operator()(const PhiloxBlock& block, float (&value)[4], const std::int64_t*) const {
        for (int w = 0; w < 4; w += 2) {
            const detail::NormalPair pair = detail::normalsOf(block.word[w], block.word[w + 1]);
            value[w] = op.mean + op.stddev * pair.first;
            value[w + 1] = op.mean + op.stddev * pair.second;
        }
    }
};

struct DropoutValue {
    const float* input;
    const float* residual;
    std::uint32_t threshold;
    float scale;
    __device__ void operator()(const PhiloxBlock& block, float (&value)[4], const std::int64_t* at) const {
        for (int w = 0; w < 4; ++w) {
            if (at[w] < 0) continue;
            const float kept = input[at[w]] * (block.word[w] < threshold ? 0.0f : scale);
            value[w] = residual != nullptr ? residual[at[w]] + kept : kept;
        }
    }
};

/// One thread per Philox block, hence per four elements, 16 apart.
template <class Value>
__global__ void fillKernel(RandomRows rows, std::int64_t blocksPerRow, Value value, float* out) {
    const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (thread >= rows.rows * blocksPerRow) return;
    const std::int64_t row = thread / blocksPerRow, block = thread % blocksPerRow;
    std::int64_t at[4];
    for (int w = 0; w < 4; ++w) {
        const std::int64_t element =
            block / kBlocksPerGroup * kGroup + w * kBlocksPerGroup + block % kBlocksPerGroup;
        at[w] = element < rows.rowLength ? row * rows.rowLength + element : -1;
    }
    float values[4];
    value(detail::blockAt(rows.key, rows.step, rows.firstRow + static_cast<std::uint64_t>(row),
                          static_cast<std::uint32_t>(block)),
          values, at);
    for (int w = 0; w < 4; ++w)
        if (at[w] >= 0) out[at[w]] = values[w];
}

template <class Value>
int launch(const RandomRows& rows, const Value& value, float* out, void* stream) {
    constexpr int kThreads = 256;
    const std::int64_t blocksPerRow = (rows.rowLength + kGroup - 1) / kGroup * kBlocksPerGroup;
    const std::int64_t threads = rows.rows * blocksPerRow;
    if (threads == 0) return cudaSuccess;
    fillKernel<<<static_cast<unsigned>((threads + kThreads - 1) / kThreads), kThreads, 0,
                 static_cast<cudaStream_t>(stream)>>>(rows, blocksPerRow, value, out);
    return cudaGetLastError();
}

}  // namespace

int fill(const RandomRows& block, const UniformFill&, float* out, void* stream) {
    return launch(block, UniformValue{}, out, stream);
}

int fill(const RandomRows& block, const NormalFill& op, float* out, void* stream) {
    return launch(block, NormalValue{op}, out, stream);
}

int fill(const RandomRows& block, const DropoutFill& op, float* out, void* stream) {
    return launch(
        block, DropoutValue{op.input, op.residual, detail::dropThreshold(op.rate), 1.0f / (1.0f - op.rate)},
        out, stream);
}

}  // namespace kurve::kernels::cuda
