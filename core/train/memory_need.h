#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/text/dataset.h"
#include "core/train/model_family.h"

namespace kurve::train {

/// Of a training: how many processes it has, and how many of them take their memory from the same device.
struct Processes {
    int all = 1, here = 1;
};

/// What a training takes of its device's memory, in all its processes there, in bytes, beside the program
/// itself and its texts.
struct MemoryNeed {
    std::int64_t parameters = 0;  ///< how many
    int processes = 1;            ///< that take this together
    std::int64_t weights = 0;     ///< frozen ones and those of other runs that it uses with them
    std::int64_t gradients = 0;
    std::int64_t optimizer = 0;    ///< both moments, and the averaged weights
    std::int64_t activations = 0;  ///< what else there is when most is taken: one batch's, mostly
    [[nodiscard]] std::int64_t total() const { return weights + gradients + optimizer + activations; }
};

/// Of one batch's forward and backward pass, an update and an evaluation, whichever is most. Nothing of it is
/// allocated: the family's own code runs on shapes without data. Errors: those of the family; memory.unknown.
Result<MemoryNeed> memoryNeed(const ModelFamily& family, const RunConfig& config,
                              const std::shared_ptr<const text::Dataset>& data, c10::Device device,
                              RunResolver* maybeResolver = nullptr, Processes processes = {});

/// What is free there for this process: of the machine and its control group, or of the GPU; nothing where it
/// cannot be known.
[[nodiscard]] std::optional<std::int64_t> freeMemory(c10::Device device);

/// Before anything is allocated. Errors: memory.exceeds_free; as memoryNeed().
Status checkMemory(const ModelFamily& family, const RunConfig& config,
                   const std::shared_ptr<const text::Dataset>& data, c10::Device device,
                   RunResolver* maybeResolver = nullptr, Processes processes = {});
/// The error of a need above what is free; nothing if it fits.
[[nodiscard]] std::optional<Error> memoryProblem(const MemoryNeed& need, std::optional<std::int64_t> free);

}  // namespace kurve::train
