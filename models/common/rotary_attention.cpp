#include "models/common/rotary_attention.h"

#include <torch/torch.h>

#include "core/base/check.h"
#include "models/common/attention.h"
#include "models/common/attention_masks.h"

namespace kurve::models {

RotaryAttentionImpl::RotaryAttentionImpl(std::int64_t hidden, std::int64_t heads,
                                         AttentionDirection direction, bool bias)
    : qkv(register_module("qkv", Linear(torch::nn::LinearOptions(hidden, 3 * hidden).bias(bias)))),
      out(register_module("out", Linear(torch::nn::LinearOptions(hidden, hidden).bias(bias)))),
      heads_(heads),
      direction_(direction) {
    KURVE_CHECK(heads > 0 && hidden % (2 * heads) == 0, "{} heads in width {}: not of even width", heads,
                hidden);
}

at::Tensor RotaryAttentionImpl::projectOut(const at::Tensor& heads) {
    return out(heads.transpose(1, 2).reshape({heads.size(0), heads.size(2), heads_ * heads.size(3)}));
}

RotaryAttentionImpl::Projected RotaryAttentionImpl::project(const at::Tensor& x, const RotaryTable& table) {
    // unbind, not select: its gradient is one copy, not three blocks of zeros with a third filled in each.
    const std::vector<at::Tensor> all =
        qkv(x).view({x.size(0), x.size(1), 3, heads_, x.size(2) / heads_}).unbind(2);
    return {rotate(all[0].transpose(1, 2), table), rotate(all[1].transpose(1, 2), table),
            all[2].transpose(1, 2)};
}

at::Tensor RotaryAttentionImpl::forward(const at::Tensor& x, const RotaryTable& table, const at::Tensor& mask,
                                        const ForwardPass& pass, const std::string& layer) {
    const bool causal = direction_ == AttentionDirection::Causal;
    KURVE_CHECK(!causal || !mask.defined(), "a mask for a causal attention");
    const auto [query, key, value] = project(x, table);
    if (pass.maybeCapture != nullptr && pass.maybeCapture->attention)
        pass.maybeCapture->tensors["attention/" + layer.substr(layer.rfind('.') + 1)] =
            attentionWeights(query, key, causal ? causalMask(x.size(1), x) : mask).detach();
    return projectOut(causal ? attendCausally(query, key, value) : attend(query, key, value, mask));
}

at::Tensor RotaryAttentionImpl::extend(const at::Tensor& x, const RotaryTable& table,
                                       const LayerCache& cached) {
    const std::int64_t before = cached.cache.length(), count = x.size(1);
    KURVE_CHECK(count == 1 || direction_ == AttentionDirection::Causal, "{} positions after {}", count,
                before);
    const auto [query, key, value] = project(x, table);
    const KeyValue all = cached.cache.append(cached.layer, key, value);
    if (before == 0) return projectOut(attendCausally(query, key, value));
    const at::Tensor mask =
        count == 1 ? at::Tensor() : at::constant_pad_nd(causalMask(count, x), {before, 0}, 0);
    return projectOut(attend(query, all.key, all.value, mask));
}

at::Tensor RotaryAttentionImpl::projectPart(const at::Tensor& x, std::int64_t first, std::int64_t count) {
    const std::int64_t hidden = x.size(-1);
    const auto part = [&](const at::Tensor& all) {
        return all.defined() ? all.narrow(0, first * hidden, count * hidden) : all;
    };
    return tensor::linear(x, part(qkv->weight), part(qkv->bias));
}

at::Tensor RotaryAttentionImpl::forwardEvery(const at::Tensor& x, std::int64_t stride,
                                             const at::Tensor& mask) {
    const std::int64_t rows = x.size(0), width = x.size(2) / heads_;
    const at::Tensor query =
        projectPart(x.slice(1, 0, x.size(1), stride), 0, 1).view({rows, -1, heads_, width}).transpose(1, 2);
    const std::vector<at::Tensor> both =
        projectPart(x, 1, 2).view({rows, x.size(1), 2, heads_, width}).unbind(2);
    return projectOut(attend(query, both[0].transpose(1, 2), both[1].transpose(1, 2), mask));
}

at::Tensor RotaryAttentionImpl::forwardAtPositions(const at::Tensor& x, const QueryIndex& queries,
                                                   const RotaryTable& table, const at::Tensor& mask) {
    const std::int64_t rows = x.size(0), hidden = x.size(2), width = hidden / heads_;
    const std::vector<at::Tensor> both =
        projectPart(x, 1, 2).view({rows, x.size(1), 2, heads_, width}).unbind(2);
    const at::Tensor own = x.reshape({-1, hidden}).index_select(0, queries.flat),
                     query = projectPart(own, 0, 1)
                                 .index_select(0, queries.query)
                                 .view({rows, queries.columns, heads_, width})
                                 .transpose(1, 2);
    const auto tableAt = [&](const at::Tensor& of) {
        if (!of.defined()) return of;
        return of.index_select(0, queries.position).view({rows, 1, queries.columns, of.size(-1)});
    };
    const RotaryTable ownTable{tableAt(table.cosine), tableAt(table.sine)};
    const at::Tensor heads = attend(rotate(query, ownTable), rotate(both[0].transpose(1, 2), table),
                                    both[1].transpose(1, 2), mask);
    return out(heads.transpose(1, 2).reshape({-1, hidden}).index_select(0, queries.cell));
}

}  // namespace kurve::models
