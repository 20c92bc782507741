#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace kurve::models {

/// Some positions of a batch [B, L], gathered for an attention whose keys are whole rows: A columns per row,
/// as many as the fullest row needs. All tensors i64.
struct QueryIndex {
    std::int64_t rows = 0, columns = 0;  ///< B and A
    at::Tensor flat;                     ///< [n] row * L + position, in the caller's order
    at::Tensor row;                      ///< [n]
    at::Tensor cell;                     ///< [n] where query k is in [B * A]
    at::Tensor query;                    ///< [B * A] the query of each cell; of unused cells the first one
    at::Tensor position;                 ///< [B * A] within its row
};
struct BatchShape {
    std::int64_t rows = 0, width = 0;
};

/// `flatPositions` [n] i64, n > 0, any order, repeats allowed; a ContractError if one is outside the batch.
/// Tensors go to `device`. Waits for the device of `flatPositions` if that is not the host.
[[nodiscard]] QueryIndex queryIndex(const at::Tensor& flatPositions, const BatchShape& shape,
                                    c10::Device device);

}  // namespace kurve::models
