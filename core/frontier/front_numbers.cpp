#include "core/frontier/front_numbers.h"

#include <cmath>
#include <vector>

#include "core/frontier/front.h"

namespace kurve::frontier {

namespace {

constexpr const char* kDiversity = "distinct-2";

// The least distance to the references so far, where they are known.
void shorten(std::map<std::string, double>& numbers, const SweepPoint& point, const PlanePoint& at) {
    const auto reference = point.referenceDiversity.find(kDiversity);
    if (reference == point.referenceDiversity.end()) return;
    const double distance = std::hypot(at.x - reference->second, at.y - 1);
    const auto [known, isNew] = numbers.try_emplace(kFrontDistance, distance);
    if (!isNew && distance < known->second) known->second = distance;
}

}  // namespace

std::map<std::string, double> frontNumbers(std::span<const SweepPoint> points) {
    std::map<std::string, double> numbers;
    std::vector<PlanePoint> planePoints;
    for (const SweepPoint& point : points) {
        const auto distinct = point.diversity.find(kDiversity);
        const auto chrf = point.quality.find("chrf");
        if (distinct == point.diversity.end() || chrf == point.quality.end()) continue;
        planePoints.push_back({distinct->second.value, chrf->second.value / 100});
        shorten(numbers, point, planePoints.back());
    }
    if (!planePoints.empty()) numbers[kFrontArea] = hypervolume(planePoints, 0, 0);
    return numbers;
}

std::map<std::string, double> frontNumbersOf(const std::filesystem::path& runFolder) {
    const StoredPoints stored = loadPoints(runFolder);
    return frontNumbers(stored.points);
}

}  // namespace kurve::frontier
