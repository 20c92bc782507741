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
    return (x.is_cpu() || x.is_meta()) && x.scalar_type() == at::kFloat && x.dim() == 4 && x.stride(3) == 1;
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
    if (of.query.is_meta()) return made;
    auto* const normaliser = made.normaliser.mutable_data_ptr<float>();
    forHeads(of, [&](std::int64_t b, std::int64_t h, float* scratch) {
        cpu::attendHead(headOf(of, b, h), scratch, rowsOfHead(made.out, b, h),
                        normaliser + (b * of.query.size(1) + h) * of.query.size(2));
    });
    return made;
}

/// Fills query, key and value of `into`.
void attentionGradients(const AttentionInputs& of, const at::Tensor& normaliser, const at::Tensor& gradient,
                        const AttentionInputs& into) {
    if (of.query.is_meta()) return;
    const at::Tensor dOut = gradient.stride(3) == 1 ? gradient : gradient.contiguous();
    const auto* const from = normaliser.const_data_ptr<float>();
    forHeads(of, [&](std::int64_t b, std::int64_t h, float* scratch) {
        cpu::attendHeadBackward(
            headOf(of, b, h), from + (b * of.query.size(1) + h) * of.query.size(2), constRowsOf(dOut, b, h),
            scratch,
            {rowsOfHead(into.query, b, h), rowsOfHead(into.key, b, h), rowsOfHead(into.value, b, h)});
    });
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
        const AttentionInputs of{saved[0], saved[1], saved[2], saved[3],
                                 context->saved_data["causal"].toBool()},
            into{emptyByPosition(of.query), emptyByPosition(of.key), emptyByPosition(of.value), {}};
        attentionGradients(of, saved[4], gradient[0], into);
        return {into.query, into.key, into.value, {}, {}};
    }
};

/// Queries, keys and values of one block [B, L, 3, heads, width].
AttentionInputs inBlock(const at::Tensor& block, const at::Tensor& maybeMask, bool causal) {
    const torch::NoGradGuard noGrad;
    const auto part = [&](std::int64_t i) { return block.select(2, i).transpose(1, 2); };
    return {part(0), part(1), part(2), maybeMask, causal};
}

struct ShortSelfAttentionOp : torch::autograd::Function<ShortSelfAttentionOp> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& block,
                              const std::optional<at::Tensor>& maybeMask, bool causal) {
        const AttentionInputs all = inBlock(block, maybeMask.value_or(at::Tensor()), causal);
        const Attended made = attended(all);
        context->save_for_backward({block, all.maybeMask, made.normaliser});
        context->saved_data["causal"] = causal;
        return made.out.transpose(1, 2);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const auto saved = context->get_saved_variables();
        const at::Tensor by = at::empty(saved[0].sizes(), saved[0].options());
        attentionGradients(inBlock(saved[0], saved[1], context->saved_data["causal"].toBool()), saved[2],
                           gradient[0].transpose(1, 2), inBlock(by, {}, false));
        return {by, {}, {}};
    }
};

/// Of a mask what the kernels read: its full shape, columns one after another.
std::optional<at::Tensor> readableMask(const AttentionInputs& of) {
    if (!of.maybeMask.defined()) return std::nullopt;  // an operation refuses an undefined tensor
    at::Tensor mask =
        of.maybeMask.expand({of.query.size(0), of.query.size(1), of.query.size(2), of.key.size(2)});
    return mask.stride(3) == 1 ? mask : mask.contiguous();
}

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
    const std::optional<at::Tensor> maybeMask = readableMask(inputs);
    of.maybeMask = maybeMask.value_or(at::Tensor());
    const bool differentiates =
        torch::GradMode::is_enabled() &&
        (of.query.requires_grad() || of.key.requires_grad() || of.value.requires_grad());
    if (!differentiates) return attended(of).out;
    return ShortAttentionOp::apply(of.query, of.key, of.value, maybeMask, of.causal);
}

at::Tensor maybeShortSelfAttention(const at::Tensor& block, const at::Tensor& maybeMask, bool causal) {
    AttentionInputs of = inBlock(block, maybeMask, causal);
    if (!fitsShortAttention(of)) return {};
    const std::optional<at::Tensor> readable = readableMask(of);
    if (torch::GradMode::is_enabled() && block.requires_grad())
        return ShortSelfAttentionOp::apply(block, readable, causal);
    of.maybeMask = readable.value_or(at::Tensor());
    return attended(of).out.transpose(1, 2);
}

}  // namespace kurve::tensor
