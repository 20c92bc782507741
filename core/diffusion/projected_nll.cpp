#include "core/diffusion/projected_nll.h"

#include <torch/torch.h>

namespace kurve::diffusion {
namespace {

/// log sum_v exp(x . E_v) per row. With P = softmax(x E^T) and g the gradient by the result:
/// dx = g (P E), dE = P^T (g x): two products with P, and no pass over P for g.
struct LogSumExpProjection : torch::autograd::Function<LogSumExpProjection> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                              const at::Tensor& table) {
        at::Tensor logits = at::mm(x, table.t());
        const at::Tensor result = at::logsumexp(logits, 1);
        logits.sub_(result.unsqueeze(1)).exp_();
        context->save_for_backward({x, table, logits});
        return result;
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        const auto saved = context->get_saved_variables();
        const at::Tensor &x = saved[0], &table = saved[1], &probability = saved[2],
                         g = gradient[0].unsqueeze(1);
        return {at::mm(probability, table).mul_(g), at::mm(probability.t(), x * g)};
    }
};

at::Tensor logSumExp(const at::Tensor& x, const at::Tensor& table) {
    if (torch::GradMode::is_enabled() && (x.requires_grad() || table.requires_grad()))
        return LogSumExpProjection::apply(x, table);
    return at::logsumexp(at::mm(x, table.t()), 1);
}

}  // namespace

TokenNll projectedNll(const at::Tensor& x, const at::Tensor& table, const at::Tensor& targetRows) {
    const at::Tensor normaliser = logSumExp(x, table);
    return {normaliser - (x * targetRows).sum(1), normaliser - at::mv(x, table.mean(0))};
}

}  // namespace kurve::diffusion
