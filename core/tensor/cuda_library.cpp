#include "core/tensor/cuda_library.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>

namespace kurve::tensor {
namespace {

CudaLibrary load() {
    CudaLibrary library;
#if defined(KURVE_HAS_CUDA)
    library.built = true;
    // Found by the program's run path; its constructors register the kernels. Never closed.
    if (::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
        library.problem = ::dlerror();
        return library;
    }
    library.version = static_cast<int>(at::detail::getCUDAHooks().versionCUDART());
    library.devices = at::detail::getCUDAHooks().deviceCount();
    // torch prefers cuDNN's attention in bf16 on an H100 and newer, which builds a plan for each shape of a
    // batch it has not seen: half a second forward and as much backward.
    at::globalContext().setSDPUseCuDNN(false);
#else
    library.problem = "this build has no CUDA kernels";
#endif
    return library;
}

}  // namespace

const CudaLibrary& cudaLibrary() {
    static const CudaLibrary library = load();
    return library;
}

}  // namespace kurve::tensor
