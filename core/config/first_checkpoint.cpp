#include "core/config/first_checkpoint.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kurve {
namespace {

double numberOf(const std::map<std::string, std::string>& record, const char* key) {
    const auto found = record.find(key);
    return found == record.end() ? 0 : std::strtod(found->second.c_str(), nullptr);
}

}  // namespace

std::optional<FirstCheckpoint> firstCheckpoint(const RunConfig& config,
                                               const std::map<std::string, std::string>& record) {
    if (!config.has("checkpoint.every_steps") || !config.has("checkpoint.every_seconds")) return std::nullopt;
    const double step = numberOf(record, "heartbeat_step"), total = numberOf(record, "total_steps");
    // Pauses are no training, and a fork's steps began before it did; an older record knows only the clock.
    const double trained = numberOf(record, "seconds");
    const double taken =
        trained > 0 ? trained : numberOf(record, "heartbeat_wall") - numberOf(record, "started");
    const double speed = step > 0 && taken > 0 ? step / taken : 0;  // steps a second
    double first = total > 0 ? total : HUGE_VAL;                    // the end writes one
    const auto consider = [&](const std::string& table) {
        const double everySteps = static_cast<double>(config.integer(table + ".every_steps"));
        const double everySeconds = config.real(table + ".every_seconds");
        if (everySteps > 0) first = std::min(first, (std::floor(step / everySteps) + 1) * everySteps);
        if (everySeconds > 0 && speed > 0)
            first = std::min(first, std::max(step + 1, std::ceil(everySeconds * speed)));
    };
    consider("checkpoint");
    // The first evaluation is the best so far.
    if (config.has("checkpoint.keep_best") && config.integer("checkpoint.keep_best") > 0) consider("eval");
    if (!std::isfinite(first)) return std::nullopt;
    return FirstCheckpoint{static_cast<std::int64_t>(first), speed > 0 ? (first - step) / speed : -1};
}

}  // namespace kurve
