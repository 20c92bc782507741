#include "core/frontier/front_numbers.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/frontier/plane.h"

namespace kurve::frontier {

std::map<std::string, double> frontNumbers(std::span<const SweepPoint> points) {
    const PlaneRun run{"", "", points};
    const FrontPlane plane = frontPlane({&run, 1}, "chrf", "distinct-2");
    std::vector<PlanePoint> all;
    double nearest = INFINITY;
    for (const PlaneCurve& curve : plane.curves)
        for (const PlanePoint& at : curve.planePoints) {
            all.push_back({at.x, at.y / 100});
            if (plane.referenceDiversity)
                nearest = std::min(nearest, std::hypot(at.x - *plane.referenceDiversity, at.y / 100 - 1));
        }
    std::map<std::string, double> numbers;
    if (!all.empty()) numbers[kFrontArea] = hypervolume(all, 0, 0);
    if (std::isfinite(nearest)) numbers[kFrontDistance] = nearest;
    return numbers;
}

std::map<std::string, double> frontNumbersOf(const std::filesystem::path& runFolder) {
    const StoredPoints stored = loadPoints(runFolder);
    return frontNumbers(stored.points);
}

}  // namespace kurve::frontier
