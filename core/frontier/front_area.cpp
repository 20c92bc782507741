#include "core/frontier/front_area.h"

#include <vector>

#include "core/frontier/front.h"

namespace kurve::frontier {

std::optional<double> frontArea(std::span<const SweepPoint> points) {
    std::vector<Dot> dots;
    for (const SweepPoint& point : points) {
        const auto distinct = point.diversity.find("distinct-2");
        const auto chrf = point.quality.find("chrf");
        if (distinct != point.diversity.end() && chrf != point.quality.end())
            dots.push_back({distinct->second.value, chrf->second.value / 100});
    }
    if (dots.empty()) return std::nullopt;
    return hypervolume(dots, 0, 0);
}

std::optional<double> frontAreaOf(const std::filesystem::path& runFolder) {
    const StoredPoints stored = loadPoints(runFolder);
    return frontArea(stored.points);
}

}  // namespace kurve::frontier
