#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace kurve::tensor {

/// Banded matrices of a ragged batch on a device (core/kernels/banded_map): entry b uses rows table[b] … of
/// the band.
struct BandedRows {
    at::Tensor first;   ///< [R] i32
    at::Tensor begin;   ///< [R + 1] i64
    at::Tensor weight;  ///< [W] f32
    at::Tensor table;   ///< [B] i64
    at::Tensor rows;    ///< [B] i32
    std::int64_t outRows = 0;
};

/// A map and its transpose, which the gradient needs.
struct BandedMap {
    BandedRows forward, transposed;
};

/// y[b] = A_b x[b]: x [B, transposed.outRows, C] f32 -> [B, forward.outRows, C]; differentiable by x.
[[nodiscard]] at::Tensor bandedMap(const at::Tensor& x, const BandedMap& map);

/// The matrices as one padded tensor [B, outRows, columns] for the composition bmm(dense, x), of any floating
/// type: the twin that the kernel is tested and measured against.
[[nodiscard]] at::Tensor denseOf(const BandedRows& rows, std::int64_t columns,
                                 at::ScalarType type = at::kFloat);

}  // namespace kurve::tensor
