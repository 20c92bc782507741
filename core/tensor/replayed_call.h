#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <vector>

#include "core/tensor/device_graph.h"

namespace kurve::tensor {

/// A function of tensors that is called many times, on a GPU as a graph: the first call with inputs of these
/// shapes runs it as it is, the second captures it, later ones replay it. The same kernels, hence the same
/// bits. Used from one thread.
class ReplayedCall {
public:
    using Tensors = std::vector<at::Tensor>;
    using Function = std::function<Tensors(const Tensors& inputs)>;
    using MakeGraph = std::function<std::unique_ptr<DeviceGraph>()>;
    /// `function`: what DeviceGraph::capture() takes; whatever it reads beside its inputs stays what it is
    /// while this object lives.
    ReplayedCall(Function function, MakeGraph makeGraph)
        : function_(std::move(function)), makeGraph_(std::move(makeGraph)) {}
    /// Results are the caller's: the next call leaves them as they are.
    Tensors operator()(const Tensors& inputs);

private:
    void capture(const Tensors& inputs);
    const Function function_;
    const MakeGraph makeGraph_;
    std::vector<std::vector<std::int64_t>> shapes_;  // of the last call's inputs
    std::unique_ptr<DeviceGraph> maybeGraph_;        // of inputs of these shapes
    Tensors inputs_, outputs_;                       // the graph's
};

}  // namespace kurve::tensor
