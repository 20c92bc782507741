#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace kurve {

/// Bytes that this process can still take without pushing others out: what the kernel calls available, or
/// what its control groups leave it if that is less. Nothing if neither says. `root`: for tests.
[[nodiscard]] std::optional<std::int64_t> freeHostMemory(const std::filesystem::path& root = "/");

}  // namespace kurve
