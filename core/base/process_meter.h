#pragma once

#include <cstdint>
#include <optional>

namespace kurve {

/// What a process has taken of its machine.
struct ProcessUse {
    double cpuSeconds = 0;  ///< of all its threads since it began, in user and system mode
    std::int64_t residentBytes = 0;
};

/// Of any process of this machine with its children (the other ranks of a training), from /proc (time in
/// ticks of 10 ms); nothing if there is none (any more). Any thread.
[[nodiscard]] std::optional<ProcessUse> processUse(std::int64_t pid);
/// Of this one alone, to the microsecond.
[[nodiscard]] std::optional<ProcessUse> ownProcessUse();

}  // namespace kurve
