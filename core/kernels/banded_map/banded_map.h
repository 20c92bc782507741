#pragma once

#include <cstdint>

namespace kurve::kernels {

/// Rows of banded matrices, one after the other: row r covers columns first[r] … with weights
/// weight[begin[r]] … weight[begin[r + 1] - 1].
struct BandRows {
    const std::int32_t* first = nullptr;
    const std::int64_t* begin = nullptr;
    const float* weight = nullptr;
};

/// out[b] = A_b in[b] for a ragged batch: entry b has its own matrix A_b, the rows table[b] … table[b] +
/// rows[b] - 1 of `band`. out is [batch, outRows, width] f32, in [batch, inRows, width]; rows of out beyond
/// rows[b] become 0. Columns that a matrix does not cover are not read, so padding of `in` may hold anything.
/// `out` must not overlap `in`. Psi, Psi^T, Psi+ and its transpose are four sets of rows: the gradient of a
/// map is the map with the transposed rows. Deterministic: each sum runs over the columns in order, on every
/// path (a GPU may fuse multiply and add).
struct RaggedMap {
    BandRows band;
    const std::int64_t* table = nullptr;
    const std::int32_t* rows = nullptr;
    std::int64_t batch = 0, outRows = 0, inRows = 0, width = 0;
};

namespace reference {
/// Sums in double.
void apply(const RaggedMap& map, const float* in, float* out);
}  // namespace reference

namespace cpu {
/// Vectorised over the width; batch entries [from, to).
void apply(const RaggedMap& map, std::int64_t from, std::int64_t to, const float* in, float* out);
}  // namespace cpu

#if defined(KURVE_HAS_CUDA)
namespace cuda {
/// All pointers on the device; `stream` is a cudaStream_t. Asynchronous. Returns the launch's cudaError_t.
int apply(const RaggedMap& map, const float* in, float* out, void* stream);
}  // namespace cuda
#endif

}  // namespace kurve::kernels
