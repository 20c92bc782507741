#include "models/ngram/ngram_head.h"

#include <torch/torch.h>

#include "core/base/check.h"
#include "core/tensor/autocast.h"

namespace kurve::models::ngram {

NgramHeadImpl::NgramHeadImpl(const HeadSizes& sizes)
    : steps(register_module("steps", torch::nn::Embedding(sizes.steps(), sizes.hidden))),
      input(register_module("input", Linear(sizes.hidden, 4 * sizes.hidden))),
      recurrent(register_module(
          "recurrent", Linear(torch::nn::LinearOptions(sizes.hidden, 4 * sizes.hidden).bias(false)))),
      sizes_(sizes),
      mixture_(*this, sizes.curves, sizes.hidden) {
    KURVE_CHECK(sizes.points == 0 || sizes.psi, "{} control points without a map", sizes.points);
}

std::vector<at::Tensor> NgramHeadImpl::run(const at::Tensor& states) {
    const std::int64_t rows = states.size(0), hidden = sizes_.hidden, curves = mixture_.curves();
    // Every state sees the same inputs: their projection is computed once.
    const at::Tensor inputs = input(mixture_.copies(steps->weight.unsqueeze(0), {}));  // [N, S, 4H]
    at::Tensor h = curves == 1 ? states : states.repeat_interleave(curves, 0), cell = at::zeros_like(h);
    std::vector<at::Tensor> all;
    for (const at::Tensor& now : inputs.unbind(1)) {
        const at::Tensor gates = (recurrent(h).view({rows, curves, 4 * hidden}) + now).view({-1, 4 * hidden});
        const std::vector<at::Tensor> part = gates.chunk(4, 1);
        cell = at::sigmoid(part[1]) * cell + at::sigmoid(part[0]) * at::tanh(part[2]);
        h = at::sigmoid(part[3]) * at::tanh(cell);
        all.push_back(h);
    }
    return all;
}

at::Tensor NgramHeadImpl::pointsOfCurve(const at::Tensor& states) {
    const at::Tensor controlPoints = tensor::atLeastFloat(states);
    const tensor::Autocast off(states.device(), false);
    if (!psi_.defined() || psi_.scalar_type() != controlPoints.scalar_type() ||
        psi_.device() != controlPoints.device()) {
        // Decoding runs in inference mode, but training uses the same matrix later.
        const c10::InferenceMode ordinary(false);
        const curve::Matrix psi = sizes_.psi();
        KURVE_CHECK(psi.rows == sizes_.tokens && psi.cols == sizes_.points, "a map of {} x {}", psi.rows,
                    psi.cols);
        psi_ = at::tensor(psi.data, at::kDouble)
                   .view({psi.rows, psi.cols})
                   .to(controlPoints.options().requires_grad(false));
    }
    return at::mm(psi_, controlPoints.view({controlPoints.size(0), -1}))
        .view({sizes_.tokens, controlPoints.size(1), sizes_.hidden});
}

at::Tensor NgramHeadImpl::forward(const at::Tensor& states, const ForwardPass& pass) {
    std::vector<at::Tensor> outputs = run(states);
    at::Tensor maybeFirst;
    if (mixture_.curves() > 1) {
        maybeFirst = outputs.front();
        outputs.erase(outputs.begin());
    }
    at::Tensor vectors = at::stack(outputs, 0);
    if (sizes_.points > 0) vectors = pointsOfCurve(vectors);
    if (!maybeFirst.defined()) return vectors;
    // Mixing is linear: the points of the curves are mixed, which are fewer than their control points.
    const at::Tensor all = at::cat({maybeFirst.unsqueeze(0), vectors}, 0).transpose(0, 1);
    ForwardPass quiet = pass;
    quiet.maybeCapture = nullptr;  // a trace's states are those of the Transformer
    return mixture_.mixed(all.contiguous(), quiet).transpose(0, 1);
}

Initializer headInitializer(const HeadSizes& sizes, const std::string& name) {
    if (Initializer ours = curveMixtureInitializer(name)) return ours;
    return name == "steps.weight" ? normal(1) : linearDefault(sizes.hidden);
}

}  // namespace kurve::models::ngram
