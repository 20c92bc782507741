#include "models/sentence_encoder/encoder_net.h"

#include <torch/torch.h>

#include <algorithm>

#include "core/base/check.h"
#include "models/common/encoder.h"
#include "models/common/padding.h"

namespace kurve::models::sentence_encoder {
namespace {

constexpr double kShortest = 1e-12;  // torch.nn.functional.normalize()

}  // namespace

EncoderNetImpl::EncoderNetImpl(const EncoderSizes& sizes)
    : bert(register_module("bert", BertEncoder(sizes.bert))), sizes_(sizes) {}

at::Tensor EncoderNetImpl::forward(const at::Tensor& ids, std::span<const std::int32_t> lengths) {
    KURVE_CHECK(std::none_of(lengths.begin(), lengths.end(), [](std::int32_t n) { return n < 1; }),
                "a sentence without tokens");
    const std::int64_t length = ids.size(1);
    return pooled(bert(ids, at::Tensor(), attentionMask(lengths, length, ids.device()), ForwardPass{}),
                  lengths);
}

at::Tensor EncoderNetImpl::pooled(const at::Tensor& states, std::span<const std::int32_t> lengths) const {
    const at::Tensor vectors =
        sizes_.pooling == Pooling::Mean ? meanState(states, lengths) : states.select(1, 0);
    if (!sizes_.normalize) return vectors;
    return vectors / vectors.norm(2, -1, true).clamp_min(kShortest);
}

Initializer encoderInitializer(const std::string& name, const at::Tensor& /*parameter*/) {
    if (endsWith(name, "norm.weight")) return ones();
    if (endsWith(name, ".bias")) return zeros();
    return normal(0.02);
}

}  // namespace kurve::models::sentence_encoder
