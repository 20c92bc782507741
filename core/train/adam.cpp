#include "core/train/adam.h"

namespace kurve::train {

FlatAdam::FlatAdam(const at::Tensor& values, Part held)
    : held_(held),
      mean_(at::zeros({held.count}, values.options())),
      square_(at::zeros({held.count}, values.options())),
      stepTensor_(at::zeros({}, values.options().dtype(at::kFloat))) {}

void FlatAdam::hold(Part part, at::Tensor mean, at::Tensor square) {
    held_ = part;
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
    const auto cut = [&](const at::Tensor& flat, std::int64_t begin = 0) {
        std::vector<at::Tensor> parts;
        for (const Part& part : group.parts) parts.push_back(flat.narrow(0, part.first - begin, part.count));
        return parts;
    };
    const double beta1 = config.real("train.beta1"), beta2 = config.real("train.beta2");
    const double decay = config.real("train.weight_decay") * group.decay, eps = config.real("train.eps");
    const auto kernel = [&](auto&& fused) {
        fused(cut(values), cut(gradients), cut(mean_, held_.first), cut(square_, held_.first), {},
              std::vector<at::Tensor>(group.parts.size(), stepTensor_), learningRate * group.learningRate,
              beta1, beta2, decay, eps, /*amsgrad=*/false, /*maximize=*/false, gradientScale, skip);
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
