#include "core/schedule/weight_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/schedule/free_curve.h"

namespace kurve::schedule {
namespace {

Error weightError(std::string message) {
    return requestError("schedule.weight", std::move(message))
        .at("weight")
        .fix("write log-SNR=weight, rising: -5=0.2,0=1,5=3");
}

}  // namespace

double weightAt(const WeightPoints& points, double logSnr) {
    if (points.empty()) return 1;
    const auto right = std::lower_bound(points.begin(), points.end(), logSnr,
                                        [](const auto& point, double at) { return point.first < at; });
    if (right == points.begin()) return right->second;
    if (right == points.end()) return points.back().second;
    const auto left = right - 1;
    const double part = (logSnr - left->first) / (right->first - left->first);
    return std::exp(std::log(left->second) + part * (std::log(right->second) - std::log(left->second)));
}

Result<WeightPoints> parseWeightPoints(const std::string& text) {
    const auto read = parsePoints(text);
    if (!read) return weightError(read.error().message);
    WeightPoints points;
    for (const SchedulePoint& point : *read) {
        const double level = point.t, weight = point.logSnr;  // the same form, another meaning
        if (!(weight > 0)) return weightError(fmt::format("the weight at {} is not above 0", level));
        if (!points.empty() && !(level > points.back().first))
            return weightError(fmt::format("{} is not above {}", level, points.back().first));
        points.emplace_back(level, weight);
    }
    return points;
}

std::string weightPointsText(const WeightPoints& points) {
    std::vector<SchedulePoint> same;
    for (const auto& [level, weight] : points) same.push_back({level, weight});
    return pointsText(same);
}

}  // namespace kurve::schedule
