#include "core/train/adam.h"

namespace kurve::train {

FlatAdam::FlatAdam(const at::Tensor& values, FlatParts held)
    : held_(std::move(held)),
      mean_(at::zeros({held_.count()}, values.options())),
      square_(at::zeros({held_.count()}, values.options())),
      stepTensor_(at::zeros({}, values.options().dtype(at::kFloat))) {}

void FlatAdam::hold(FlatParts parts, at::Tensor mean, at::Tensor square) {
    held_ = std::move(parts);
    mean_ = std::move(mean);
    square_ = std::move(square);
}

void FlatAdam::beginStep() {
    torch::NoGradGuard noGrad;
    stepTensor_.fill_(static_cast<double>(++steps_));
}

void FlatAdam::update(const at::Tensor& values, const at::Tensor& gradients, const Group& group,
                      const RunConfig& config, double learningRate, const at::Tensor& gradientScale,
                      const at::Tensor& skip) {
    torch::NoGradGuard noGrad;
    std::vector<at::Tensor> value, gradient, mean, square;
    for (const Part& part : group.parts) {
        value.push_back(values.narrow(0, part.first, part.count));
        gradient.push_back(gradients.narrow(0, part.first, part.count));
        mean.push_back(held_.within(mean_, part));
        square.push_back(held_.within(square_, part));
    }
    const double beta1 = config.real("train.beta1"), beta2 = config.real("train.beta2");
    const double decay = config.real("train.weight_decay") * group.decay, eps = config.real("train.eps");
    const auto kernel = [&](auto&& fused) {
        fused(value, gradient, mean, square, {}, std::vector<at::Tensor>(group.parts.size(), stepTensor_),
              learningRate * group.learningRate, beta1, beta2, decay, eps, /*amsgrad=*/false,
              /*maximize=*/false, gradientScale, skip);
    };
    using Fused = void (*)(at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                           at::TensorList, double, double, double, double, double, bool, bool,
                           const std::optional<at::Tensor>&, const std::optional<at::Tensor>&);
    if (config.text("train.optimizer") == "adamw")
        kernel(static_cast<Fused>(&at::_fused_adamw_));
    else
        kernel(static_cast<Fused>(&at::_fused_adam_));
}

}  // namespace kurve::train
