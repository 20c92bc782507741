#include "core/frontier/plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace kurve::frontier {
namespace {

constexpr const char* kBetweenDraws = kOneMinusSelfBleu;

using Estimates = std::map<std::string, Estimate>;

std::vector<std::string> idsOf(std::span<const PlaneRun> runs, Estimates SweepPoint::*side) {
    std::map<std::string, int> counts;
    for (const auto& run : runs)
        for (const auto& point : run.points)
            for (const auto& [id, estimate] : point.*side) ++counts[id];
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [id, count] : counts) order.emplace_back(-count, id);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        // Perplexity rewards repetition: never the default.
        const bool aLast = a.second == metrics::kGenPerplexity, bLast = b.second == metrics::kGenPerplexity;
        if (aLast != bLast) return bLast;
        const bool first = a.second == kBetweenDraws, second = b.second == kBetweenDraws;
        return a.first != b.first ? a.first < b.first : first && !second;
    });
    std::vector<std::string> ids;
    for (const auto& [count, id] : order) ids.push_back(id);
    return ids;
}

/// What must be equal for two points to be compared.
std::string settingsKey(const SweepPoint& point, const std::string& quality) {
    return fmt::format("{}/{}/{}/{}", point.reference, point.sentences, point.seeds.size(),
                       isScorerQuality(quality) ? point.scorer : "");
}

void add(PlaneCurve& curve, const SweepPoint& point, const std::string& quality,
         const std::string& diversity) {
    const auto& x = point.diversity.at(diversity);
    const auto& y = point.quality.at(quality);
    curve.points.push_back(&point);
    curve.planePoints.push_back(planePoint(x, y, direction(quality)));
    curve.ellipses.push_back(seedEllipse(x.bySeed, y.bySeed));
}

/// The points with both metrics, and of these the largest group with equal evaluation settings.
std::set<const SweepPoint*> comparable(std::span<const PlaneRun> runs, const std::string& quality,
                                       const std::string& diversity, int& leftOut) {
    std::map<std::string, std::set<const SweepPoint*>> groups;
    for (const auto& run : runs)
        for (const auto& point : run.points)
            if (point.quality.contains(quality) && point.diversity.contains(diversity))
                groups[settingsKey(point, quality)].insert(&point);
    std::set<const SweepPoint*> largest;
    leftOut = 0;
    const auto size = [](const auto& group) {
        return std::pair(group.size(), group.empty() ? 0 : (*group.begin())->sentences);
    };
    for (const auto& [key, group] : groups) {
        leftOut += static_cast<int>(group.size());
        if (size(group) > size(largest)) largest = group;
    }
    leftOut -= static_cast<int>(largest.size());
    return largest;
}

/// One curve per checkpoint, oldest first.
std::vector<PlaneCurve> curvesOf(const PlaneRun& run, const std::set<const SweepPoint*>& shown,
                                 const std::string& quality, const std::string& diversity) {
    std::map<std::pair<std::int64_t, std::string>, PlaneCurve> byCheckpoint;
    for (const auto& point : run.points)
        if (shown.contains(&point))
            add(byCheckpoint[{point.step, point.checkpointSha256}], point, quality, diversity);
    std::vector<PlaneCurve> curves;
    for (auto& [key, curve] : byCheckpoint) {
        curve.step = key.first;
        curve.alone = byCheckpoint.size() == 1;
        curve.front = paretoFront(curve.planePoints);
        curves.push_back(std::move(curve));
    }
    return curves;
}

}  // namespace

std::vector<std::string> qualitiesOf(std::span<const PlaneRun> runs) {
    return idsOf(runs, &SweepPoint::quality);
}
std::vector<std::string> diversitiesOf(std::span<const PlaneRun> runs) {
    return idsOf(runs, &SweepPoint::diversity);
}

FrontPlane frontPlane(std::span<const PlaneRun> runs, const std::string& quality,
                      const std::string& diversity) {
    FrontPlane plane;
    const auto shown = comparable(runs, quality, diversity, plane.leftOut);
    std::set<double> references, ideals;
    plane.direction = direction(quality);
    plane.cornerX = INFINITY;
    double worst = INFINITY;
    for (const auto* point : shown) {
        const auto found = point->referenceDiversity.find(diversity);
        if (found != point->referenceDiversity.end()) references.insert(found->second);
        const auto ideal = point->referenceQuality.find(quality);
        if (ideal != point->referenceQuality.end()) ideals.insert(ideal->second);
        plane.cornerX = std::min(plane.cornerX, point->diversity.at(diversity).value);
        worst = std::min(worst, plane.direction * point->quality.at(quality).value);
    }
    if (references.size() == 1) plane.referenceDiversity = *references.begin();
    if (ideals.size() == 1) plane.referenceQuality = *ideals.begin();
    plane.cornerY = plane.direction * worst;
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (auto& curve : curvesOf(runs[i], shown, quality, diversity)) {
            curve.run = i;
            curve.hypervolume = hypervolume(curve.planePoints, plane.cornerX, worst);
            if (plane.referenceDiversity &&
                !curve.front.empty())  // the front falls: its first point is the best
                curve.fromReference = curve.planePoints[curve.front.front()].x - *plane.referenceDiversity;
            plane.curves.push_back(std::move(curve));
        }
    return plane;
}

}  // namespace kurve::frontier
