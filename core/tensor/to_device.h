#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

namespace kurve::tensor {

/// A tensor of the host on a device, without waiting for what that computes: to a GPU through pinned memory.
[[nodiscard]] at::Tensor toDevice(const at::Tensor& host, c10::Device device);

}  // namespace kurve::tensor
