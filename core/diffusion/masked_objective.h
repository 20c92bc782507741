#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace kurve::diffusion {

/// -log p(target) [n] under the SUBS parameterisation (MDLM, Sahoo et al. 2024): p =
/// softmax(states table^T + bias) without the column of the mask token, whose probability is 0; unmasked
/// tokens cost nothing and are not passed in. states [n, H], table [V, H] with V >= 2, bias [V] or none,
/// ids [n] i64; all floats of one dtype. Infinite where the target is the mask token. Differentiable once by
/// states, table and bias. The n x V logits exist once and are overwritten by what the gradient needs.
[[nodiscard]] at::Tensor maskedNll(const at::Tensor& states, const at::Tensor& table,
                                   const std::optional<at::Tensor>& maybeBias, const at::Tensor& ids,
                                   std::int64_t maskId);

/// The tokens whose loss is computed, in the order of positions.
struct MaskedTokens {
    at::Tensor positions;  ///< [n] i64 into the flattened [B L]
    at::Tensor rows;       ///< [n] i64
};
/// Those masked and counted; both [B, L] bool on the host (on a GPU this would wait for it), as the results.
[[nodiscard]] MaskedTokens maskedTokens(const at::Tensor& mask, const at::Tensor& counted);

/// [B]: sum over a row's masked tokens of w_row nll. nll [n], rows [n] i64, weights [B]; in the wider of the
/// two dtypes (f64 weights for an evaluation). Differentiable by nll. The loss is its sum over
/// that of the tokens that count, masked or not (MDLM's code, diffusion.py); not over the weights' sum.
[[nodiscard]] at::Tensor weightedNll(const at::Tensor& nll, const at::Tensor& rows,
                                     const at::Tensor& weights);

}  // namespace kurve::diffusion
