#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "models/common/forward_pass.h"
#include "models/common/linear.h"

namespace kurve::models {

/// Adaptive layer norm (DiT, Peebles and Xie 2023, section 3): a residual branch f becomes
/// x + gate f(LN(x) (1 + scale) + shift). The tensors broadcast to x: [B, 1, H], or [H] where the condition
/// is the same for all; undefined: the plain branch (shift 0, scale 0, gate 1).
struct Modulation {
    at::Tensor shift, scale, gate;
};

/// A modulation of [B, 1, H] for queries of several rows, [n, H]; one for all rows stays.
[[nodiscard]] at::Tensor atRows(const at::Tensor& vectors, const at::Tensor& rows);
[[nodiscard]] Modulation atRows(const Modulation& modulation, const at::Tensor& rows);

/// The outputs of `linear`, which maps the condition to `count` vectors of width H, in order: a condition
/// [B, C] gives [B, 1, H] each, a condition [C] gives [H].
[[nodiscard]] std::vector<at::Tensor> modulationVectors(Linear& linear, const at::Tensor& condition,
                                                        std::int64_t count);

/// residual + gate dropped(branch).
[[nodiscard]] at::Tensor addGated(const at::Tensor& residual, const at::Tensor& branch,
                                  const at::Tensor& maybeGate, const ForwardPass& pass,
                                  const std::string& layer);

/// normed (1 + scale) + shift, for a norm of the caller's.
[[nodiscard]] at::Tensor modulated(const at::Tensor& normed, const Modulation& modulation);

struct NormSettings {
    enum class Kind : std::uint8_t { LayerNorm, RmsNorm } kind = Kind::LayerNorm;
    double epsilon = 1e-5;
};

/// LayerNorm, or RMSNorm x / sqrt(mean(x^2) + eps) (Zhang and Sennrich 2019), with a weight and no bias, and
/// the modulation's shift and scale; without a modulation the plain norm. [..., H] -> [..., H].
class ModulatedNormImpl : public torch::nn::Module {
public:
    explicit ModulatedNormImpl(std::int64_t width, const NormSettings& settings = {});
    at::Tensor forward(const at::Tensor& x, const Modulation& modulation = {});

    at::Tensor weight;

private:
    [[nodiscard]] at::Tensor normed(const at::Tensor& x, const std::optional<at::Tensor>& maybeWeight,
                                    const at::Tensor& maybeShift) const;

    NormSettings settings_;
};
TORCH_MODULE(ModulatedNorm);

}  // namespace kurve::models
