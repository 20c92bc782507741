#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>

#include "core/base/random_stream.h"

namespace kurve::tensor {

/// Random numbers for the rows of a batch. Element i of row r is a function of (id, firstRow + r, i): the
/// batch may be padded, split over replicas or moved to another device without changing it
/// (core/kernels/random_fill).
struct RowStream {
    StreamId id;
    std::uint64_t firstRow = 0;
};

/// f32 of `shape` on `device`; the first dimension counts rows.
[[nodiscard]] at::Tensor normalRows(at::IntArrayRef shape, const RowStream& stream, c10::Device device);
[[nodiscard]] at::Tensor uniformRows(at::IntArrayRef shape, const RowStream& stream, c10::Device device);
/// One uniform number of [0, 1) on the host: element `element` of row `row`; equals uniformRows' value there.
[[nodiscard]] float uniformAt(const StreamId& id, std::uint64_t row, std::uint64_t element = 0);

/// Overwrites a contiguous f32 tensor, as one row: N(mean, stddev^2), or uniform on [low, high).
void fillNormal(const at::Tensor& target, const StreamId& id, double mean, double stddev);
void fillUniform(const at::Tensor& target, const StreamId& id, double low, double high);

/// x with each element zeroed with probability `rate` and the rest scaled by 1 / (1 - rate); x is [rows, …]
/// f32. Differentiable. Stores no mask: the backward pass draws it again. rate = 0 returns x itself.
[[nodiscard]] at::Tensor dropout(const at::Tensor& x, double rate, const RowStream& stream);
/// residual + dropout(x), in one pass.
[[nodiscard]] at::Tensor addDropout(const at::Tensor& residual, const at::Tensor& x, double rate,
                                    const RowStream& stream);

}  // namespace kurve::tensor
