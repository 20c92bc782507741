#include "core/diffusion/masked_objective.h"

#include <torch/torch.h>

#include <limits>

#include "core/base/check.h"
#include "core/tensor/autocast.h"

namespace kurve::diffusion {
namespace {

/// With P = exp(logits - max) / total and g the gradient by the result: dx = g (P E) - g E_ids,
/// dE = P^T (g x) - [rows ids: g x], db = P^T g - [ids: g]. 1 / total goes with g: no pass over P.
struct MaskedNll : torch::autograd::Function<MaskedNll> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                              const at::Tensor& table, const std::optional<at::Tensor>& maybeBias,
                              const at::Tensor& ids, std::int64_t maskId) {
        const tensor::Products product(x.device());
        at::Tensor logits = product(x, table.t(), maybeBias);
        logits.select(1, maskId).fill_(-std::numeric_limits<double>::infinity());
        const at::Tensor maximum = logits.amax(1, true),
                         target = logits.gather(1, ids.unsqueeze(1)).sub_(maximum);
        logits.sub_(maximum).exp_();
        const at::Tensor total = logits.sum(1, true);
        context->save_for_backward({x, table, product.stored(logits), total, ids});
        context->saved_data["low"] = product.low();
        context->saved_data["biased"] = maybeBias.has_value();
        return total.log().sub_(target).squeeze(1);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &table = saved[1], &exponentials = saved[2], &total = saved[3],
                         &ids = saved[4];
        const at::Tensor g = gradient[0].unsqueeze(1), scale = g / total;
        const tensor::Products product(context->saved_data.at("low").toBool());
        at::Tensor dx = product(exponentials, table).mul_(scale);
        dx.sub_(g * table.index_select(0, ids));
        at::Tensor dTable = product(exponentials.t(), x * scale);
        dTable.index_add_(0, ids, x * g, -1);
        at::Tensor dBias;
        if (context->saved_data.at("biased").toBool())
            dBias = product(exponentials.t(), scale.squeeze(1)).index_add_(0, ids, gradient[0], -1);
        return {dx, dTable, dBias, at::Tensor(), at::Tensor()};
    }
};

void checkHostFlags(const at::Tensor& flags) {
    KURVE_CHECK(flags.dim() == 2 && flags.scalar_type() == at::kBool && flags.device().is_cpu(),
                "needs [B, L] bool on the host, got {} dimensions of {} on {}", flags.dim(),
                c10::toString(flags.scalar_type()), flags.device().str());
}

}  // namespace

at::Tensor maskedNll(const at::Tensor& states, const at::Tensor& table,
                     const std::optional<at::Tensor>& maybeBias, const at::Tensor& ids, std::int64_t maskId) {
    KURVE_CHECK(states.dim() == 2 && table.dim() == 2 && states.size(1) == table.size(1),
                "states and table of {} and {} dimensions must have one width", states.dim(), table.dim());
    KURVE_CHECK(maskId >= 0 && maskId < table.size(0) && table.size(0) >= 2, "mask id {} of {}", maskId,
                table.size(0));
    KURVE_CHECK(ids.dim() == 1 && ids.size(0) == states.size(0), "{} targets for {} states", ids.numel(),
                states.size(0));
    return MaskedNll::apply(tensor::atLeastFloat(states), table, maybeBias, ids, maskId);
}

MaskedTokens maskedTokens(const at::Tensor& mask, const at::Tensor& counted) {
    checkHostFlags(mask);
    checkHostFlags(counted);
    KURVE_CHECK(mask.sizes() == counted.sizes(), "{} flags and {}", mask.numel(), counted.numel());
    const at::Tensor positions = mask.logical_and(counted).flatten().nonzero().squeeze(1);
    return {positions, at::floor_divide(positions, mask.size(1))};
}

at::Tensor weightedNll(const at::Tensor& nll, const at::Tensor& rows, const at::Tensor& weights) {
    KURVE_CHECK(nll.dim() == 1 && rows.sizes() == nll.sizes() && weights.dim() == 1,
                "{} values of {} rows, {} weights", nll.numel(), rows.numel(), weights.numel());
    const at::Tensor weighted = nll * weights.index_select(0, rows);
    return at::zeros(weights.sizes(), weighted.options()).index_add(0, rows, weighted);
}

}  // namespace kurve::diffusion
