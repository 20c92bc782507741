#include "core/train/loss_effects.h"

#include <torch/torch.h>

namespace kurve::train {

LossEffects::LossEffects(SequenceModel& model) : model_(model), history_(model.history()) {
    const torch::NoGradGuard noGrad;
    for (const at::Tensor& buffer : model.module().buffers()) buffers_.push_back(buffer.clone());
}

void LossEffects::undo() {
    const torch::NoGradGuard noGrad;
    const std::vector<at::Tensor> buffers = model_.module().buffers();
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].copy_(buffers_[i]);
    model_.setHistory(history_);
}

}  // namespace kurve::train
