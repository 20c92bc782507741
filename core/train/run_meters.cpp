#include "core/train/run_meters.h"

#include "core/base/clock.h"
#include "core/base/process_meter.h"

namespace kurve::train {
namespace {

constexpr double kMegabyte = 1e6;

double usedCpu() {
    const auto use = ownProcessUse();
    return use ? use->cpuSeconds : 0;
}

}  // namespace

RunMeters::RunMeters(c10::Device device)
    : gpu_(device.is_cuda() ? busIdOfCuda(device.has_index() ? device.index() : 0) : std::string()),
      cpuSeconds_(usedCpu()),
      wallSeconds_(steadySeconds()) {}

void RunMeters::addTo(std::map<std::string, double>& metrics) {
    const double now = steadySeconds();
    if (const auto use = ownProcessUse()) {
        metrics["rss_mb"] = static_cast<double>(use->residentBytes) / kMegabyte;
        if (now > wallSeconds_)
            metrics["cpu_percent"] = 100 * (use->cpuSeconds - cpuSeconds_) / (now - wallSeconds_);
        cpuSeconds_ = use->cpuSeconds;
        wallSeconds_ = now;
    }
    const GpuUse gpu = gpu_.read();
    if (gpu.percent) metrics["gpu_percent"] = *gpu.percent;
    if (gpu.bytes) metrics["gpu_memory_mb"] = static_cast<double>(*gpu.bytes) / kMegabyte;
}

}  // namespace kurve::train
