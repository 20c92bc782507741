#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace kurve::store {

/// Lowest and highest finite value that a metric had, each with the first step that had it.
struct Extremes {
    std::string metric;
    double low = std::numeric_limits<double>::infinity();  ///< above `high` where no value was finite
    double high = -std::numeric_limits<double>::infinity();
    std::int64_t lowStep = 0, highStep = 0;
    std::int64_t next = 0;  ///< where a reader goes on, opaque

    [[nodiscard]] bool isKnown() const { return low <= high; }
    friend bool operator==(const Extremes&, const Extremes&) = default;
};

/// Those of a run; points that a later attempt shadows do not count.
struct RunExtremes {
    std::int64_t segment = 0;       ///< the newest attempt that was seen
    std::vector<Extremes> metrics;  ///< in the order of their names

    /// Null where nothing finite was logged under this name.
    [[nodiscard]] const Extremes* find(const std::string& metric) const {
        const auto at =
            std::lower_bound(metrics.begin(), metrics.end(), metric,
                             [](const Extremes& one, const auto& name) { return one.metric < name; });
        return at != metrics.end() && at->metric == metric && at->isKnown() ? &*at : nullptr;
    }
    friend bool operator==(const RunExtremes&, const RunExtremes&) = default;
};

}  // namespace kurve::store
