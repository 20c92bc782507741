# Every switch of the build, each with its meaning. Anything else that begins with KURVE_ is an error
# (a misspelt option that nobody reads is worse than none).
option(KURVE_BUILD_ENGINE "Build kurve, the engine and command line (needs LibTorch)" ON)
option(KURVE_BUILD_STUDIO "Build kurve-studio, the window (needs Qt 6)" ON)
option(KURVE_BUILD_TESTS "Build the tests" ON)
option(KURVE_BUILD_BENCH "Build the benchmark programs" ON)
option(KURVE_BUILD_FUZZ "Build the libFuzzer targets (clang)" OFF)
option(KURVE_WITH_CUDA "Compile core/kernels with nvcc and link the CUDA libraries of LibTorch" OFF)
option(KURVE_WERROR "Treat warnings as errors" OFF)
option(KURVE_JOIN_SOURCES "Compile several sources of a library at once: a whole build is shorter, one after an edit longer" OFF)
set(KURVE_SANITIZE "" CACHE STRING "Sanitizers: empty, address (with undefined) or thread")
set_property(CACHE KURVE_SANITIZE PROPERTY STRINGS "" address thread)
set(KURVE_TORCH_DIR "" CACHE PATH "Folder of an unpacked torch 2.11 (the one with include/ and lib/)")
# Of torch 2.11's for CUDA 13; the last one's PTX is for newer GPUs.
set(KURVE_CUDA_ARCHITECTURES "75-real;80-real;90" CACHE STRING "GPU architectures that nvcc compiles for")

set(_kurve_known
    KURVE_BUILD_ENGINE KURVE_BUILD_STUDIO KURVE_BUILD_TESTS KURVE_BUILD_BENCH KURVE_BUILD_FUZZ
    KURVE_WITH_CUDA KURVE_WERROR KURVE_JOIN_SOURCES KURVE_SANITIZE KURVE_TORCH_DIR KURVE_CUDA_ARCHITECTURES)
get_cmake_property(_kurve_cached CACHE_VARIABLES)
foreach(_name IN LISTS _kurve_cached)
  if(_name MATCHES "^KURVE_" AND NOT _name IN_LIST _kurve_known)
    message(FATAL_ERROR "Unknown option ${_name}. Known: ${_kurve_known}")
  endif()
endforeach()
if(NOT KURVE_SANITIZE MATCHES "^(|address|thread)$")
  message(FATAL_ERROR "KURVE_SANITIZE is '${KURVE_SANITIZE}'; it takes address, thread or nothing")
endif()
