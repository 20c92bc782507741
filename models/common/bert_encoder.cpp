#include "models/common/bert_encoder.h"

#include <torch/torch.h>

#include "core/base/check.h"
#include "models/common/encoder.h"

namespace kurve::models {

BertEncoderImpl::BertEncoderImpl(const BertSizes& sizes)
    : words(register_module("words", zeroTable(sizes.vocabulary, sizes.layer.hidden))),
      positions(register_module("positions", zeroTable(sizes.maxPositions, sizes.layer.hidden))),
      embeddingNorm(
          register_module("embedding_norm", layerNorm(sizes.layer.hidden, sizes.layer.normEpsilon))) {
    if (sizes.tokenTypes > 0)
        tokenTypes = register_module("token_types", zeroTable(sizes.tokenTypes, sizes.layer.hidden));
    for (std::int64_t i = 0; i < sizes.layers; ++i)
        layers.push_back(register_module("layer_" + std::to_string(i), EncoderLayer(sizes.layer)));
}

at::Tensor BertEncoderImpl::embed(const at::Tensor& ids, const at::Tensor& maybeTypes,
                                  const ForwardPass& pass) {
    const std::int64_t length = ids.size(1);
    KURVE_CHECK(length <= positions->weight.size(0), "{} positions of {}", length, positions->weight.size(0));
    KURVE_CHECK(tokenTypes || !maybeTypes.defined(), "token types for an encoder without them");
    at::Tensor x = at::embedding(words->weight, ids) + positions->weight.narrow(0, 0, length);
    if (maybeTypes.defined())
        x = x + at::embedding(tokenTypes->weight, maybeTypes);
    else if (tokenTypes)
        x = x + tokenTypes->weight.select(0, 0);
    return pass.dropped(embeddingNorm(x), "encoder");
}

at::Tensor BertEncoderImpl::forward(const at::Tensor& ids, const at::Tensor& maybeTypes,
                                    const at::Tensor& mask, const ForwardPass& pass) {
    return runEncoder(layers, embed(ids, maybeTypes, pass), mask, pass);
}

}  // namespace kurve::models
