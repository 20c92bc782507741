#pragma once

#include "core/base/result.h"
#include "core/distributed/detail/device_exchange.h"

namespace kurve::distributed::detail {

/// Loads it, with LibTorch's CUDA part and NVIDIA's libraries. Errors: distributed.nccl: this build has none,
/// or the library that is missing.
Result<MakeDeviceExchange> loadNccl();
/// The same, from that file.
Result<MakeDeviceExchange> loadNccl(const std::string& file);

}  // namespace kurve::distributed::detail
