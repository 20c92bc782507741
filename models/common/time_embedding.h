#pragma once

#include "models/common/mlp.h"

namespace kurve::models {

/// [cos(t f_j), sin(t f_j)], f_j = 10000^(-2 j / width), j < width / 2 (DiT's and MDLM's code; `width` even):
/// t [...] -> [..., width], in its dtype and on its device.
[[nodiscard]] at::Tensor sinusoidFeatures(const at::Tensor& t, std::int64_t width);

/// The embedding of a time, a noise level or a guidance scale (Peebles and Xie 2023): a SiLU MLP, with
/// biases, of its widths.in sinusoid features. t [...] -> [..., widths.out]; t has the dtype of the weights.
class TimeEmbeddingImpl : public MlpImpl {
public:
    explicit TimeEmbeddingImpl(const Widths& widths);
    at::Tensor forward(const at::Tensor& t);
};
TORCH_MODULE(TimeEmbedding);

}  // namespace kurve::models
