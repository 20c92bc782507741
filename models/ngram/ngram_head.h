#pragma once

#include <torch/nn/modules/embedding.h>

#include <functional>

#include "core/curve/spline.h"
#include "models/common/curve_mixture.h"
#include "models/common/linear.h"

namespace kurve::models::ngram {

struct HeadSizes {
    std::int64_t hidden = 0;
    std::int64_t tokens = 3;  ///< n
    std::int64_t curves = 1;  ///< N
    std::int64_t points = 0;  ///< M; 0: a step of the LSTM is a token
    /// Psi [n, M], for the first pass: modules are also made on shapes without data.
    std::function<curve::Matrix()> psi = {};

    [[nodiscard]] std::int64_t steps() const { return points > 0 ? points : tokens; }
};

/// The head of the semi-autoregressive model (SCLM, sec. 5.4 and App. B.3): an LSTM whose first hidden state
/// is the Transformer's, its cell zero and its inputs learned step embeddings, gives the vectors of the next
/// n tokens; or the M control points of a curve, of which they are points. With N > 1 a first step on the
/// curve token e_n gives the curve's score. Works in float32 and float64.
class NgramHeadImpl final : public torch::nn::Module {
public:
    explicit NgramHeadImpl(const HeadSizes& sizes);
    /// states [R, H] -> [n, R, H]: their products with the embedding are the logits of the tokens after each
    /// state. N curves are mixed, or while decoding (ForwardPass::decoding) the likeliest is taken.
    at::Tensor forward(const at::Tensor& states, const ForwardPass& pass);
    [[nodiscard]] std::int64_t tokens() const { return sizes_.tokens; }

    torch::nn::Embedding steps{nullptr};        ///< [n or M, H]
    Linear input{nullptr}, recurrent{nullptr};  ///< to the gates i, f, g, o: [4H, H]

private:
    /// Hidden states after every step, each [R N, H].
    [[nodiscard]] std::vector<at::Tensor> run(const at::Tensor& states);
    /// [M, R N, H] -> [n, R N, H]
    [[nodiscard]] at::Tensor pointsOfCurve(const at::Tensor& controlPoints);

    HeadSizes sizes_;
    CurveMixture mixture_;
    at::Tensor psi_;  ///< as the last states' dtype and device
};
TORCH_MODULE(NgramHead);

/// Initial values: step embeddings N(0, 1) and the LSTM uniform on +-1/sqrt(H), PyTorch's defaults. `name`
/// without the head's own.
[[nodiscard]] Initializer headInitializer(const HeadSizes& sizes, const std::string& name);

}  // namespace kurve::models::ngram
