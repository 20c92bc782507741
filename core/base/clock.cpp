#include "core/base/clock.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <random>

namespace kurve {

double wallSeconds() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

double steadySeconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string utcText(double wall) {
    constexpr double kMost = 253402300799;  // the end of the year 9999
    if (!(std::abs(wall) <= kMost)) return "?";
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(wall)));
}

std::string newRunId() {
    // Not an experiment's randomness: two runs started in the same second only have to differ.
    return fmt::format("{:%Y%m%d-%H%M%S}-{:04x}", fmt::gmtime(static_cast<std::time_t>(wallSeconds())),
                       std::random_device{}() & 0xFFFFu);
}

}  // namespace kurve
