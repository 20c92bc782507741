#include "core/train/gradient_noise.h"

#include <torch/torch.h>

#include <array>

#include "core/tensor/random.h"
#include "core/train/device_batch.h"
#include "core/train/loss_effects.h"

namespace kurve::train {
namespace {

void clearGradients(const std::vector<at::Tensor>& parameters) {
    for (const at::Tensor& parameter : parameters) parameter.mutable_grad() = at::Tensor();
}

double squareOf(const std::vector<at::Tensor>& parameters) {
    at::Tensor sum;
    for (const at::Tensor& parameter : parameters) {
        if (!parameter.grad().defined()) continue;
        const at::Tensor square = parameter.grad().square().sum();
        sum = sum.defined() ? sum + square : square;
    }
    return sum.defined() ? sum.item<double>() : 0;
}

}  // namespace

void measureGradients(SequenceModel& model, const text::Split& split, const GradientSample& sample,
                      NoiseHistogram& into) {
    const std::vector<at::Tensor> parameters = model.module().parameters();
    const StreamId which(sample.seed, "gradient.row", sample.step);
    struct Restored {  // evaluated, not trained; also where the device has no memory for it
        SequenceModel& model;
        const std::vector<at::Tensor>& parameters;
        bool trained = model.module().is_training();
        LossEffects effects{model};
        ~Restored() {
            clearGradients(parameters);
            model.module().train(trained);
            effects.undo();
        }
    } const restored{model, parameters};
    model.module().train();
    for (std::int64_t i = 0; i < sample.rows && split.size() > 0; ++i) {
        const auto row = static_cast<std::uint64_t>(i);
        const double index = tensor::uniformAt(which, row) * static_cast<double>(split.size());
        const std::array<std::int32_t, 1> one{static_cast<std::int32_t>(index)};
        clearGradients(parameters);
        // Far behind the rows of the step itself, so that noise and dropout are others.
        constexpr std::uint64_t kOwnRows = std::uint64_t{1} << 24;
        const LossReport loss = model.loss(toDevice(text::makeBatch(split, one), sample.device),
                                           {sample.seed, sample.step, kOwnRows + row});
        if (!loss.logSnr.defined()) break;
        loss.total.backward();
        into.addGradient(loss.logSnr.mean().item<double>(), squareOf(parameters));
    }
}

}  // namespace kurve::train
