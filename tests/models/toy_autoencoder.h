#pragma once

#include "core/train/run_reference.h"

namespace kurve::models::testing {

/// Finds one run, whatever the name: an autoencoder of the toy task that gives its sentences back, in chunks
/// of so many tokens or (family concept) whole. Lives to the end of the program.
[[nodiscard]] train::RunResolver& toyAutoencoder(std::int64_t chunk = 4, at::Device device = at::kCPU,
                                                 const std::string& family = "calm_autoencoder");

}  // namespace kurve::models::testing
