#include "core/tensor/activation_checkpointing.h"

#include <torch/custom_class.h>
#include <torch/torch.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/tensor/autocast.h"

namespace kurve::tensor {
namespace {

thread_local bool checkpointing = false;

struct Recomputation : torch::CustomClassHolder {
    Recomputation(BlockFunction function, bool low) : block(std::move(function)), autocast(low) {}
    BlockFunction block;
    bool autocast;
};

bool wantsGradient(const at::Tensor& x) {
    return x.defined() && x.requires_grad();
}

/// A leaf of a graph of its own.
at::Tensor leafOf(const at::Tensor& x) {
    return x.defined() ? x.detach().set_requires_grad(x.requires_grad()) : x;
}

constexpr std::size_t kMostInputs = 4;
using MaybeTensor = std::optional<at::Tensor>;

struct CheckpointOp : torch::autograd::Function<CheckpointOp> {
    static at::Tensor forward(torch::autograd::AutogradContext* context,
                              const c10::intrusive_ptr<Recomputation>& again, const MaybeTensor& a,
                              const MaybeTensor& b, const MaybeTensor& c, const MaybeTensor& d) {
        std::vector<at::Tensor> inputs;
        for (const MaybeTensor& one : {a, b, c, d}) inputs.push_back(one.value_or(at::Tensor()));
        context->save_for_backward(inputs);
        context->saved_data["again"] = c10::IValue::make_capsule(again);
        return again->block(inputs);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                   const torch::autograd::variable_list& gradient) {
        std::vector<at::Tensor> inputs;
        for (const at::Tensor& x : context->get_saved_variables()) inputs.push_back(leafOf(x));
        const auto& again = static_cast<const Recomputation&>(*context->saved_data.at("again").toCapsule());
        at::Tensor out;
        {
            const at::AutoGradMode recorded(true);
            const Autocast autocast(gradient[0].device(), again.autocast);
            out = again.block(inputs);
        }
        torch::autograd::backward({out}, {gradient[0]});
        torch::autograd::variable_list all{at::Tensor()};  // none by the function
        for (const at::Tensor& x : inputs) all.push_back(wantsGradient(x) ? x.grad() : at::Tensor());
        return all;
    }
};

}  // namespace

ActivationCheckpointing::ActivationCheckpointing(bool on) : before_(std::exchange(checkpointing, on)) {}

ActivationCheckpointing::~ActivationCheckpointing() {
    checkpointing = before_;
}

at::Tensor checkpointed(const std::vector<at::Tensor>& inputs, const BlockFunction& block) {
    if (!checkpointing || !torch::GradMode::is_enabled() ||
        std::none_of(inputs.begin(), inputs.end(), wantsGradient))
        return block(inputs);
    KURVE_CHECK(inputs.size() <= kMostInputs, "{} inputs of a block", inputs.size());
    const auto at = [&](std::size_t i) {
        return i < inputs.size() && inputs[i].defined() ? MaybeTensor(inputs[i]) : MaybeTensor();
    };
    return CheckpointOp::apply(c10::make_intrusive<Recomputation>(block, autocastOn(inputs.front().device())),
                               at(0), at(1), at(2), at(3));
}

}  // namespace kurve::tensor
