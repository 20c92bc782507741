#include "core/frontier/front_numbers.h"

#include <cmath>
#include <vector>

#include "core/frontier/front.h"

namespace kurve::frontier {

namespace {

constexpr const char* kDiversity = "distinct-2";

// The shorter of the two ways to the references, where they are known.
void shorten(std::map<std::string, double>& numbers, const SweepPoint& point, const Dot& dot) {
    const auto reference = point.referenceDiversity.find(kDiversity);
    if (reference == point.referenceDiversity.end()) return;
    const double way = std::hypot(dot.x - reference->second, dot.y - 1);
    const auto [known, isNew] = numbers.try_emplace(kFrontDistance, way);
    if (!isNew && way < known->second) known->second = way;
}

}  // namespace

std::map<std::string, double> frontNumbers(std::span<const SweepPoint> points) {
    std::map<std::string, double> numbers;
    std::vector<Dot> dots;
    for (const SweepPoint& point : points) {
        const auto distinct = point.diversity.find(kDiversity);
        const auto chrf = point.quality.find("chrf");
        if (distinct == point.diversity.end() || chrf == point.quality.end()) continue;
        dots.push_back({distinct->second.value, chrf->second.value / 100});
        shorten(numbers, point, dots.back());
    }
    if (!dots.empty()) numbers[kFrontArea] = hypervolume(dots, 0, 0);
    return numbers;
}

std::map<std::string, double> frontNumbersOf(const std::filesystem::path& runFolder) {
    const StoredPoints stored = loadPoints(runFolder);
    return frontNumbers(stored.points);
}

}  // namespace kurve::frontier
