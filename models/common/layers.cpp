#include "models/common/layers.h"

#include <torch/torch.h>

#include "core/schedule/noise_schedule.h"
#include "core/tensor/activation_checkpointing.h"

namespace kurve::models {
namespace {

Mlp feedForward(const LayerSizes& sizes) {
    return Mlp(MlpImpl::Widths{sizes.hidden, sizes.ffn, sizes.hidden}, sizes.activation);
}

}  // namespace

torch::nn::LayerNorm layerNorm(std::int64_t width, double epsilon) {
    return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}).eps(epsilon));
}

EncoderLayerImpl::EncoderLayerImpl(const LayerSizes& sizes)
    : attention(register_module("attention", SelfAttention(sizes.hidden, sizes.heads))),
      ffn(register_module("ffn", feedForward(sizes))),
      attentionNorm(register_module("attention_norm", layerNorm(sizes.hidden, sizes.normEpsilon))),
      ffnNorm(register_module("ffn_norm", layerNorm(sizes.hidden, sizes.normEpsilon))) {}

at::Tensor EncoderLayerImpl::forward(const at::Tensor& input, const at::Tensor& mask, const ForwardPass& pass,
                                     const std::string& layer) {
    return tensor::checkpointed({input}, [=, this](const std::vector<at::Tensor>& inputs) {
        at::Tensor x = inputs[0];
        x = attentionNorm(pass.addDropped(x, attention(x, mask, pass, layer), layer + ".attention"));
        return ffnNorm(pass.addDropped(x, ffn(x), layer + ".ffn"));
    });
}

DecoderLayerImpl::DecoderLayerImpl(const LayerSizes& sizes)
    : attention(register_module("attention", SelfAttention(sizes.hidden, sizes.heads))),
      cross(register_module("cross", CrossAttention(sizes.hidden, sizes.heads))),
      ffn(register_module("ffn", feedForward(sizes))),
      attentionNorm(register_module("attention_norm", layerNorm(sizes.hidden, sizes.normEpsilon))),
      crossNorm(register_module("cross_norm", layerNorm(sizes.hidden, sizes.normEpsilon))),
      ffnNorm(register_module("ffn_norm", layerNorm(sizes.hidden, sizes.normEpsilon))) {}

at::Tensor DecoderLayerImpl::forward(const at::Tensor& input, const KeyValue& encoder, const Masks& masks,
                                     const ForwardPass& pass, const std::string& layer) {
    const std::vector<at::Tensor> all{input, encoder.key, encoder.value};
    return tensor::checkpointed(all, [=, this](const std::vector<at::Tensor>& inputs) {
        at::Tensor x = inputs[0];
        x = attentionNorm(pass.addDropped(x, selfAttention(x, masks, pass, layer), layer + ".attention"));
        const KeyValue source{inputs[1], inputs[2]};
        if (pass.maybeCapture != nullptr && pass.maybeCapture->attention)
            pass.maybeCapture->tensors["cross_attention/" + layer.substr(layer.rfind('.') + 1)] =
                cross->weights(x, source, masks.cross).detach();
        x = crossNorm(pass.addDropped(x, cross(x, source, masks.cross), layer + ".cross"));
        return ffnNorm(pass.addDropped(x, ffn(x), layer + ".ffn"));
    });
}

at::Tensor DecoderLayerImpl::selfAttention(const at::Tensor& x, const Masks& masks, const ForwardPass& pass,
                                           const std::string& layer) {
    return attention(x, masks.self, pass, layer);
}

at::Tensor DecoderLayerImpl::selfAttentionAtPositions(const at::Tensor& queries, const at::Tensor& x,
                                                      const Masks& masks) {
    return attention->forwardAtPositions(queries, x, masks.self);
}

at::Tensor DecoderLayerImpl::forwardAtPositions(const at::Tensor& queries, const at::Tensor& x,
                                                const KeyValue& encoder, const Masks& masks) {
    at::Tensor y = attentionNorm(queries + selfAttentionAtPositions(queries, x, masks));
    y = crossNorm(y + cross(y, encoder, masks.cross));
    return ffnNorm(y + ffn(y));
}

at::Tensor DecoderLayerImpl::extend(at::Tensor x, const KeyValue& encoder, const at::Tensor& encoderMask,
                                    LayerCache cached) {
    const auto [query, key, value] = attention->project(x);
    const KeyValue all = cached.cache.append(cached.layer, key, value);
    x = attentionNorm(x + attention->projectOut(attend(query, all.key, all.value, {})));
    x = crossNorm(x + cross(x, encoder, encoderMask));
    return ffnNorm(x + ffn(x));
}

at::Tensor timestepEmbeddings(std::span<const double> modelTimes, std::int64_t width, c10::Device device) {
    const auto rows = static_cast<std::int64_t>(modelTimes.size());
    at::Tensor host = at::empty({rows, width}, at::TensorOptions(at::kFloat).pinned_memory(device.is_cuda()));
    auto* out = host.mutable_data_ptr<float>();
    for (const double time : modelTimes)
        for (const double value : schedule::timestepEmbedding(time, static_cast<int>(width)))
            *out++ = static_cast<float>(value);
    return host.to(device, /*non_blocking=*/true);
}

}  // namespace kurve::models
