#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/config/run_config.h"

namespace kurve::train {

/// Adam and AdamW on one flat block (Kingma & Ba 2015; Loshchilov & Hutter 2019), torch's fused kernel: one
/// pass over values, gradient and both moments. Weight decay on everything (fairseq adam.py) but as
/// its group says.
class FlatAdam {
public:
    explicit FlatAdam(const at::Tensor& values);
    /// Begins the next step; then update() for parts of the block that together are all of it, from any
    /// threads.
    void beginStep();
    /// Elements [first, first + count) of values.
    struct Part {
        std::int64_t first = 0, count = 0;
    };
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

    [[nodiscard]] const at::Tensor& mean() const {
        return mean_;
    }  ///< first moment, laid out like the values
    [[nodiscard]] const at::Tensor& square() const { return square_; }  ///< second moment
    [[nodiscard]] std::int64_t steps() const { return steps_; }
    void setSteps(std::int64_t steps) { steps_ = steps; }

private:
    at::Tensor mean_, square_, stepTensor_;
    std::int64_t steps_ = 0;
};

}  // namespace kurve::train
