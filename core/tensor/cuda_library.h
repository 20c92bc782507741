#pragma once

#include <string>

namespace kurve::tensor {

/// LibTorch's CUDA library, libtorch_cuda.so, with NVIDIA's libraries below it.
struct CudaLibrary {
    bool built = false;   ///< this build has CUDA kernels (KURVE_WITH_CUDA)
    std::string problem;  ///< why it is not there: the build, or the library that is missing
    int version = 0;      ///< of the CUDA runtime, 13000 is 13.0
    int devices = 0;
};

/// Loads it at the first call, hence before anything else asks torch about GPUs; any thread. A program that
/// links to it could not even start where one of NVIDIA's libraries is missing, and would take 350 MB more
/// to compute on the CPU.
[[nodiscard]] const CudaLibrary& cudaLibrary();

}  // namespace kurve::tensor
