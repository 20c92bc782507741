#include "core/tensor/cuda_half.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>

namespace kurve::tensor {
namespace {

CudaHalf load() {
    CudaHalf half;
#if defined(KURVE_HAS_CUDA)
    half.built = true;
    // Found by the program's run path; its constructors register the kernels. Never closed.
    if (::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        half.problem = ::dlerror();
        return half;
    }
    half.version = static_cast<int>(at::detail::getCUDAHooks().versionCUDART());
    half.devices = at::detail::getCUDAHooks().deviceCount();
#else
    half.problem = "this build has no CUDA kernels";
#endif
    return half;
}

}  // namespace

const CudaHalf& cudaHalf() {
    static const CudaHalf half = load();
    return half;
}

}  // namespace kurve::tensor
