#include "core/store/pauses.h"

#include <algorithm>
#include <cstdlib>

namespace kurve::store {

std::vector<std::pair<double, double>> pausesOf(std::span<const EventRow> events,
                                                std::span<const SegmentRow> segments,
                                                std::span<const std::span<const double>> walls) {
    std::vector<std::pair<double, double>> pauses;
    for (std::size_t k = 1; k < segments.size(); ++k) {
        double last = segments.front().wall;
        for (const auto wall : walls) {
            const auto after = std::lower_bound(wall.begin(), wall.end(), segments[k].wall);
            if (after != wall.begin()) last = std::max(last, *(after - 1));
        }
        pauses.emplace_back(last, segments[k].wall);
    }
    double paused = 0;
    for (const EventRow& event : events) {
        if (event.kind == "resumed" && paused > 0) pauses.emplace_back(std::exchange(paused, 0), event.wall);
        if (event.kind == "paused") paused = event.wall;
        if (event.kind == "suspended")
            pauses.emplace_back(event.wall - std::max(0.0, std::strtod(event.text.c_str(), nullptr)),
                                event.wall);
    }
    std::ranges::sort(pauses, {}, &std::pair<double, double>::second);
    return pauses;
}

}  // namespace kurve::store
