#pragma once

#include <c10/core/Device.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/command.h"

namespace kurve::engine {

/// Facts about the machine and the settings chosen for it; `kurve describe devices` prints it.
struct Platform {
    std::string cpu;                 ///< model name
    std::vector<std::string> flags;  ///< the instruction sets that matter here
    int cores = 1;
    int threads = 1;  ///< threads inside one operation
    std::string
        waiting;  ///< how idle OpenMP threads wait: "no pool" | "active" | "passive" | "library default"
    bool amxBroken = false;      ///< AMX is announced but cannot be used
    std::string instructionCap;  ///< ONEDNN_MAX_CPU_ISA as set by the guard; empty if not needed
    bool keepsMemory = false;    ///< mallopt: freed memory is kept for the next step
};

/// Of this machine; at least 1.
[[nodiscard]] int hardwareThreads();

/// Call first in main, before any torch function. `threads` as the user gave it, 0 = choose. May start the
/// program again with OMP_WAIT_POLICY set: libgomp reads it before main().
const Platform& preparePlatform(int threads, char** argv);
[[nodiscard]] const Platform& platform();
[[nodiscard]] nlohmann::json toJson(const Platform& platform);
/// Why numbers may differ in their last bits between two environments as runs record them (JSON): "it was
/// trained on another machine: cpu A, here B"; a GPU is a cause alone. Empty if there is none, or one says
/// nothing.
[[nodiscard]] std::string otherEnvironment(const std::string& then, const std::string& now);
/// [{"id":"cpu",…},{"id":"cuda:0",…}]
[[nodiscard]] nlohmann::json describeDevices();

/// Why no GPU is used where one is expected: the machine has NVIDIA's driver, or the build CUDA kernels.
[[nodiscard]] std::optional<Error> unusedGpu();
/// What the build and this machine have of CUDA: "none", "none: <why no GPU is used>", "13.0, 2 GPU".
[[nodiscard]] std::string cudaText();

/// "cpu", "cuda", "cuda:1", "auto" (a GPU if there is one; a build with CUDA kernels
/// says on stderr why it uses none). Errors: device.unknown, device.no_cuda, device.no_such_gpu.
Result<c10::Device> chooseDevice(const std::string& name);

}  // namespace kurve::engine
