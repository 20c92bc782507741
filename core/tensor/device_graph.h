#pragma once

#include <c10/core/Device.h>

#include <functional>
#include <memory>

namespace kurve::tensor {

/// Work of a GPU, captured once and replayed as one launch, where every kernel alone would be one (CUDA
/// graphs). Used from one thread.
class DeviceGraph {
public:
    DeviceGraph() = default;
    virtual ~DeviceGraph() = default;
    DeviceGraph(const DeviceGraph&) = delete;
    DeviceGraph& operator=(const DeviceGraph&) = delete;
    /// Once: calls `work`, whose kernels run at each replay() only. It must have run before, and may neither
    /// wait for the GPU, nor copy from the host, nor use torch's random numbers: such a call throws. Tensors
    /// that it reads must outlive the graph. Two graphs of a thread may share memory: the tensors that `work`
    /// keeps hold their values until another graph's replay().
    virtual void capture(const std::function<void()>& work) = 0;
    /// In the current stream. Returns at once.
    virtual void replay() = 0;
};

/// Of a build with CUDA, for a GPU.
[[nodiscard]] std::unique_ptr<DeviceGraph> makeDeviceGraph(c10::Device device);

}  // namespace kurve::tensor
