#include "models/common/attention.h"

#include <torch/torch.h>

#include "core/tensor/ops/short_attention.h"

namespace kurve::models {

at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const at::Tensor& mask) {
    std::optional<at::Tensor> added;
    if (mask.defined()) added = mask.to(query.scalar_type());  // a copy only for a network in doubles
    // The CPU's default kernel; for shapes without data torch would choose the one that stores all weights.
    if (query.is_meta())
        return std::get<0>(
            at::_scaled_dot_product_flash_attention_for_cpu(query, key, value, 0, false, added));
    const tensor::AttentionInputs all{query, key, value, added.value_or(at::Tensor())};
    if (tensor::fitsShortAttention(all)) return tensor::shortAttention(all);
    return at::scaled_dot_product_attention(query, key, value, added);
}

at::Tensor attendCausally(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
    if (query.is_meta())
        return std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(query, key, value, 0, true));
    const tensor::AttentionInputs all{query, key, value, {}, true};
    if (tensor::fitsShortAttention(all)) return tensor::shortAttention(all);
    return at::scaled_dot_product_attention(query, key, value, {}, 0, true);
}

at::Tensor attentionWeights(const at::Tensor& query, const at::Tensor& key, const at::Tensor& mask) {
    at::Tensor scores =
        at::matmul(query, key.transpose(-1, -2)) / std::sqrt(static_cast<double>(query.size(-1)));
    if (mask.defined()) scores = scores + mask;
    return at::softmax(scores, -1);
}

namespace {

/// Of [B, L, 3, heads, width].
SelfAttentionImpl::Projected partsOfBlock(const at::Tensor& block) {
    // unbind, not select: its gradient is one copy, not three blocks of zeros with a third filled in each.
    const std::vector<at::Tensor> all = block.unbind(2);
    return {all[0].transpose(1, 2), all[1].transpose(1, 2), all[2].transpose(1, 2)};
}

}  // namespace

SelfAttentionImpl::SelfAttentionImpl(std::int64_t hidden, std::int64_t heads)
    : qkv(register_module("qkv", Linear(hidden, 3 * hidden))),
      out(register_module("out", Linear(hidden, hidden))),
      heads_(heads) {}

SelfAttentionImpl::Projected SelfAttentionImpl::project(const at::Tensor& x) {
    return partsOfBlock(qkv(x).view({x.size(0), x.size(1), 3, heads_, x.size(2) / heads_}));
}

at::Tensor SelfAttentionImpl::forwardAtPositions(const at::Tensor& queries, const at::Tensor& x,
                                                 const at::Tensor& mask) {
    const std::int64_t hidden = x.size(2);
    const auto projected = [&](const at::Tensor& of, std::int64_t first, std::int64_t count) {
        return tensor::linear(of, qkv->weight.narrow(0, first * hidden, count * hidden),
                              qkv->bias.narrow(0, first * hidden, count * hidden))
            .view({of.size(0), of.size(1), count, heads_, hidden / heads_});
    };
    const at::Tensor query = projected(queries, 0, 1).select(2, 0).transpose(1, 2), both = projected(x, 1, 2);
    return projectOut(
        attend(query, both.select(2, 0).transpose(1, 2), both.select(2, 1).transpose(1, 2), mask));
}

at::Tensor SelfAttentionImpl::projectOut(const at::Tensor& heads) {
    return out(heads.transpose(1, 2).reshape({heads.size(0), heads.size(2), heads_ * heads.size(3)}));
}

at::Tensor SelfAttentionImpl::forward(const at::Tensor& x, const at::Tensor& mask, const ForwardPass& pass,
                                      const std::string& layer) {
    const bool captures = pass.maybeCapture != nullptr && pass.maybeCapture->attention;
    const at::Tensor block = qkv(x).view({x.size(0), x.size(1), 3, heads_, x.size(2) / heads_});
    if (const at::Tensor attended = captures ? at::Tensor() : tensor::maybeShortSelfAttention(block, mask);
        attended.defined())
        return out(attended.view(x.sizes()));
    const auto [query, key, value] = partsOfBlock(block);
    if (captures)
        pass.maybeCapture->tensors["attention/" + layer.substr(layer.rfind('.') + 1)] =
            attentionWeights(query, key, mask).detach();
    return projectOut(attend(query, key, value, mask));
}

CrossAttentionImpl::CrossAttentionImpl(std::int64_t hidden, std::int64_t heads)
    : query(register_module("query", Linear(hidden, hidden))),
      keyValue(register_module("key_value", Linear(hidden, 2 * hidden))),
      out(register_module("out", Linear(hidden, hidden))),
      heads_(heads) {}

KeyValue CrossAttentionImpl::project(const at::Tensor& encoderStates) {
    const std::int64_t hidden = encoderStates.size(2);
    const std::vector<at::Tensor> both =
        keyValue(encoderStates)
            .view({encoderStates.size(0), encoderStates.size(1), 2, heads_, hidden / heads_})
            .unbind(2);
    return {both[0].transpose(1, 2), both[1].transpose(1, 2)};
}

at::Tensor CrossAttentionImpl::queries(const at::Tensor& x, const KeyValue& encoder) {
    const std::int64_t hidden = x.size(2), rows = encoder.key.size(0), length = x.size(0) / rows * x.size(1);
    return query(x).view({rows, length, heads_, hidden / heads_}).transpose(1, 2);
}

at::Tensor CrossAttentionImpl::forward(const at::Tensor& x, const KeyValue& encoder, const at::Tensor& mask) {
    return out(
        attend(queries(x, encoder), encoder.key, encoder.value, mask).transpose(1, 2).reshape(x.sizes()));
}

at::Tensor CrossAttentionImpl::weights(const at::Tensor& x, const KeyValue& encoder, const at::Tensor& mask) {
    const at::Tensor all = attentionWeights(queries(x, encoder), encoder.key, mask);
    return all.transpose(1, 2).reshape({x.size(0), x.size(1), heads_, all.size(3)}).transpose(1, 2);
}

}  // namespace kurve::models
