#include "models/common/neighbour_mixing.h"

#include <torch/torch.h>

#include <optional>

namespace kurve::models {
namespace {

/// x + (weighted) differences to the neighbours / 4; `pairs` [B, L-1, 1]: weights, undefined = 1.
at::Tensor mixed(const at::Tensor& x, const at::Tensor& pairs) {
    const std::int64_t last = x.size(1) - 1;
    at::Tensor step = x.narrow(1, 1, last) - x.narrow(1, 0, last);
    if (pairs.defined()) step.mul_(pairs);
    at::Tensor y = x.clone();
    y.narrow(1, 0, last).add_(step, 0.25);
    y.narrow(1, 1, last).sub_(step, 0.25);
    return y;
}

/// The map is symmetric: the gradient goes through the same one.
struct NeighbourMixing : torch::autograd::Function<NeighbourMixing> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                              const std::optional<at::Tensor>& maybePairs) {
        const at::Tensor pairs = maybePairs.value_or(at::Tensor());
        context->save_for_backward({pairs});
        return mixed(x, pairs);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        return {mixed(gradient[0], context->get_saved_variables()[0]), at::Tensor()};
    }
};

}  // namespace

at::Tensor mixNeighbours(const at::Tensor& x, const at::Tensor& maybeMask) {
    if (x.size(1) < 2) return x;
    at::Tensor pairs;
    if (maybeMask.defined()) {
        const at::Tensor real = maybeMask.reshape({x.size(0), x.size(1), 1}).eq(0);
        pairs = real.narrow(1, 1, x.size(1) - 1)
                    .logical_and(real.narrow(1, 0, x.size(1) - 1))
                    .to(x.scalar_type());
    }
    if (torch::GradMode::is_enabled() && x.requires_grad())
        return NeighbourMixing::apply(x, pairs.defined() ? std::optional(pairs) : std::nullopt);
    return mixed(x, pairs);
}

}  // namespace kurve::models
