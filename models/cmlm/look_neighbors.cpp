#include "models/cmlm/look_neighbors.h"

#include <torch/torch.h>

#include <limits>

#include "models/common/encoder.h"
#include "models/common/padding.h"

namespace kurve::models::cmlm {
namespace {

/// [B, L - 2, 1] bool: ordinary tokens among the columns 1 … L - 2.
at::Tensor ordinaryColumns(std::span<const std::int32_t> lengths, std::int64_t width, c10::Device device) {
    std::vector<std::int32_t> inner;
    for (const std::int32_t length : lengths) inner.push_back(std::max(length - 2, 0));
    return realPositions(inner, width - 2, device).unsqueeze(2);
}

}  // namespace

at::Tensor neighbourMask(std::span<const std::int32_t> lengths, std::int64_t width, std::int64_t window,
                         c10::Device device) {
    const auto rows = static_cast<std::int64_t>(lengths.size());
    at::Tensor mask = at::full({rows, 1, width, width}, -std::numeric_limits<float>::infinity(),
                               at::TensorOptions(at::kFloat).pinned_memory(device.is_cuda()));
    float* out = mask.mutable_data_ptr<float>();
    for (const std::int32_t length : lengths)
        for (std::int64_t i = 0; i < width; ++i, out += width) {
            const bool padding = i >= length;
            const std::int64_t first = padding ? 0 : std::max<std::int64_t>(0, i - window),
                               end = padding ? length : std::min<std::int64_t>(length, i + window + 1);
            std::fill(out + first, out + std::max(first, end), 0.0F);
        }
    return mask.to(device, /*non_blocking=*/true);
}

CmlmLayerImpl::CmlmLayerImpl(const LayerSizes& sizes, bool neighbours) : DecoderLayerImpl(sizes) {
    if (!neighbours) return;
    neighbourAttention = register_module("neighbours", SelfAttention(sizes.hidden, sizes.heads));
    alpha = register_parameter("alpha", at::full({}, 0.5));
}

at::Tensor CmlmLayerImpl::selfAttention(const at::Tensor& x, const Masks& masks, const ForwardPass& pass,
                                        const std::string& layer) {
    const at::Tensor full = attention(x, masks.self, pass, layer);
    if (!neighbourAttention) return full;
    const at::Tensor near = neighbourAttention(x, masks.neighbours, pass, layer + "-neighbours");
    return mixed(full, near);
}

at::Tensor CmlmLayerImpl::selfAttentionAtPositions(const at::Tensor& queries, const at::Tensor& x,
                                                   const Masks& masks) {
    const at::Tensor full = attention->forwardAtPositions(queries, x, masks.self);
    return neighbourAttention
               ? mixed(full, neighbourAttention->forwardAtPositions(queries, x, masks.neighbours))
               : full;
}

at::Tensor CmlmLayerImpl::mixed(const at::Tensor& full, const at::Tensor& near) const {
    return near + alpha * (full - near);
}

LookNeighborsTopImpl::LookNeighborsTopImpl(const Shape& shape) : shape_(shape) {
    const std::int64_t pair = 2 * shape.width;
    if (shape.inner > 0) in = register_module("in", unbiased(pair, shape.inner));
    out = register_module("out", unbiased(shape.inner > 0 ? shape.inner : pair, shape.width));
}

at::Tensor LookNeighborsTopImpl::forward(const at::Tensor& states, std::span<const std::int32_t> lengths,
                                         const ForwardPass& pass) {
    const std::int64_t width = states.size(1), inner = width - 2;
    if (inner < 1) return states;
    const at::Tensor own = states.narrow(1, 1, inner);
    const at::Tensor pair = at::cat({states.narrow(1, 0, inner), states.narrow(1, 2, inner)}, 2);
    at::Tensor middle;
    if (in)
        middle = pass.dropped(at::gelu(own + out(at::gelu(in(pair)))), "decoder.top");
    else
        middle = own + out(pair);
    if (shape_.bySentence && !isFull(lengths, width))
        middle = at::where(ordinaryColumns(lengths, width, states.device()), middle, own);
    return at::cat({states.narrow(1, 0, 1), middle, states.narrow(1, width - 1, 1)}, 1);
}

at::Tensor LookNeighborsTopImpl::forwardAtPositions(const at::Tensor& own, const at::Tensor& left,
                                                    const at::Tensor& right) {
    const at::Tensor pair = at::cat({left, right}, -1);
    return in ? at::gelu(own + out(at::gelu(in(pair)))) : own + out(pair);
}

}  // namespace kurve::models::cmlm
