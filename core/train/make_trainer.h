#pragma once

#include <memory>

#include "core/text/dataset.h"
#include "core/train/model_family.h"
#include "core/train/trainer.h"

namespace kurve::train {

/// The models of `config` (as many as train.cpu_replicas on a CPU; a GPU computes a batch as one) with
/// initial values, and the trainer over them. Errors: those of the family.
Result<std::unique_ptr<Trainer>> makeTrainer(const ModelFamily& family, const RunConfig& config,
                                             const text::Dataset& data, c10::Device device, int threads);

}  // namespace kurve::train
