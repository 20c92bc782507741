#include "core/diffusion/fused_linear_cross_entropy.h"

#include <torch/torch.h>

#include "core/tensor/autocast.h"
#include "core/tensor/ops/fused_layers.h"

namespace kurve::diffusion {
namespace {

using tensor::Products;

/// log sum_v exp(x . E_v) per row. With P = softmax(x E^T) and g the gradient by the result:
/// dx = g (P E), dE = P^T (g x): two products with P, and no pass over P for g.
struct LogSumExpProjection : torch::autograd::Function<LogSumExpProjection> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                              const at::Tensor& table) {
        const Products product(x.device());
        at::Tensor logits = product(x, table.t());
        const at::Tensor result = tensor::softmaxInPlace(logits);
        context->save_for_backward({x, table, product.stored(logits)});
        context->saved_data["low"] = product.low();
        return result;
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &table = saved[1], &probability = saved[2],
                         g = gradient[0].unsqueeze(1);
        const Products product(context->saved_data.at("low").toBool());
        return {product(probability, table).mul_(g), product(probability.t(), x * g)};
    }
};

bool needsGradient(const at::Tensor& x, const at::Tensor& table) {
    return torch::GradMode::is_enabled() && (x.requires_grad() || table.requires_grad());
}

TokenNll composed(const at::Tensor& normaliser, const at::Tensor& x, const at::Tensor& targetRows,
                  const at::Tensor& meanRow) {
    return {normaliser - (x * targetRows).sum(1), normaliser - at::mv(x, meanRow)};
}

/// meanNll() with its gradients. With g, h those by nll and smooth, m the table's mean row and t the ids:
/// dx = (g + h) (P E) - g E_t - h m, dE = P^T ((g + h) x) - [rows t: g x] - [every row: sum h x / V], and of
/// the bias the same with 1 for x.
struct MeanNll : torch::autograd::Function<MeanNll> {
    static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                  const at::Tensor& x, const at::Tensor& table,
                                                  const at::Tensor& ids,
                                                  const std::optional<at::Tensor>& maybeBias) {
        const bool biased = maybeBias.has_value();
        const Products product(x.device());
        const tensor::Autocast off(x.device(), false);
        at::Tensor logits = product(x, table.t(), maybeBias);
        const at::Tensor normaliser = tensor::softmaxInPlace(logits), mean = table.mean(0);
        context->saved_data["biased"] = biased;
        context->saved_data["low"] = product.low();
        context->save_for_backward({x, table, product.stored(logits), ids, mean});
        const TokenNll token = composed(normaliser, x, table.index_select(0, ids), mean);
        if (!biased) return {token.nll, token.smooth};
        return {token.nll - maybeBias->index_select(0, ids), token.smooth - maybeBias->mean()};
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &table = saved[1], &probability = saved[2], &ids = saved[3],
                         &mean = saved[4];
        const at::Tensor g = gradient[0].unsqueeze(1), both = g + gradient[1].unsqueeze(1);
        const Products product(context->saved_data.at("low").toBool());
        at::Tensor dx = product(probability, table).mul_(both);
        dx.sub_(g * table.index_select(0, ids)).addr_(gradient[1], mean, 1, -1);
        at::Tensor dTable = product(probability.t(), x * both);
        dTable.index_add_(0, ids, x * g, -1);
        const auto vocabulary = static_cast<double>(table.size(0));
        dTable.sub_(at::mv(x.t(), gradient[1]) / vocabulary);
        at::Tensor dBias;
        if (context->saved_data["biased"].toBool())
            dBias = product(probability.t(), both.squeeze(1))
                        .index_add_(0, ids, gradient[0], -1)
                        .sub_(gradient[1].sum() / vocabulary);
        return {dx, dTable, at::Tensor(), dBias};
    }
};

at::Tensor logSumExp(const at::Tensor& x, const at::Tensor& table) {
    if (needsGradient(x, table)) return LogSumExpProjection::apply(x, table);
    return at::logsumexp(Products(x.device())(x, table.t()), 1);
}

}  // namespace

TokenNll fusedLinearCrossEntropy(const at::Tensor& states, const at::Tensor& table,
                                 const at::Tensor& targetRows) {
    const at::Tensor x = tensor::atLeastFloat(states), normaliser = logSumExp(x, table);
    const tensor::Autocast off(x.device(), false);
    return composed(normaliser, x, targetRows, table.mean(0));
}

TokenNll meanNll(const at::Tensor& states, const at::Tensor& table, const at::Tensor& ids,
                 const at::Tensor& maybeBias) {
    if (!maybeBias.defined() && !needsGradient(states, table))
        return fusedLinearCrossEntropy(states, table, table.index_select(0, ids));
    const auto both = MeanNll::apply(tensor::atLeastFloat(states), table, ids,
                                     maybeBias.defined() ? std::optional(maybeBias) : std::nullopt);
    return {both[0], both[1]};
}

}  // namespace kurve::diffusion
