#include "models/concept/concept_net.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/tensor/autocast.h"
#include "core/tensor/to_device.h"
#include "models/common/decoding.h"
#include "models/common/encoder.h"
#include "models/common/padding.h"

namespace kurve::models::sentence_concept {
namespace {

constexpr double kEpsilon = 1e-6;        // of the vectors' root mean square
constexpr double kAveraged = 100;        // batches that the scaler's average reaches over
constexpr double kGaussianIqr = 0.7413;  // standard deviations in an interquartile range, inverted

PreNormSizes blockSizes(const ConceptSizes& sizes, AttentionDirection direction) {
    return {.hidden = sizes.hidden, .heads = sizes.heads, .ffn = sizes.ffn, .direction = direction};
}

}  // namespace

ConceptNetImpl::ConceptNetImpl(const ConceptSizes& sizes, VectorSource maybeVectors)
    : sizes_(sizes), maybeVectors_(std::move(maybeVectors)) {
    KURVE_CHECK(sizes.ownEncoder != static_cast<bool>(maybeVectors_), "one encoder, its own or another");
    const std::int64_t hidden = sizes.hidden, places = sizes.slots ? sizes.maxTokens : 1;
    embedding = register_module("embedding", zeroTable(sizes.vocabulary, hidden));
    positions = register_module("positions", zeroTable(sizes.maxTokens, hidden));
    for (std::int64_t i = 0; i < sizes.encoderLayers; ++i)
        encoder.push_back(register_module("encoder_" + std::to_string(i),
                                          PreNormBlock(blockSizes(sizes, AttentionDirection::Both))));
    if (sizes.ownEncoder) {
        encoderNorm = register_module("encoder_norm", ModulatedNorm(hidden));
        toVector = register_module("to_vector", Linear(places * hidden, sizes.width));
    }
    fromVector = register_module("from_vector", Linear(sizes.width, places * hidden));
    for (std::int64_t i = 0; i < sizes.decoderLayers; ++i)
        decoder.push_back(register_module("decoder_" + std::to_string(i),
                                          PreNormBlock(blockSizes(sizes, AttentionDirection::Causal))));
    decoderNorm = register_module("decoder_norm", ModulatedNorm(hidden));
    center = register_buffer("center", at::zeros({sizes.width}));
    scale = register_buffer("scale", at::ones({sizes.width}));
    seen = register_buffer("seen", at::zeros({}));
}

at::Tensor ConceptNetImpl::embed(const at::Tensor& ids, std::int64_t first) {
    return at::embedding(embedding->weight, ids) * std::sqrt(static_cast<double>(sizes_.hidden)) +
           positions->weight.narrow(0, first, ids.size(1));
}

at::Tensor ConceptNetImpl::encode(const Sentences& sentences) {
    if (maybeVectors_) return maybeVectors_(sentences).to(embedding->weight.scalar_type());
    const std::int64_t length = sentences.ids.size(1);
    BlockContext context;
    context.maybeMask = attentionMask(sentences.lengths, length, sentences.ids.device());
    at::Tensor x = embed(sentences.ids, 0);
    for (PreNormBlock& block : encoder) x = block(x, context, ForwardPass{}, "encoder");
    const at::Tensor real = realPositions(sentences.lengths, length, x.device()).to(x.scalar_type());
    x = encoderNorm(x) * real.unsqueeze(-1);
    // Padding is zero: its columns of the matrix need not be multiplied.
    const at::Tensor u =
        sizes_.slots ? tensor::linear(x.flatten(1), toVector->weight.narrow(1, 0, length * sizes_.hidden),
                                      toVector->bias)
                     : toVector(x.sum(1) / real.sum(1, true));
    const at::Tensor vectors = tensor::atLeastFloat(u);
    return vectors / (vectors.square().mean(-1, true) + kEpsilon).sqrt();
}

at::Tensor ConceptNetImpl::slots(const at::Tensor& vectors, std::int64_t first, std::int64_t count) {
    if (!sizes_.slots) return fromVector(vectors).unsqueeze(1);
    const std::int64_t hidden = sizes_.hidden;
    return tensor::linear(vectors, fromVector->weight.narrow(0, first * hidden, count * hidden),
                          fromVector->bias.narrow(0, first * hidden, count * hidden))
        .view({vectors.size(0), count, hidden});
}

at::Tensor ConceptNetImpl::decode(const at::Tensor& vectors, const at::Tensor& ids) {
    const std::int64_t length = ids.size(1);
    const at::Tensor begin = at::full({ids.size(0), 1}, sizes_.special.bos, ids.options());
    at::Tensor x = embed(at::cat({begin, ids.narrow(1, 0, length - 1)}, 1), 0) + slots(vectors, 0, length);
    for (PreNormBlock& block : decoder) x = block(x, BlockContext{}, ForwardPass{}, "decoder");
    return decoderNorm(x);
}

ConceptNetImpl::Written ConceptNetImpl::write(const at::Tensor& vectors) {
    const torch::NoGradGuard noGrad;
    const Evaluating evaluating(*this);
    const std::int64_t rows = vectors.size(0);
    DecodingCache cache({rows, sizes_.decoderLayers, sizes_.heads, sizes_.hidden / sizes_.heads},
                        vectors.options());
    const at::Tensor added = slots(vectors, 0, sizes_.slots ? sizes_.maxTokens : 1);
    at::Tensor token = at::full({rows, 1}, sizes_.special.bos, vectors.options().dtype(at::kLong));
    Written out{std::vector<std::vector<std::int32_t>>(static_cast<std::size_t>(rows)),
                std::vector<double>(static_cast<std::size_t>(rows))};
    std::vector<double> counted(static_cast<std::size_t>(rows));
    std::vector<bool> done(static_cast<std::size_t>(rows));
    for (std::int64_t i = 0; i < sizes_.maxTokens; ++i) {
        at::Tensor x = embed(token, i) + added.narrow(1, sizes_.slots ? i : 0, 1);
        for (std::size_t layer = 0; layer < decoder.size(); ++layer)
            x = decoder[layer]->extend(x, BlockContext{}, {cache, static_cast<std::int64_t>(layer)});
        cache.advance();
        const auto [logP, best] =
            at::log_softmax(at::matmul(decoderNorm(x).squeeze(1), outputTable().t()), -1).max(-1);
        token = best.unsqueeze(1);
        const at::Tensor ids = best.to(at::kCPU), scores = logP.to(at::kCPU, at::kDouble);
        for (std::int64_t r = 0; r < rows; ++r) {
            const auto row = static_cast<std::size_t>(r);
            if (done[row]) continue;
            const auto id = static_cast<std::int32_t>(ids.const_data_ptr<std::int64_t>()[r]);
            out.score[row] += scores.const_data_ptr<double>()[r];
            ++counted[row];
            done[row] = sizes_.special.isFrame(id);
            if (!done[row]) out.ids[row].push_back(id);
        }
        if (std::find(done.begin(), done.end(), false) == done.end()) break;
    }
    for (std::size_t row = 0; row < out.score.size(); ++row) out.score[row] /= counted[row];
    return out;
}

void ConceptNetImpl::observe(const at::Tensor& vectors) {
    const torch::NoGradGuard noGrad;
    const at::Tensor levels = tensor::toDevice(at::tensor({0.25, 0.5, 0.75}, at::kFloat), vectors.device()),
                     quartiles = at::quantile(vectors.detach().to(at::kFloat), levels, 0);
    seen.add_(1);
    const at::Tensor share = seen.clamp_max(kAveraged).reciprocal();
    center.lerp_(quartiles[1].to(center.scalar_type()), share);
    const at::Tensor spread = (quartiles[2] - quartiles[0]) * kGaussianIqr;
    scale.lerp_(at::where(spread > 0, spread, at::ones_like(spread)).to(scale.scalar_type()), share);
}

Initializer conceptInitializer(const ConceptSizes& sizes, const std::string& name,
                               const at::Tensor& parameter) {
    if (endsWith(name, "norm.weight")) return ones();
    if (endsWith(name, ".bias")) return zeros();
    if (name == "embedding.weight" || name == "positions.weight")
        return normal(1 / std::sqrt(static_cast<double>(sizes.hidden)));
    return normal(1 / std::sqrt(static_cast<double>(parameter.size(1))));
}

}  // namespace kurve::models::sentence_concept
