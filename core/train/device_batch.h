#pragma once

#include <cstdint>
#include <vector>

#include "core/train/model_family.h"

namespace kurve::train {

/// Copies rows [first, first + rows) of a host batch to the device, cut to the longest side among them; does
/// not wait for what a GPU computes.
[[nodiscard]] DeviceBatch toDevice(const text::Batch& batch, int first, int rows, c10::Device device);
[[nodiscard]] DeviceBatch toDevice(const text::Batch& batch, c10::Device device);

/// One part of a step's work.
struct BatchPart {
    DeviceBatch batch;
    std::uint64_t row = 0;  ///< its first row among all rows of the step
    double weight = 1;      ///< its fraction of the step's target tokens
};
/// Splits each batch into at most `parts` parts of whole rows, or whole documents, and nearly equally many
/// tokens, source and target. Weights sum to 1.
[[nodiscard]] std::vector<BatchPart> splitStep(const std::vector<text::Batch>& batches, int parts,
                                               c10::Device device);

}  // namespace kurve::train
