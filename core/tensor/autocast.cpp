#include "core/tensor/autocast.h"

#include <ATen/autocast_mode.h>
#include <torch/library.h>
#include <torch/torch.h>

#include "core/tensor/ops/linear.h"

namespace kurve::tensor {
namespace {

constexpr auto kMetaKey = c10::DispatchKey::AutocastPrivateUse1;

/// torch has no autocast of shapes: a device that nobody has lends its key.
c10::DeviceType lentType(c10::Device device) {
    return device.is_meta() ? c10::DeviceType::PrivateUse1 : device.type();
}

/// What autocast does with the arguments on a CPU, on "meta".
template <at::ScalarType From, at::ScalarType To>
void castOnMeta(const c10::OperatorHandle& op, c10::DispatchKeySet /*keys*/, torch::jit::Stack* stack) {
    const c10::impl::ExcludeDispatchKeyGuard noCast(kMetaKey);
    const std::size_t count = op.schema().arguments().size();
    for (std::size_t i = 0; i < count; ++i) {
        c10::IValue& value = torch::jit::peek(*stack, i, count);
        if (value.isTensor() && value.toTensor().defined() && value.toTensor().is_meta() &&
            value.toTensor().scalar_type() == From)
            value = value.toTensor().to(To);
    }
    op.callBoxed(stack);
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, library) {
    library.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, library) {
    for (const char* name : {"linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "mv", "addmv",
                             "_scaled_dot_product_flash_attention_for_cpu"})
        library.impl(name,
                     torch::CppFunction::makeFromBoxedFunction<&castOnMeta<at::kFloat, at::kBFloat16>>());
    library.impl("layer_norm",
                 torch::CppFunction::makeFromBoxedFunction<&castOnMeta<at::kBFloat16, at::kFloat>>());
}

/// As on CUDA; on a CPU torch norms what comes in bf16 in bf16.
at::Tensor layerNormInFloat(const at::Tensor& x, c10::SymIntArrayRef shape,
                            const std::optional<at::Tensor>& weight, const std::optional<at::Tensor>& bias,
                            double epsilon, bool cudnn) {
    const c10::impl::ExcludeDispatchKeyGuard noCast(c10::DispatchKey::AutocastCPU);
    return at::layer_norm_symint(atLeastFloat(x), shape, weight, bias, epsilon, cudnn);
}

TORCH_LIBRARY_IMPL(aten, AutocastCPU, library) {
    library.impl("layer_norm", &layerNormInFloat);
}

}  // namespace

Autocast::Autocast(c10::Device device, bool on)
    : device_(lentType(device)),
      before_(at::autocast::is_autocast_enabled(device_)),
      cacheBefore_(at::autocast::is_autocast_cache_enabled()) {
    at::autocast::set_autocast_enabled(device_, on);
    if (device.is_meta())
        c10::impl::tls_set_dispatch_key_included(kMetaKey, on);
    else
        at::autocast::set_autocast_dtype(device_, at::kBFloat16);
    at::autocast::set_autocast_cache_enabled(false);
}

Autocast::~Autocast() {
    at::autocast::set_autocast_enabled(device_, before_);
    if (device_ == c10::DeviceType::PrivateUse1) c10::impl::tls_set_dispatch_key_included(kMetaKey, before_);
    at::autocast::set_autocast_cache_enabled(cacheBefore_);
}

bool autocastOn(c10::Device device) {
    return at::autocast::is_autocast_enabled(lentType(device));
}

bool multipliesBf16(c10::Device device) {
#if defined(__x86_64__)
    if (device.is_cpu()) return __builtin_cpu_supports("avx512bf16") != 0;
#endif
    return !device.is_cpu();
}

at::Tensor atLeastFloat(const at::Tensor& x) {
    return c10::elementSize(x.scalar_type()) < sizeof(float) ? x.to(at::kFloat) : x;
}

at::Tensor Products::stored(const at::Tensor& x) const {
    return low_ ? x.to(at::kBFloat16) : x;
}

at::Tensor Products::operator()(const at::Tensor& a, const at::Tensor& b,
                                const std::optional<at::Tensor>& maybeBias) const {
    const Autocast off(a.device(), false);
    if (low_) {
        at::Tensor made = at::matmul(stored(a), stored(b)).to(at::kFloat);
        return maybeBias ? made.add_(*maybeBias) : made;
    }
    return matrixProduct(a, b, maybeBias);
}

}  // namespace kurve::tensor
