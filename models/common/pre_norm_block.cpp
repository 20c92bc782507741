#include "models/common/pre_norm_block.h"

#include <torch/torch.h>

#include "core/tensor/activation_checkpointing.h"

namespace kurve::models {

PreNormBlockImpl::PreNormBlockImpl(const PreNormSizes& sizes)
    : attentionNorm(register_module("attention_norm", ModulatedNorm(sizes.hidden, sizes.norm))),
      ffnNorm(register_module("ffn_norm", ModulatedNorm(sizes.hidden, sizes.norm))),
      attention(register_module(
          "attention", RotaryAttention(sizes.hidden, sizes.heads, sizes.direction, sizes.attentionBias))),
      ffn(register_module("ffn", Mlp(MlpImpl::Widths{sizes.hidden, sizes.ffn, sizes.hidden}, sizes.activation,
                                     sizes.ffnBias))) {
    if (sizes.conditioning > 0)
        modulation = register_module("modulation", Linear(sizes.conditioning, 6 * sizes.hidden));
}

PreNormBlockImpl::BlockModulation PreNormBlockImpl::branches(const at::Tensor& maybeCondition) {
    if (!modulation) return {};
    const std::vector<at::Tensor> all = modulationVectors(modulation, maybeCondition, 6);
    return {{all[0], all[1], all[2]}, {all[3], all[4], all[5]}};
}

at::Tensor PreNormBlockImpl::forward(const at::Tensor& x, const BlockContext& context,
                                     const ForwardPass& pass, const std::string& layer) {
    const std::vector<at::Tensor> all{x, context.maybeCondition};
    return tensor::checkpointed(all, [=, this](const std::vector<at::Tensor>& inputs) {
        const BlockModulation by = branches(inputs[1]);
        const at::Tensor attended =
            attention(attentionNorm(inputs[0], by.attention), context.rotary, context.maybeMask, pass, layer);
        const at::Tensor y = addGated(inputs[0], attended, by.attention.gate, pass, layer + ".attention");
        return addGated(y, ffn(ffnNorm(y, by.ffn)), by.ffn.gate, pass, layer + ".ffn");
    });
}

at::Tensor PreNormBlockImpl::forwardEvery(const at::Tensor& x, std::int64_t stride,
                                          const BlockContext& context) {
    const BlockModulation by = branches(context.maybeCondition);
    const at::Tensor attended =
        attention->forwardEvery(attentionNorm(x, by.attention), stride, context.maybeMask);
    const at::Tensor y =
        addGated(x.slice(1, 0, x.size(1), stride), attended, by.attention.gate, ForwardPass{}, "");
    return addGated(y, ffn(ffnNorm(y, by.ffn)), by.ffn.gate, ForwardPass{}, "");
}

at::Tensor PreNormBlockImpl::forwardAtPositions(const at::Tensor& x, const BlockContext& context,
                                                const QueryIndex& queries) {
    const BlockModulation by = branches(context.maybeCondition);
    const Modulation own = atRows(by.ffn, queries.row);
    const at::Tensor attended = attention->forwardAtPositions(attentionNorm(x, by.attention), queries,
                                                              context.rotary, context.maybeMask);
    const at::Tensor residual = x.reshape({-1, x.size(2)}).index_select(0, queries.flat);
    const at::Tensor y =
        addGated(residual, attended, atRows(by.attention.gate, queries.row), ForwardPass{}, "");
    return addGated(y, ffn(ffnNorm(y, own)), own.gate, ForwardPass{}, "");
}

at::Tensor PreNormBlockImpl::extend(const at::Tensor& x, const BlockContext& context,
                                    const LayerCache& cached) {
    const BlockModulation by = branches(context.maybeCondition);
    const at::Tensor attended = attention->extend(attentionNorm(x, by.attention), context.rotary, cached);
    const at::Tensor y = addGated(x, attended, by.attention.gate, ForwardPass{}, "");
    return addGated(y, ffn(ffnNorm(y, by.ffn)), by.ffn.gate, ForwardPass{}, "");
}

Initializer preNormInitializer(const PreNormSizes& sizes, const std::string& name,
                               const at::Tensor& parameter) {
    if (endsWith(name, "norm.weight")) return ones();
    if (endsWith(name, "modulation.weight") || endsWith(name, "modulation.bias")) return zeros();
    for (const char* bias : {"qkv.bias", "attention.out.bias", "ffn.in.bias"})
        if (endsWith(name, bias)) return linearDefault(sizes.hidden);
    if (endsWith(name, "ffn.out.bias")) return linearDefault(sizes.ffn);
    for (const char* weight : {"qkv.weight", "attention.out.weight", "ffn.in.weight", "ffn.out.weight"})
        if (endsWith(name, weight)) return linearDefault(parameter.size(1));
    return {};
}

}  // namespace kurve::models
