#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace kurve::tensor {

/// While it lives and is on, checkpointed() of this thread stores inputs alone.
class ActivationCheckpointing {
public:
    explicit ActivationCheckpointing(bool on);
    ~ActivationCheckpointing();
    ActivationCheckpointing(const ActivationCheckpointing&) = delete;
    ActivationCheckpointing& operator=(const ActivationCheckpointing&) = delete;

private:
    bool before_;
};

using BlockFunction = std::function<at::Tensor(const std::vector<at::Tensor>& inputs)>;

/// block(inputs). Where activation checkpointing is on (Chen et al. 2016, section 4) nothing else is kept for
/// the gradient: the backward pass calls block again, with autocast as now, so that it must give the same
/// values twice and own what it reads besides. Gradients of weights that it reads go straight to their .grad.
/// At most four inputs; some may be undefined.
[[nodiscard]] at::Tensor checkpointed(const std::vector<at::Tensor>& inputs, const BlockFunction& block);

}  // namespace kurve::tensor
