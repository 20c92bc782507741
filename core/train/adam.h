#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/config/run_config.h"
#include "core/train/flat_parts.h"

namespace kurve::train {

/// Adam and AdamW on one flat block (Kingma & Ba 2015; Loshchilov & Hutter 2019), torch's fused kernel: one
/// pass over values, gradient and both moments. Weight decay on everything (fairseq adam.py) but as
/// its group says.
class FlatAdam {
public:
    using Part = FlatParts::Part;
    /// Has moments for parts of the values only: only those can be updated.
    FlatAdam(const at::Tensor& values, FlatParts held);
    /// Begins the next step; then update() for parts that together are all that is held, from any threads.
    void beginStep();
    /// Parts with the same factors of the learning rate and of train.weight_decay.
    struct Group {
        double learningRate = 1, decay = 1;
        std::vector<Part> parts;
    };
    /// What is applied is gradient / gradientScale. Nothing changes at all if the scalar `skip` is 1 (f32,
    /// same device).
    void update(const at::Tensor& values, const at::Tensor& gradients, const Group& group,
                const RunConfig& config, double learningRate, const at::Tensor& gradientScale,
                const at::Tensor& skip);

    /// First and second moment of the parts that are held, rows of their elements.
    [[nodiscard]] const at::Tensor& mean() const { return mean_; }
    [[nodiscard]] const at::Tensor& square() const { return square_; }
    [[nodiscard]] const FlatParts& held() const { return held_; }
    /// From now on these moments of other parts.
    void hold(FlatParts parts, at::Tensor mean, at::Tensor square);
    [[nodiscard]] std::int64_t steps() const { return steps_; }
    void setSteps(std::int64_t steps) { steps_ = steps; }

private:
    FlatParts held_;
    at::Tensor mean_, square_, stepTensor_;
    std::int64_t steps_ = 0;
};

}  // namespace kurve::train
