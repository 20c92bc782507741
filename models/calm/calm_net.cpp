#include "models/calm/calm_net.h"

#include <torch/torch.h>

#include <cmath>

#include "core/base/check.h"
#include "models/common/encoder.h"
#include "models/common/layers.h"

namespace kurve::models::calm {
namespace {

constexpr double kPublishedStddev = 0.02;

PreNormSizes blockSizes(const CalmSizes& sizes) {
    return {.hidden = sizes.hidden,
            .heads = sizes.heads,
            .ffn = sizes.ffn,
            .direction = AttentionDirection::Causal,
            .norm = {NormSettings::Kind::RmsNorm, kNormEpsilon},
            .activation = MlpActivation::SwiGlu,
            .ffnBias = false};
}

}  // namespace

CalmNetImpl::CalmNetImpl(const CalmSizes& sizes) : sizes_(sizes), rotary_(sizes.hidden / sizes.heads) {
    const std::int64_t hidden = sizes.hidden;
    if (sizes.readsTokens()) {
        embedding = register_module("embedding", zeroTable(sizes.vocabulary, hidden, sizes.special.pad));
        compress = register_module(
            "compress", Mlp(MlpImpl::Widths{sizes.chunk * hidden, 2 * hidden, hidden}, MlpActivation::Silu));
        compressNorm = register_module("compress_norm", layerNorm(hidden, kNormEpsilon));
    }
    if (sizes.readsLatents()) latentInput = register_module("latent_input", Linear(sizes.latent, hidden));
    for (std::int64_t i = 0; i < sizes.layers; ++i)
        blocks.push_back(register_module("block_" + std::to_string(i), PreNormBlock(blockSizes(sizes))));
    norm = register_module("norm",
                           ModulatedNorm(hidden, NormSettings{NormSettings::Kind::RmsNorm, kNormEpsilon}));
}

at::Tensor CalmNetImpl::inputs(const at::Tensor& ids, const at::Tensor& maybeLatents) {
    at::Tensor x;
    if (sizes_.readsTokens())
        x = compressNorm(compress(at::embedding(embedding->weight, ids, sizes_.special.pad).flatten(-2)));
    if (!sizes_.readsLatents()) return x;
    const at::Tensor y = latentInput(maybeLatents);
    return x.defined() ? x + y : y;
}

BlockContext CalmNetImpl::context(std::int64_t first, std::int64_t count) {
    KURVE_CHECK(first + count <= sizes_.maxChunks, "chunks {}..{} of {}", first, first + count,
                sizes_.maxChunks);
    const RotaryTable all = rotary_.table({sizes_.maxChunks}, norm->weight);
    return {{}, {}, {all.cosine.narrow(0, first, count), all.sine.narrow(0, first, count)}};
}

at::Tensor CalmNetImpl::states(const at::Tensor& inputs, const ForwardPass& pass) {
    const BlockContext shared = context(0, inputs.size(1));
    at::Tensor x = inputs;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        x = blocks[i](x, shared, pass, "block." + std::to_string(i));
        if (pass.maybeCapture != nullptr && pass.maybeCapture->hidden)
            pass.maybeCapture->tensors["hidden/" + std::to_string(i)] = x.detach();
    }
    return norm(x);
}

at::Tensor CalmNetImpl::extend(const at::Tensor& inputs, DecodingCache& cache) {
    const BlockContext shared = context(cache.length(), inputs.size(1));
    at::Tensor x = inputs;
    for (std::size_t i = 0; i < blocks.size(); ++i)
        x = blocks[i]->extend(x, shared, {cache, static_cast<std::int64_t>(i)});
    cache.advance(inputs.size(1));
    return norm(x);
}

DecodingCache CalmNetImpl::newCache(std::int64_t rows) const {
    return DecodingCache({rows, sizes_.layers, sizes_.heads, sizes_.hidden / sizes_.heads},
                         norm->weight.options());
}

at::Tensor readChunks(const at::Tensor& ids, const text::SpecialIds& special) {
    const at::Tensor first = at::full({ids.size(0), 1, ids.size(2)}, special.bos, ids.options());
    return at::cat({first, ids.narrow(1, 0, ids.size(1) - 1)}, 1);
}

Initializer plainInitializer(bool published, const std::string& name, const at::Tensor& parameter) {
    if (endsWith(name, "norm.weight")) return ones();
    if (endsWith(name, ".bias")) return zeros();
    return normal(published ? kPublishedStddev : 1 / std::sqrt(static_cast<double>(parameter.size(1))));
}

Initializer calmInitializer(const CalmSizes& sizes, bool published, const std::string& name,
                            const at::Tensor& parameter) {
    if (name == "embedding.weight")
        return withZeroRow(
            sizes.special.pad,
            normal(published ? kPublishedStddev : 1 / std::sqrt(static_cast<double>(sizes.hidden))));
    return plainInitializer(published, name, parameter);
}

}  // namespace kurve::models::calm
