#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace kurve {

/// How a GPU is used by all programs together; what its driver does not tell (a MIG slice has no load of its
/// own) is missing.
struct GpuUse {
    std::optional<double> percent;  ///< of the time in which something ran on it
    std::optional<std::int64_t> bytes;
};

/// Asks NVIDIA's management library, which is looked for when the meter is made. Where it or the GPU is not
/// there read() gives nothing: that is no error. Use from one thread at a time.
class GpuMeter {
public:
    static constexpr const char* kLibrary = "libnvidia-ml.so.1";

    /// `busId`: "0000:65:00.0" as busIdOfCuda() gives it.
    explicit GpuMeter(const std::string& busId, const char* library = kLibrary);
    ~GpuMeter();
    GpuMeter(const GpuMeter&) = delete;
    GpuMeter& operator=(const GpuMeter&) = delete;
    [[nodiscard]] GpuUse read() const;

private:
    void* handle_ = nullptr;  ///< of the shared library
    void* device_ = nullptr;
};

/// Where CUDA's GPU of this number sits: CUDA counts in an order of its own, and only those it may see. Empty
/// if this process has not loaded CUDA's driver.
[[nodiscard]] std::string busIdOfCuda(int ordinal);

}  // namespace kurve
