#pragma once

#include "core/train/run_reference.h"

namespace kurve::models::testing {

/// Finds one run, whatever the name: an autoencoder of the toy task that gives its sentences back. Lives to
/// the end of the program.
[[nodiscard]] train::RunResolver& toyAutoencoder();

}  // namespace kurve::models::testing
