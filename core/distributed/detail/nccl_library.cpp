#include "core/distributed/detail/nccl_library.h"

#include <dlfcn.h>

#include <filesystem>

namespace kurve::distributed::detail {
namespace {

Error missing(const std::string& problem) {
    return requestError("distributed.nccl",
                        "several processes on GPUs need NCCL, which cannot be loaded: " + problem)
        .fix(
            "use a build with CUDA and install NVIDIA's libraries (libnccl.so.2), or train with --device "
            "cpu");
}

}  // namespace

Result<MakeDeviceExchange> loadNccl(const std::string& file) {
    // Never closed: what it gives back stays in use.
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library == nullptr) return missing(::dlerror());
    const auto make = reinterpret_cast<MakeDeviceExchange>(::dlsym(library, kMakeDeviceExchange));
    if (make == nullptr) return missing(::dlerror());
    return make;
}

Result<MakeDeviceExchange> loadNccl() {
#if defined(KURVE_HAS_NCCL)
    constexpr const char* kName = "libkurve_nccl.so";
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
    const fs::path installed = folder.parent_path() / "lib/kurve" / kName;
    return loadNccl(fs::exists(installed, ignored) ? installed.string() : (folder / kName).string());
#else
    return missing("this build has none");
#endif
}

}  // namespace kurve::distributed::detail
