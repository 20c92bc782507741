#include <cuda_runtime.h>

#include <algorithm>

#include "core/kernels/energy_loss/energy_loss.h"
#include "core/kernels/random_fill/random_value.h"

// Compiled without fused multiply-add, for the bits of the noise; the sums ask for it.
namespace kurve::kernels::cuda {
namespace {

constexpr int kEnergyThreads = 256;
constexpr int kEnergyWarp = 32;
constexpr int kSamplesAtOnce = 4;                        // samples x that share a load of y
constexpr std::int64_t kSharedBytes = (48 << 10) - 256;  // the rest is for sums

/// Rows y of one position in shared memory, with the squared distance of each row and sample, then the weight
/// of x - y in the gradient: weight is [rows, padded], y [rows, width].
struct SharedTile {
    float* weight;
    float* y;
    int rows, samples, padded, width;
};

__device__ void copyRows(const SharedTile& tile, const float* from) {
    for (int i = threadIdx.x; i < tile.rows * tile.width; i += kEnergyThreads) tile.y[i] = from[i];
}

/// One thread per Philox block, hence per four numbers, as in random_fill.
__device__ void drawRows(const SharedTile& tile, const EnergyTask<float>& task, std::int64_t position,
                         std::int64_t firstRow) {
    const int blocks = (tile.width + detail::kGroup - 1) / detail::kGroup * detail::kBlocksPerGroup;
    const float* mean = task.mean + position * tile.width;
    const float* deviation = task.deviation + position * tile.width;
    for (int i = threadIdx.x; i < tile.rows * blocks; i += kEnergyThreads) {
        const int row = i / blocks, block = i % blocks;
        const PhiloxBlock words = detail::blockAt(task.noise.key, task.noise.step,
                                                  static_cast<std::uint64_t>(firstRow + row), block);
        const int first = block / detail::kBlocksPerGroup * detail::kGroup + block % detail::kBlocksPerGroup;
        float* y = tile.y + row * tile.width;
        const auto put = [&](int word, float noise) {
            const int c = first + word * detail::kBlocksPerGroup;
            if (c < tile.width) y[c] = mean[c] + deviation[c] * noise;
        };
        for (int w = 0; w < 4; w += 2) {
            const detail::NormalPair pair = detail::normalsOf(words.word[w], words.word[w + 1]);
            put(w, pair.first);
            put(w + 1, pair.second);
        }
    }
}

/// A warp per row: lanes along the width.
__device__ void squareRows(const SharedTile& tile, const float* x) {
    const int lane = threadIdx.x % kEnergyWarp;
    for (int row = threadIdx.x / kEnergyWarp; row < tile.rows; row += kEnergyThreads / kEnergyWarp)
        for (int n = 0; n < tile.samples; n += kSamplesAtOnce) {
            float sum[kSamplesAtOnce] = {};
            for (int c = lane; c < tile.width; c += kEnergyWarp) {
                const float y = tile.y[row * tile.width + c];
                for (int k = 0; k < kSamplesAtOnce; ++k) {
                    const float d = y - x[min(n + k, tile.samples - 1) * tile.width + c];
                    sum[k] = fmaf(d, d, sum[k]);
                }
            }
            for (int k = 0; k < kSamplesAtOnce; ++k) {
                for (int offset = kEnergyWarp / 2; offset > 0; offset /= 2)
                    sum[k] += __shfl_xor_sync(0xffffffffu, sum[k], offset);
                if (lane == k) tile.weight[row * tile.padded + n + k] = n + k < tile.samples ? sum[k] : 0.0f;
            }
        }
}

/// This thread's part of the sum of |x - y|^alpha. NaN stays NaN.
__device__ double weighRows(const SharedTile& tile, float alpha, float factor) {
    double sum = 0;
    for (int i = threadIdx.x; i < tile.rows * tile.padded; i += kEnergyThreads) {
        const float square = tile.weight[i];
        const bool same = square <= detail::kCoincident;
        const float value = same ? 0.0f : alpha == 1 ? sqrtf(square) : powf(square, alpha / 2);
        tile.weight[i] = same ? 0.0f : factor * alpha * value / square;
        sum += value;
    }
    return sum;
}

/// A thread owns a column of four samples, in every tile.
__device__ void addGradient(const SharedTile& tile, const float* x, bool first, float* gradient) {
    const int items = tile.padded / kSamplesAtOnce * tile.width;
    for (int i = threadIdx.x; i < items; i += kEnergyThreads) {
        const int c = i % tile.width, n = i / tile.width * kSamplesAtOnce;
        float own[kSamplesAtOnce], sum[kSamplesAtOnce] = {};
        for (int k = 0; k < kSamplesAtOnce; ++k) own[k] = x[min(n + k, tile.samples - 1) * tile.width + c];
        for (int row = 0; row < tile.rows; ++row) {
            const float y = tile.y[row * tile.width + c];
            const float4 weight = *reinterpret_cast<const float4*>(tile.weight + row * tile.padded + n);
            sum[0] = fmaf(weight.x, own[0] - y, sum[0]);
            sum[1] = fmaf(weight.y, own[1] - y, sum[1]);
            sum[2] = fmaf(weight.z, own[2] - y, sum[2]);
            sum[3] = fmaf(weight.w, own[3] - y, sum[3]);
        }
        for (int k = 0; k < kSamplesAtOnce && n + k < tile.samples; ++k) {
            float& at = gradient[(n + k) * tile.width + c];
            at = first ? sum[k] : at + sum[k];
        }
    }
}

/// The sum over the block's threads, in one order; valid in thread 0.
__device__ double sumOfBlock(double part) {
    __shared__ double warps[kEnergyThreads / kEnergyWarp];
    for (int offset = kEnergyWarp / 2; offset > 0; offset /= 2)
        part += __shfl_xor_sync(0xffffffffu, part, offset);
    __syncthreads();
    if (threadIdx.x % kEnergyWarp == 0) warps[threadIdx.x / kEnergyWarp] = part;
    __syncthreads();
    double sum = 0;
    for (const double warp : warps) sum += warp;
    return sum;
}

__global__ void __launch_bounds__(kEnergyThreads)
    energyLossKernel(EnergyTask<float> task, EnergyResult<float> result, int tileRows) {
    extern __shared__ float4 shared[];  // float4 for its alignment
    const int samples = static_cast<int>(task.samples), targets = static_cast<int>(task.targets),
              width = static_cast<int>(task.width);
    const int padded = (samples + kSamplesAtOnce - 1) / kSamplesAtOnce * kSamplesAtOnce;
    SharedTile tile{reinterpret_cast<float*>(shared), nullptr, 0, samples, padded, width};
    tile.y = tile.weight + tileRows * padded;
    const std::int64_t position = blockIdx.x;
    const float* x = task.x + position * samples * width;
    float* gradient = result.gradient != nullptr ? result.gradient + position * samples * width : nullptr;
    const double pairs = static_cast<double>(samples) * targets,
                 ownPairs = static_cast<double>(samples) * (samples - 1);
    double across = 0, within = 0;
    // First the targets, then the samples themselves, whose distance to themselves is 0 and adds nothing.
    for (int first = 0; first < targets + samples; first += tile.rows) {
        const bool own = first >= targets;
        tile.rows = min(tileRows, (own ? targets + samples : targets) - first);
        if (own)
            copyRows(tile, x + (first - targets) * width);
        else if (task.y != nullptr)
            copyRows(tile, task.y + (position * targets + first) * width);
        else
            drawRows(
                tile, task, position,
                static_cast<std::int64_t>(task.noise.firstRow) + task.numberOf(position) * targets + first);
        __syncthreads();
        squareRows(tile, x);
        __syncthreads();
        (own ? within : across) += weighRows(tile, static_cast<float>(task.alpha),
                                             static_cast<float>(own ? -2 / ownPairs : 2 / pairs));
        __syncthreads();
        if (gradient != nullptr) addGradient(tile, x, first == 0, gradient);
        __syncthreads();
    }
    across = sumOfBlock(across);
    within = sumOfBlock(within);
    if (threadIdx.x != 0) return;
    result.fidelity[position] = static_cast<float>(across / pairs);
    result.diversity[position] = static_cast<float>(within / ownPairs);
}

}  // namespace

int energyLoss(const EnergyTask<float>& task, const EnergyResult<float>& result, void* stream) {
    if (task.positions == 0) return cudaSuccess;
    const std::int64_t padded = (task.samples + kSamplesAtOnce - 1) / kSamplesAtOnce * kSamplesAtOnce;
    const std::int64_t rowBytes = (task.width + padded) * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t fitting = kSharedBytes / rowBytes;
    if (fitting == 0) return cudaErrorInvalidValue;
    // Tiles of equal size, so that the last is not the remainder.
    const std::int64_t tiles = (task.targets + fitting - 1) / fitting;
    const std::int64_t rows = (task.targets + tiles - 1) / tiles;
    energyLossKernel<<<static_cast<unsigned>(task.positions), kEnergyThreads,
                       static_cast<std::size_t>(rows * rowBytes), static_cast<cudaStream_t>(stream)>>>(
        task, result, static_cast<int>(rows));
    return cudaGetLastError();
}

}  // namespace kurve::kernels::cuda
