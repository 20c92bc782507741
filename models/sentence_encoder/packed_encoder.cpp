#include "models/sentence_encoder/packed_encoder.h"

#include <torch/torch.h>

#include <atomic>
#include <thread>

#include "core/train/compute_thread.h"
#include "models/common/attention.h"

namespace kurve::models::sentence_encoder {
namespace {

using Scalars = c10::List<std::optional<at::Scalar>>;

template <class Signature>
c10::TypedOperatorHandle<Signature> operation(const char* name) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

/// `activation`: "none", "gelu", "relu", "swish".
at::Tensor product(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                   std::string_view activation, std::string_view algorithm) {
    static const auto call =
        operation<at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                             std::string_view, Scalars, std::optional<std::string_view>)>(
            "mkldnn::_linear_pointwise");
    return call.call(x, weight, bias, activation, Scalars(), algorithm);
}

at::Tensor activatedProduct(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                            MlpActivation activation) {
    switch (activation) {
        case MlpActivation::Relu:
            return product(x, weight, bias, "relu", "");
        case MlpActivation::GeluTanh:
            return product(x, weight, bias, "gelu", "tanh");
        case MlpActivation::Silu:
            return product(x, weight, bias, "swish", "");
        case MlpActivation::Gelu:
        case MlpActivation::SwiGlu:
            break;
    }
    return product(x, weight, bias, "gelu", "none");
}

at::Tensor normed(const at::Tensor& x, const torch::nn::LayerNorm& norm) {
    return at::layer_norm(x, norm->options.normalized_shape(), norm->weight, norm->bias, norm->options.eps());
}

}  // namespace

PackedEncoder::PackedEncoder(EncoderNet net) : net_(std::move(net)) {
    const torch::NoGradGuard noGrad;
    const at::Tensor& words = net_->bert->words->weight;
    if (!words.is_cpu() || words.scalar_type() != at::kFloat || !at::hasMKLDNN()) return;
    for (const EncoderLayer& layer : net_->bert->layers)
        layers_.push_back({packed(layer->attention->qkv), packed(layer->attention->out),
                           packed(layer->ffn->in), packed(layer->ffn->out)});
}

PackedEncoder::Linear PackedEncoder::packed(const models::Linear& linear) {
    static const auto call = operation<at::Tensor(const at::Tensor&, std::optional<c10::SymInt>)>(
        "mkldnn::_reorder_linear_weight");
    return {call.call(linear->weight.detach().contiguous(), std::nullopt), linear->bias.detach()};
}

at::Tensor PackedEncoder::attended(const at::Tensor& x, const Layer& layer, std::int64_t length) const {
    const std::int64_t heads = net_->sizes().bert.layer.heads, hidden = x.size(1);
    const std::vector<at::Tensor> all = product(x, layer.qkv.weight, layer.qkv.bias, "none", "")
                                            .view({-1, length, 3, heads, hidden / heads})
                                            .unbind(2);
    const at::Tensor found =
        attend(all[0].transpose(1, 2), all[1].transpose(1, 2), all[2].transpose(1, 2), at::Tensor());
    return product(found.transpose(1, 2).reshape(x.sizes()), layer.out.weight, layer.out.bias, "none", "");
}

at::Tensor PackedEncoder::operator()(const at::Tensor& ids) {
    const torch::NoGradGuard noGrad;
    const std::vector<std::int32_t> lengths(static_cast<std::size_t>(ids.size(0)),
                                            static_cast<std::int32_t>(ids.size(1)));
    if (layers_.empty()) return net_(ids, lengths);
    at::Tensor x = net_->bert->embed(ids, at::Tensor(), ForwardPass{}).flatten(0, 1);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        const EncoderLayer& own = net_->bert->layers[i];
        const Layer& layer = layers_[i];
        x = normed(attended(x, layer, ids.size(1)).add_(x), own->attentionNorm);
        const at::Tensor inner =
            activatedProduct(x, layer.inner.weight, layer.inner.bias, net_->sizes().bert.layer.activation);
        x = normed(product(inner, layer.outer.weight, layer.outer.bias, "none", "").add_(x), own->ffnNorm);
    }
    return net_->pooled(x.view({ids.size(0), ids.size(1), -1}), lengths);
}

void inThreads(int threads, std::size_t count, const std::function<void(std::size_t)>& work) {
    std::atomic<std::size_t> next{0};
    const auto takeTurns = [&] {
        const torch::NoGradGuard noGrad;  // of this thread
        for (std::size_t i = next++; i < count; i = next++) work(i);
    };
    if (threads <= 1) return takeTurns();
    std::vector<std::jthread> all;
    for (int i = 0; i < threads; ++i)
        all.emplace_back([&] {
            train::prepareComputeThread(1);
            takeTurns();
        });
}

}  // namespace kurve::models::sentence_encoder
