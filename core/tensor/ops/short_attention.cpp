#include "core/tensor/ops/short_attention.h"

#include <ATen/Parallel.h>
#include <ATen/autocast_mode.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/base/check.h"
#include "core/kernels/short_attention/short_attention.h"

namespace kurve::tensor {
namespace {

namespace cpu = kernels::cpu;

constexpr std::int64_t kLongest = 128;  // a head's scores stay in the second-level cache

bool hasRows(const at::Tensor& x) {
    return x.is_cpu() && x.scalar_type() == at::kFloat && x.dim() == 4 && x.stride(3) == 1;
}

/// [B, heads, L, width] as attention's results lie in memory.
at::Tensor emptyByPosition(const at::Tensor& like) {
    return at::empty({like.size(0), like.size(2), like.size(1), like.size(3)}, like.options())
        .transpose(1, 2);
}

cpu::ConstRows constRowsOf(const at::Tensor& x, std::int64_t b, std::int64_t h) {
    return {x.const_data_ptr<float>() + b * x.stride(0) + h * x.stride(1), x.stride(2)};
}

cpu::Rows rowsOfHead(const at::Tensor& x, std::int64_t b, std::int64_t h) {
    return {x.mutable_data_ptr<float>() + b * x.stride(0) + h * x.stride(1), x.stride(2)};
}

cpu::AttentionHead headOf(const AttentionInputs& of, std::int64_t b, std::int64_t h) {
    cpu::AttentionHead head{of.query.size(2),
                            of.key.size(2),
                            of.query.size(3),
                            constRowsOf(of.query, b, h),
                            constRowsOf(of.key, b, h),
                            constRowsOf(of.value, b, h),
                            {},
                            of.causal,
                            static_cast<float>(1 / std::sqrt(static_cast<double>(of.query.size(3))))};
    if (of.maybeMask.defined()) head.mask = constRowsOf(of.maybeMask, b, h);
    return head;
}

/// work(b, h, scratch)
template <class Work>
void forHeads(const AttentionInputs& of, const Work& work) {
    const std::int64_t heads = of.query.size(1), queries = of.query.size(2), keys = of.key.size(2),
                       width = of.query.size(3);
    constexpr std::int64_t kGrain = 1 << 17;
    const std::int64_t grain = std::max<std::int64_t>(1, kGrain / (queries * keys * width));
    at::parallel_for(0, of.query.size(0) * heads, grain, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> scratch(cpu::attentionScratch(queries, keys, width));
        for (std::int64_t i = begin; i < end; ++i) work(i / heads, i % heads, scratch.data());
    });
}

struct Attended {
    at::Tensor out, normaliser;
};

Attended attended(const AttentionInputs& of) {
    Attended made{emptyByPosition(of.query),
                  at::empty({of.query.size(0), of.query.size(1), of.query.size(2)}, of.query.options())};
    auto* const normaliser = made.normaliser.mutable_data_ptr<float>();
    forHeads(of, [&](std::int64_t b, std::int64_t h, float* scratch) {
        cpu::attendHead(headOf(of, b, h), scratch, rowsOfHead(made.out, b, h),
                        normaliser + (b * of.query.size(1) + h) * of.query.size(2));
    });
    return made;
}

torch::autograd::variable_list attentionGradients(const AttentionInputs& of, const at::Tensor& normaliser,
                                                  const at::Tensor& gradient) {
    const at::Tensor dOut = gradient.stride(3) == 1 ? gradient : gradient.contiguous();
    const at::Tensor query = emptyByPosition(of.query), key = emptyByPosition(of.key),
                     value = emptyByPosition(of.value);
    const auto* const from = normaliser.const_data_ptr<float>();
    forHeads(of, [&](std::int64_t b, std::int64_t h, float* scratch) {
        cpu::attendHeadBackward(headOf(of, b, h), from + (b * of.query.size(1) + h) * of.query.size(2),
                                constRowsOf(dOut, b, h), scratch,
                                {rowsOfHead(query, b, h), rowsOfHead(key, b, h), rowsOfHead(value, b, h)});
    });
    return {query, key, value, {}, {}};
}

struct ShortAttentionOp : torch::autograd::Function<ShortAttentionOp> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& query,
                              const at::Tensor& key, const at::Tensor& value,
                              const std::optional<at::Tensor>& maybeMask, bool causal) {
        const AttentionInputs all{query, key, value, maybeMask.value_or(at::Tensor()), causal};
        const Attended made = attended(all);
        context->save_for_backward({query, key, value, all.maybeMask, made.normaliser});
        context->saved_data["causal"] = causal;
        return made.out;
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const auto saved = context->get_saved_variables();
        return attentionGradients(
            {saved[0], saved[1], saved[2], saved[3], context->saved_data["causal"].toBool()}, saved[4],
            gradient[0]);
    }
};

}  // namespace

bool fitsShortAttention(const AttentionInputs& of) {
    const auto [query, key, value, mask, causal] = of;
    if (!hasRows(query) || !hasRows(key) || !hasRows(value)) return false;
    const std::int64_t queries = query.size(2), keys = key.size(2);
    return queries > 0 && keys > 0 && queries <= kLongest && keys <= kLongest && query.size(3) % 8 == 0 &&
           key.sizes() == value.sizes() && query.size(0) == key.size(0) && query.size(1) == key.size(1) &&
           query.size(3) == key.size(3) &&
           (!mask.defined() || (mask.scalar_type() == at::kFloat && !mask.requires_grad())) &&
           !at::autocast::is_autocast_enabled(at::kCPU);
}

at::Tensor shortAttention(const AttentionInputs& inputs) {
    KURVE_CHECK(fitsShortAttention(inputs), "queries {} and keys {} on {}, or of another type",
                inputs.query.numel(), inputs.key.numel(), inputs.query.device().str());
    auto of = inputs;
    if (of.maybeMask.defined()) {
        of.maybeMask =
            of.maybeMask.expand({of.query.size(0), of.query.size(1), of.query.size(2), of.key.size(2)});
        if (of.maybeMask.stride(3) != 1) of.maybeMask = of.maybeMask.contiguous();
    }
    const bool differentiates =
        torch::GradMode::is_enabled() &&
        (of.query.requires_grad() || of.key.requires_grad() || of.value.requires_grad());
    if (!differentiates) return attended(of).out;
    std::optional<at::Tensor> maybeMask;  // an undefined tensor is refused
    if (of.maybeMask.defined()) maybeMask = of.maybeMask;
    return ShortAttentionOp::apply(of.query, of.key, of.value, maybeMask, of.causal);
}

}  // namespace kurve::tensor
