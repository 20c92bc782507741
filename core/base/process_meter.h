#pragma once

#include <cstdint>
#include <optional>

namespace kurve {

/// What a process has taken of its machine.
struct ProcessUse {
    double cpuSeconds = 0;  ///< of all its threads since it began, in user and system mode
    std::int64_t residentBytes = 0;
};

/// Of any process of this machine, from /proc (its time in ticks of 10 ms); nothing if there is none (any
/// more). Any thread.
[[nodiscard]] std::optional<ProcessUse> processUse(std::int64_t pid);
/// The same of this one, to the microsecond.
[[nodiscard]] std::optional<ProcessUse> ownProcessUse();

}  // namespace kurve
