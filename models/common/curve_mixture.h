#pragma once

#include <torch/nn/modules/embedding.h>

#include "models/common/forward_pass.h"
#include "models/common/init.h"
#include "models/common/mlp.h"

namespace kurve::models {

/// N-curve prediction (SCLM, sec. 4.2): N copies of the tokens, each after its own token e_n; a scorer on
/// e_n's last state gives the weights of their mixture. Its parameters "curve_tokens" and "curve_scorer" are
/// registered with its owner. For N = 1 it has none and changes nothing.
class CurveMixture {
public:
    CurveMixture(torch::nn::Module& owner, std::int64_t curves, std::int64_t hidden);
    [[nodiscard]] std::int64_t curves() const { return curves_; }

    /// [B, M, H] -> [B N, M + 1, H]: e_n plus `maybeHead` [B or 1, H], then the tokens.
    [[nodiscard]] at::Tensor copies(const at::Tensor& tokens, const at::Tensor& maybeHead) const;
    /// An attentionMask() of tokens as one of copies().
    [[nodiscard]] at::Tensor mask(const at::Tensor& maybeMask) const;
    /// The pass over copies(): dropout counts their rows.
    [[nodiscard]] ForwardPass wide(const ForwardPass& pass) const;
    /// Last states of copies(), [B N, M + 1, H] -> [B, M, H]: the mixture, or while decoding the curve of the
    /// largest weight. Captures, one entry each, "curves" [B, N, M, H] and "curve_weights" [B, N], and
    /// reduces what was captured before to the chosen curve.
    [[nodiscard]] at::Tensor mixed(const at::Tensor& states, const ForwardPass& pass);

private:
    void keepChosen(StateCapture& capture, const at::Tensor& rows) const;

    std::int64_t curves_;
    torch::nn::Embedding tokens_{nullptr};  ///< e_n
    Mlp scorer_{nullptr};
};

/// Initial values of its parameters; empty for other names.
[[nodiscard]] Initializer curveMixtureInitializer(const std::string& name);

}  // namespace kurve::models
