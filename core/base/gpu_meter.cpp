#include "core/base/gpu_meter.h"

#include <dlfcn.h>

#include <array>

namespace kurve {
namespace {

// Of nvml.h and cuda.h, whose layouts are fixed by their ABI. 0 is success everywhere.
struct Utilization {
    unsigned gpu, memory;
};
struct Memory {
    unsigned long long total, free, used;
};

template <class Function>
Function* symbol(void* library, const char* name) {
    return reinterpret_cast<Function*>(::dlsym(library, name));
}

}  // namespace

GpuMeter::GpuMeter(const std::string& busId, const char* library) {
    if (busId.empty()) return;
    handle_ = ::dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) return;
    const auto init = symbol<int()>(handle_, "nvmlInit_v2");
    const auto find = symbol<int(const char*, void**)>(handle_, "nvmlDeviceGetHandleByPciBusId_v2");
    if (init != nullptr && find != nullptr && init() == 0 && find(busId.c_str(), &device_) == 0) return;
    device_ = nullptr;
}

GpuMeter::~GpuMeter() {
    if (handle_ == nullptr) return;
    if (const auto shutdown = symbol<int()>(handle_, "nvmlShutdown")) shutdown();
    ::dlclose(handle_);
}

GpuUse GpuMeter::read() const {
    GpuUse use;
    if (device_ == nullptr) return use;
    const auto rates = symbol<int(void*, Utilization*)>(handle_, "nvmlDeviceGetUtilizationRates");
    const auto memory = symbol<int(void*, Memory*)>(handle_, "nvmlDeviceGetMemoryInfo");
    Utilization busy{};
    Memory memoryInfo{};
    if (rates != nullptr && rates(device_, &busy) == 0) use.percent = busy.gpu;
    if (memory != nullptr && memory(device_, &memoryInfo) == 0)
        use.bytes = static_cast<std::int64_t>(memoryInfo.used);
    return use;
}

std::string busIdOfCuda(int ordinal) {
    void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);  // only if somebody computes with it
    if (driver == nullptr) return {};
    const auto find = symbol<int(int*, int)>(driver, "cuDeviceGet");
    const auto busId = symbol<int(char*, int, int)>(driver, "cuDeviceGetPCIBusId");
    std::array<char, 32> text{};
    int device = 0;
    const bool known = find != nullptr && busId != nullptr && find(&device, ordinal) == 0 &&
                       busId(text.data(), static_cast<int>(text.size()), device) == 0;
    ::dlclose(driver);
    return known ? std::string(text.data()) : std::string();
}

}  // namespace kurve
