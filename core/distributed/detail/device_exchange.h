#pragma once

#include <ATen/core/Tensor.h>

#include "core/distributed/detail/store.h"

namespace kurve::distributed::detail {

/// What ProcessGroup does with blocks in the memory of a GPU, from GPU to GPU. Operations are in place and in
/// the same order on all ranks. They return at once; what the calling thread gives to its stream after
/// await() follows them. They throw where the library refuses.
class DeviceExchange {
public:
    virtual ~DeviceExchange() = default;
    virtual void allReduce(const at::Tensor& block) = 0;
    virtual void reduceScatter(const at::Tensor& block) = 0;
    virtual void allGather(const at::Tensor& block) = 0;
    virtual void broadcast(const at::Tensor& block, int root) = 0;
    /// Whether all that was begun has ended. Throws what has failed.
    [[nodiscard]] virtual bool ended() = 0;
    /// Orders all that was begun before what this thread does next; forgets it.
    virtual void await() = 0;
    /// Ends what waits for a rank that is gone. No operation is possible any more.
    virtual void abort() = 0;
};

/// Of the library that has it: a program that links to LibTorch's CUDA part could not start without a GPU's
/// libraries.
using MakeDeviceExchange = DeviceExchange* (*)(const StorePointer& store, int rank, int size);
inline constexpr const char* kMakeDeviceExchange = "kurveMakeNcclExchange";

}  // namespace kurve::distributed::detail
