#pragma once

#include <cstdint>

namespace kurve::kernels {

/// A block of random numbers [rows, rowLength] f32, row-major. Element i of row r is a function of
/// (key, step, firstRow + r, i) and of nothing else: not of the other rows, of the row's length, of the
/// thread count or of the device. So padding a batch, splitting it or moving it to a GPU changes no number.
/// Every path below gives the same bits (no fused multiply-add, own log, sin and cos).
struct RandomRows {
    std::uint64_t key = 0, step = 0;  ///< of a StreamId
    std::uint64_t firstRow = 0;
    std::int64_t rows = 1;
    std::int64_t rowLength = 0;  ///< < 2^32
};

/// The values of the block.
struct UniformFill {};  ///< [0, 1), 24 bits
struct NormalFill {     ///< N(mean, stddev^2) by Box-Muller
    float mean = 0, stddev = 1;
};
/// out = input * (keep ? 1 / (1 - rate) : 0) [+ residual], where an element is kept with probability 1 -
/// rate. `out` may be `input`. The gradient by `input` is the same operation on the gradient.
struct DropoutFill {
    float rate = 0;
    const float* input = nullptr;
    const float* residual = nullptr;  ///< may be null
};

/// Plain loops, one element at a time: the definition of what is correct.
namespace reference {
void fill(const RandomRows& block, const UniformFill& op, float* out);
void fill(const RandomRows& block, const NormalFill& op, float* out);
void fill(const RandomRows& block, const DropoutFill& op, float* out);
}  // namespace reference

/// Vectorised; one thread. Callers that have more split the rows.
namespace cpu {
void fill(const RandomRows& block, const UniformFill& op, float* out);
void fill(const RandomRows& block, const NormalFill& op, float* out);
void fill(const RandomRows& block, const DropoutFill& op, float* out);
}  // namespace cpu

#if defined(KURVE_HAS_CUDA)
/// Device pointers; `stream` is a cudaStream_t. Asynchronous. Return the launch's cudaError_t.
namespace cuda {
int fill(const RandomRows& block, const UniformFill& op, float* out, void* stream);
int fill(const RandomRows& block, const NormalFill& op, float* out, void* stream);
int fill(const RandomRows& block, const DropoutFill& op, float* out, void* stream);
}  // namespace cuda
#endif

}  // namespace kurve::kernels
