# LibTorch is the library inside the torch 2.11.0 wheel, used without Python: two shared objects and the headers.
# libtorch_cpu needs libcupti and libcudart of the CUDA toolkit; wheels unpacked beside torch/ serve as well,
# because libtorch's own run path looks there.
if(NOT KURVE_TORCH_DIR)
  if(DEFINED ENV{XDG_CACHE_HOME})
    set(_cache "$ENV{XDG_CACHE_HOME}")
  else()
    set(_cache "$ENV{HOME}/.cache")
  endif()
  set(KURVE_TORCH_DIR "${_cache}/kurve/torch-2.11.0/torch" CACHE PATH "" FORCE)
endif()
if(NOT EXISTS "${KURVE_TORCH_DIR}/include/ATen/ATen.h")
  message(FATAL_ERROR "No LibTorch in ${KURVE_TORCH_DIR}. Run packaging/setup, or name one: -DKURVE_TORCH_DIR=…/torch")
endif()
file(READ "${KURVE_TORCH_DIR}/include/torch/csrc/api/include/torch/version.h" _version LIMIT 4000)

add_library(kurve_torch INTERFACE)
target_include_directories(kurve_torch SYSTEM INTERFACE
  "${KURVE_TORCH_DIR}/include" "${KURVE_TORCH_DIR}/include/torch/csrc/api/include")
# LibTorch's checks write the path of their file into the program: not the folders of the machine that builds it.
target_compile_options(kurve_torch INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${KURVE_TORCH_DIR}/include/=;-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=>")
# GCC compiled the library. Of its function templates clang 18 and later would look for another mangled name, e.g. of
# TensorBase::const_data_ptr<float>() (release notes of Clang 18.1.0).
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 18)
  target_compile_options(kurve_torch INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fclang-abi-compat=17>")
endif()
target_link_libraries(kurve_torch INTERFACE
  "${KURVE_TORCH_DIR}/lib/libtorch_cpu.so" "${KURVE_TORCH_DIR}/lib/libc10.so" Threads::Threads)
file(GLOB _nvidia_lib_dirs "${KURVE_TORCH_DIR}/../nvidia/*/lib" "${KURVE_TORCH_DIR}/../nvidia/*/lib/*.so*/..")
find_path(_toolkit_lib NAMES libcupti.so PATHS /usr/local/cuda/lib64 /usr/local/cuda/extras/CUPTI/lib64 NO_DEFAULT_PATH)
foreach(_dir IN LISTS _nvidia_lib_dirs)
  target_link_options(kurve_torch INTERFACE "-Wl,-rpath-link,${_dir}")
endforeach()
if(_toolkit_lib)
  target_link_options(kurve_torch INTERFACE "-Wl,-rpath-link,${_toolkit_lib}")
endif()
target_link_options(kurve_torch INTERFACE -Wl,--allow-shlib-undefined)

# Of torch's CUDA libraries only libc10_cuda is linked; core/tensor/cuda_library.cpp loads libtorch_cuda when a GPU is requested.
if(KURVE_WITH_CUDA)
  if(NOT EXISTS "${KURVE_TORCH_DIR}/lib/libtorch_cuda.so")
    message(FATAL_ERROR "KURVE_WITH_CUDA needs a torch built with CUDA; ${KURVE_TORCH_DIR} has no lib/libtorch_cuda.so")
  endif()
  target_link_libraries(kurve_torch INTERFACE "${KURVE_TORCH_DIR}/lib/libc10_cuda.so")
endif()

# One precompiled torch header, built once and reused by every torch target. Reading it costs a source two seconds,
# so what these sources need besides torch is in it too. Not CLI11: its global objects cost every source four seconds.
add_library(kurve_torch_pch STATIC "${CMAKE_SOURCE_DIR}/packaging/cmake/torch_fmt.cpp")
target_link_libraries(kurve_torch_pch PUBLIC kurve_settings kurve_torch)
kurve_precompile(kurve_torch_pch
  <torch/torch.h> <fmt/format.h> <nlohmann/json.hpp> <tl/expected.hpp> <filesystem> <functional> <map> <set> <span>)
function(kurve_use_torch_pch target)
  target_link_libraries(${target} PRIVATE kurve_torch_pch)
  kurve_use_pch(${target} kurve_torch_pch)
endfunction()
