#include "models/calm_autoencoder/autoencoder_net.h"

#include <torch/torch.h>

#include <cmath>
#include <limits>

#include "core/tensor/activation_checkpointing.h"
#include "core/tensor/autocast.h"
#include "core/tensor/ops/fused_layers.h"
#include "models/common/encoder.h"

namespace kurve::models::calm_autoencoder {
namespace {

constexpr NormSettings kRms{NormSettings::Kind::RmsNorm, 1e-6};
constexpr double kPublishedStddev = 0.02;
constexpr std::int64_t kDecodedAtOnce = 128;  // chunks, whose states stay in the cache

}  // namespace

AutoencoderBlockImpl::AutoencoderBlockImpl(const AutoencoderSizes& sizes)
    : norm(register_module("norm", ModulatedNorm(sizes.hidden, kRms))),
      ffn(register_module("ffn", Mlp(MlpImpl::Widths{sizes.hidden, sizes.ffn, sizes.hidden},
                                     MlpActivation::SwiGlu, /*bias=*/false))) {}

at::Tensor AutoencoderBlockImpl::forward(const at::Tensor& x) {
    return tensor::checkpointed(
        {x}, [this](const std::vector<at::Tensor>& inputs) { return inputs[0] + ffn(norm(inputs[0])); });
}

AutoencoderNetImpl::AutoencoderNetImpl(const AutoencoderSizes& sizes)
    : embedding(register_module("embedding", zeroTable(sizes.vocabulary, sizes.hidden))), sizes_(sizes) {
    const auto linear = [this](const char* name, std::int64_t in, std::int64_t out) {
        return register_module(name, Linear(in, out));
    };
    const std::int64_t hidden = sizes.hidden, wide = sizes.chunk * hidden;
    for (std::int64_t i = 0; i < sizes.encoderLayers; ++i)
        encoder_.push_back(register_module("encoder_block_" + std::to_string(i), AutoencoderBlock(sizes)));
    squeeze_ = linear("squeeze", wide, hidden);
    encoderNorm_ = register_module("encoder_norm", ModulatedNorm(hidden, kRms));
    toLatent_ = linear("to_latent", hidden, sizes.variational ? 2 * sizes.latent : sizes.latent);
    fromLatent_ = linear("from_latent", sizes.latent, hidden);
    for (std::int64_t i = 0; i < sizes.decoderLayers; ++i)
        decoder_.push_back(register_module("decoder_block_" + std::to_string(i), AutoencoderBlock(sizes)));
    expand_ = linear("expand", hidden, wide);
    decoderNorm_ = register_module("decoder_norm", ModulatedNorm(hidden, kRms));
}

Posterior AutoencoderNetImpl::encode(const at::Tensor& ids) {
    at::Tensor x = at::embedding(embedding->weight, ids);
    for (std::size_t i = 0; i < encoder_.size(); ++i) {
        if (2 * i == encoder_.size()) x = squeeze_(x.flatten(1));
        x = encoder_[i](x);
    }
    const at::Tensor out = tensor::atLeastFloat(toLatent_(encoderNorm_(x)));
    if (!sizes_.variational) return {out, at::full_like(out, -std::numeric_limits<double>::infinity())};
    const std::vector<at::Tensor> parts = out.chunk(2, -1);
    return {parts[0], parts[1]};
}

at::Tensor AutoencoderNetImpl::decode(const at::Tensor& z) {
    at::Tensor x = fromLatent_(z);
    for (std::size_t i = 0; i < decoder_.size(); ++i) {
        if (2 * i == decoder_.size()) x = expand_(x).view({-1, sizes_.chunk, sizes_.hidden});
        x = decoder_[i](x);
    }
    return decoderNorm_(x);
}

at::Tensor AutoencoderNetImpl::tokensOf(const at::Tensor& z) {
    std::vector<std::int64_t> shape = z.sizes().vec();
    shape.back() = sizes_.chunk;
    std::vector<at::Tensor> parts;
    for (const at::Tensor& part : z.reshape({-1, sizes_.latent}).split(kDecodedAtOnce))
        parts.push_back(tensor::largestProduct(decode(part).flatten(0, 1), outputTable()));
    return parts.empty() ? at::empty(shape, z.options().dtype(at::kLong)) : at::cat(parts).view(shape);
}

double AutoencoderNetImpl::encoderProducts() const {
    const auto& s = sizes_;
    const auto block = static_cast<double>(3 * s.hidden * s.ffn), k = static_cast<double>(s.chunk),
               halves = static_cast<double>(s.encoderLayers) / 2;
    return halves * (k + 1) * block +
           static_cast<double>(s.hidden * (s.chunk * s.hidden + (s.variational ? 2 : 1) * s.latent));
}

double AutoencoderNetImpl::decoderProducts() const {
    const auto& s = sizes_;
    const auto block = static_cast<double>(3 * s.hidden * s.ffn), k = static_cast<double>(s.chunk),
               halves = static_cast<double>(s.decoderLayers) / 2;
    return halves * (k + 1) * block +
           static_cast<double>(s.hidden * (s.latent + s.chunk * s.hidden + s.chunk * s.vocabulary));
}

Initializer autoencoderInitializer(const AutoencoderSizes& sizes, bool published, const std::string& name,
                                   const at::Tensor& parameter) {
    if (endsWith(name, "norm.weight")) return ones();
    if (endsWith(name, ".bias")) return zeros();
    if (published) return normal(kPublishedStddev);
    const std::int64_t fanIn = name == "embedding.weight" ? sizes.hidden : parameter.size(1);
    return normal(1 / std::sqrt(static_cast<double>(fanIn)));
}

}  // namespace kurve::models::calm_autoencoder
