// Stands for NVIDIA's management library: one whole GPU and one slice of another, whose load is not reported.
#include <cstring>

namespace {
int whole = 0, slice = 0;
bool started = false;
constexpr int kNotSupported = 3, kNotFound = 6, kUninitialized = 1;
}  // namespace

extern "C" {

__attribute__((visibility("default"))) int nvmlInit_v2() {
    started = true;
    return 0;
}

__attribute__((visibility("default"))) int nvmlShutdown() {
    started = false;
    return 0;
}

__attribute__((visibility("default"))) int nvmlDeviceGetHandleByPciBusId_v2(const char* id, void** device) {
    if (!started) return kUninitialized;
    if (std::strcmp(id, "0000:65:00.0") == 0) *device = &whole;
    if (std::strcmp(id, "0000:66:00.0") == 0) *device = &slice;
    return *device == nullptr ? kNotFound : 0;
}

__attribute__((visibility("default"))) int nvmlDeviceGetUtilizationRates(void* device, unsigned* rates) {
    if (device == &slice) return kNotSupported;
    rates[0] = 87;
    rates[1] = 12;
    return 0;
}

__attribute__((visibility("default"))) int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* room) {
    room[0] = 8'000'000'000;
    room[2] = device == &slice ? 1'000'000'000 : 3'200'000'000;
    room[1] = room[0] - room[2];
    return 0;
}
}
