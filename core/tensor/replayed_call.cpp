#include "core/tensor/replayed_call.h"

#include <utility>

namespace kurve::tensor {

ReplayedCall::Tensors ReplayedCall::operator()(const Tensors& inputs) {
    std::vector<std::vector<std::int64_t>> shapes;
    for (const at::Tensor& input : inputs) shapes.push_back(input.sizes().vec());
    if (shapes != std::exchange(shapes_, shapes)) {
        outputs_.clear();
        maybeGraph_.reset();
        return function_(inputs);
    }
    if (!maybeGraph_) capture(inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs_[i].copy_(inputs[i]);
    maybeGraph_->replay();
    Tensors results;
    for (const at::Tensor& output : outputs_) results.push_back(output.clone());
    return results;
}

void ReplayedCall::capture(const Tensors& inputs) {
    inputs_.clear();
    for (const at::Tensor& input : inputs) inputs_.push_back(input.clone());
    std::unique_ptr<DeviceGraph> graph = makeGraph_();
    graph->capture([this] { outputs_ = function_(inputs_); });
    maybeGraph_ = std::move(graph);
}

}  // namespace kurve::tensor
