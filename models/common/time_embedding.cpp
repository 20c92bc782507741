#include "models/common/time_embedding.h"

#include <torch/torch.h>

#include <cmath>

#include "core/base/check.h"

namespace kurve::models {

at::Tensor sinusoidFeatures(const at::Tensor& t, std::int64_t width) {
    KURVE_CHECK(width >= 2 && width % 2 == 0, "width {} is not even", width);
    const std::int64_t half = width / 2;
    const at::Tensor exponent = at::arange(half, t.options()) * (-std::log(1e4) / static_cast<double>(half)),
                     angle = t.unsqueeze(-1) * at::exp(exponent);
    return at::cat({at::cos(angle), at::sin(angle)}, -1);
}

TimeEmbeddingImpl::TimeEmbeddingImpl(const Widths& widths) : MlpImpl(widths, MlpActivation::Silu) {}

at::Tensor TimeEmbeddingImpl::forward(const at::Tensor& t) {
    return MlpImpl::forward(sinusoidFeatures(t, in->weight.size(1)));
}

}  // namespace kurve::models
