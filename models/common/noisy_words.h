#pragma once

#include <ATen/core/Tensor.h>

namespace kurve::models {

/// The input of a network that denoises embeddings.
struct Noisy {
    at::Tensor words;     ///< z_t [B, L, d]
    at::Tensor previous;  ///< Estimate::selfConditioning of an earlier pass; undefined = zeros
    at::Tensor time;      ///< its embedding: [B, H] or [1, H]
};

struct Estimate {
    at::Tensor words;             ///< z_0-hat [B, L, d]
    at::Tensor selfConditioning;  ///< for the next pass: `words`, or another estimate
    at::Tensor tokens;            ///< its control tokens [B, M, d]; only if the pass captures states
};

}  // namespace kurve::models
