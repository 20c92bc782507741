#include "models/cmlm/contrastive.h"

#include <torch/torch.h>

#include <algorithm>

#include "core/tensor/autocast.h"

namespace kurve::models::cmlm {
namespace {

/// E^T E [d, d]. It is symmetric, so that both factors' gradients are one product: E (G + G^T).
struct OwnGram : torch::autograd::Function<OwnGram> {
    static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& table) {
        context->save_for_backward({table});
        return at::mm(table.t(), table);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   torch::autograd::variable_list gradient) {
        return {at::mm(context->get_saved_variables()[0], gradient[0] + gradient[0].t())};
    }
};

}  // namespace

at::Tensor gramOf(const at::Tensor& features) {
    const at::Tensor states = tensor::atLeastFloat(features);
    const tensor::Autocast off(states.device(), false);
    return at::bmm(states, states.transpose(1, 2));
}

at::Tensor gramOfLogits(const at::Tensor& features, const at::Tensor& table, bool centred) {
    const at::Tensor states = tensor::atLeastFloat(features);
    const tensor::Autocast off(states.device(), false);
    const at::Tensor words = centred ? table - table.mean(0, /*keepdim=*/true) : table;
    const at::Tensor gram = torch::GradMode::is_enabled() && words.requires_grad() ? OwnGram::apply(words)
                                                                                   : at::mm(words.t(), words);
    return at::bmm(at::matmul(states, gram), states.transpose(1, 2));
}

at::Tensor contrastiveSum(const at::Tensor& gram, const at::Tensor& included, const ContrastiveForm& form) {
    const std::int64_t length = gram.size(1);
    const at::Tensor norms = at::rsqrt(gram.diagonal(0, 1, 2) + 1e-16);
    const at::Tensor cosines = gram * norms.unsqueeze(1) * norms.unsqueeze(2);
    const at::Tensor hinge = at::relu(cosines - (form.paper ? form.margin : 1 - form.margin));
    const at::Tensor other = at::ones({length, length}, included.options()).fill_diagonal_(0);
    const at::Tensor pairs = included.unsqueeze(1).logical_and(included.unsqueeze(2)).logical_and(other);
    const at::Tensor counted = at::where(pairs, hinge, at::zeros({}, hinge.options()));
    if (!form.macro) return counted.sum();
    const at::Tensor counts = pairs.sum({1, 2}).clamp_min(1).to(hinge.scalar_type());
    return (counted.sum({1, 2}) / counts).sum();
}

double pairCount(std::span<const std::int32_t> positions, const ContrastiveForm& form) {
    double count = 0;
    for (const std::int32_t n : positions)
        if (n > 1) count += form.macro ? 1.0 : static_cast<double>(n) * (n - 1);
    return count;
}

}  // namespace kurve::models::cmlm
