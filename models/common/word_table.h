#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace kurve::models {

/// The words of a model that denoises their embeddings: how a vector is rounded to one, and what is diffused
/// of one.
struct WordTable {
    at::Tensor embeddings;      ///< E [V, d]
    at::Tensor maybeBias = {};  ///< b [V] of the logits x E^T + b
    /// z_0 of rows of E, [..., d]; empty: the rows themselves.
    std::function<at::Tensor(const at::Tensor& rows)> latentOf = {};

    [[nodiscard]] at::Tensor logits(const at::Tensor& x) const;
    /// z_0 of ids [n] i64, [n, d].
    [[nodiscard]] at::Tensor latents(const at::Tensor& ids) const;
};

}  // namespace kurve::models
