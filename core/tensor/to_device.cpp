#include "core/tensor/to_device.h"

#include <ATen/ATen.h>

namespace kurve::tensor {

at::Tensor toDevice(const at::Tensor& host, c10::Device device) {
    return device.is_cuda() ? host.pin_memory().to(device, /*non_blocking=*/true) : host.to(device);
}

}  // namespace kurve::tensor
