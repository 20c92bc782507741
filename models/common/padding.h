#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdint>
#include <span>

namespace kurve::models {

/// Whether all rows have the full width (then no mask is needed).
[[nodiscard]] bool isFull(std::span<const std::int32_t> lengths, std::int64_t width);

/// [B, width] bool, true = within the row's length.
[[nodiscard]] at::Tensor realPositions(std::span<const std::int32_t> lengths, std::int64_t width,
                                       c10::Device device);

/// [B, 1, 1, width] f32 to be added to attention scores: 0 or -inf. Undefined if isFull.
[[nodiscard]] at::Tensor attentionMask(std::span<const std::int32_t> lengths, std::int64_t width,
                                       c10::Device device);

/// A host vector as a tensor on a device; copies without waiting.
[[nodiscard]] at::Tensor toDevice(std::span<const std::int64_t> values, c10::Device device);
[[nodiscard]] at::Tensor toDevice(std::span<const float> values, c10::Device device);

/// Mean over the real positions of each row of a value per real position, in realIndices()' order: [n] ->
/// [B].
[[nodiscard]] at::Tensor rowMeans(const at::Tensor& perToken, std::span<const std::int32_t> lengths,
                                  std::int64_t width);

/// Flat indices r * width + i of the real positions of all rows, row by row.
[[nodiscard]] at::Tensor realIndices(std::span<const std::int32_t> lengths, std::int64_t width,
                                     c10::Device device);

}  // namespace kurve::models
