#pragma once

#include <c10/core/Device.h>

#include <map>
#include <string>

#include "core/base/gpu_meter.h"

namespace kurve::train {

/// What a training takes of its machine, as metrics of the run: cpu_percent (100: one core), rss_mb, and of
/// its GPU, where the driver tells it, gpu_percent and gpu_memory_mb.
class RunMeters {
public:
    /// Of this process and the GPU it trains on; CUDA has been used already.
    explicit RunMeters(c10::Device device);
    /// Means since the last call (the first: since the object was made).
    void addTo(std::map<std::string, double>& metrics);

private:
    GpuMeter gpu_;
    double cpuSeconds_ = 0, wallSeconds_ = 0;
};

}  // namespace kurve::train
