#include "core/schedule/free_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/base/counted.h"

namespace kurve::schedule {
namespace {

constexpr double kSafeGap = 1.1 * kMinGap;  // that no rounding brings below kMinGap

std::string nameOf(const std::vector<SchedulePoint>& points, std::size_t i) {
    return fmt::format("point {} (t = {}, log-SNR = {})", i + 1, points[i].t, points[i].logSnr);
}

Error pointError(const std::string& message, const std::string& remedy) {
    return requestError("schedule.points", message).at("points").fix(remedy);
}

Status checkAlone(const FreeCurve& curve, std::size_t i) {
    const auto [t, ratio] = curve.points[i];
    const std::string name = nameOf(curve.points, i);
    if (!std::isfinite(t) || !std::isfinite(ratio))
        return pointError(name + " is not a finite number", "write numbers");
    if (std::abs(ratio) > kMaxLogSnr)
        return pointError(name + fmt::format(" is beyond ±{} nats", kMaxLogSnr),
                          "for no signal at t = 1 write zero_terminal = true");
    if (curve.clamp && (ratio < curve.clamp->first || ratio > curve.clamp->second))
        return pointError(
            name + fmt::format(" is outside of the clamp {} to {}", curve.clamp->first, curve.clamp->second),
            "move the point or widen the clamp");
    return {};
}

Status checkOrder(const std::vector<SchedulePoint>& points, std::size_t i) {
    const SchedulePoint before = points[i - 1], here = points[i];
    if (here.t - before.t < kMinGap)
        return pointError(fmt::format("{} is not after t = {}", nameOf(points, i), before.t),
                          "write the points in the order of their times");
    if (before.logSnr - here.logSnr < kMinGap)
        return pointError(fmt::format("{}: the log-SNR must decrease, and the previous point has {}",
                                      nameOf(points, i), before.logSnr),
                          fmt::format("lower it below {}", before.logSnr));
    return {};
}

}  // namespace

bool operator==(const FreeCurve& a, const FreeCurve& b) {
    return a.masking == b.masking && a.zeroTerminal == b.zeroTerminal && a.clamp == b.clamp &&
           a.points == b.points && a.note == b.note;
}

MonotoneCubic FreeCurve::interpolated() const {
    std::vector<double> times, ratios;
    for (const auto& point : points) {
        times.push_back(point.t);
        ratios.push_back(point.logSnr);
    }
    return {std::move(times), std::move(ratios)};
}

Status check(const FreeCurve& curve) {
    const auto& points = curve.points;
    if (points.size() < 2 || points.size() > kMaxPoints)
        return pointError(counted(points.size(), "point"),
                          fmt::format("give 2 to {}: [time, log-SNR] from t = 0 to t = 1", kMaxPoints));
    if (curve.clamp && !(curve.clamp->first < curve.clamp->second))
        return requestError("schedule.points", "the clamp's first number is not the lower one")
            .at("clamp")
            .fix("write clamp = [lowest, highest]");
    for (std::size_t i = 0; i < points.size(); ++i) {
        KURVE_CHECKED(checkAlone(curve, i));
        if (i > 0) KURVE_CHECKED(checkOrder(points, i));
    }
    for (const auto& [i, end] : {std::pair{std::size_t{0}, 0.0}, std::pair{points.size() - 1, 1.0}})
        if (points[i].t != end)
            return pointError(fmt::format("{} must be at t = {}", nameOf(points, i), end),
                              "the first point is the data, t = 0, the last the noise, t = 1");
    return {};
}

std::vector<SchedulePoint> withPointMoved(std::vector<SchedulePoint> points, std::size_t index,
                                          SchedulePoint to) {
    KURVE_CHECK(index < points.size(), "point {} of {}", index, points.size());
    // `visible` is a gap that can be seen and clicked; neighbours that are nearer leave less.
    const auto between = [](double low, double high, double visible, double wanted, double now) {
        if (high - low < 2.5 * kMinGap) return now;
        const double gap = std::max(kSafeGap, std::min(visible, (high - low) / 4));
        return std::clamp(wanted, low + gap, high - gap);
    };
    SchedulePoint& point = points[index];
    const bool first = index == 0, last = index + 1 == points.size();
    if (!first && !last) point.t = between(points[index - 1].t, points[index + 1].t, 1e-3, to.t, point.t);
    point.logSnr = between(last ? -kMaxLogSnr : points[index + 1].logSnr,
                           first ? kMaxLogSnr : points[index - 1].logSnr, 1e-2, to.logSnr, point.logSnr);
    return points;
}

std::vector<SchedulePoint> withPointAt(const FreeCurve& curve, double t) {
    std::vector<SchedulePoint> points = curve.points;
    const auto after = std::find_if(points.begin(), points.end(), [&](const auto& p) { return p.t > t; });
    if (after == points.begin() || after == points.end() || points.size() >= kMaxPoints) return points;
    const SchedulePoint added{t, curve.interpolated().value(t)}, before = *(after - 1);
    const bool fits = after->t - t > 1e-3 && t - before.t > 1e-3 && before.logSnr - added.logSnr > kSafeGap &&
                      added.logSnr - after->logSnr > kSafeGap;
    if (fits) points.insert(after, added);
    return points;
}

std::vector<SchedulePoint> withoutPoint(std::vector<SchedulePoint> points, std::size_t index) {
    if (index > 0 && index + 1 < points.size())
        points.erase(points.begin() + static_cast<std::ptrdiff_t>(index));
    return points;
}

std::vector<SchedulePoint> withDensityScaled(std::vector<SchedulePoint> points, std::size_t index,
                                             double factor) {
    KURVE_CHECK(index < points.size() && points.size() >= 2 && factor > 0, "point {} of {}, factor {}", index,
                points.size(), factor);
    std::vector<double> intervals;
    double total = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const bool touches = i == index || i == index + 1;
        intervals.push_back((points[i].t - points[i - 1].t) * (touches ? factor : 1));
        total += intervals.back();
    }
    const double least = 2 * kSafeGap * total;
    for (double& interval : intervals) {
        const double lack = std::max(0.0, least - interval);
        interval += lack;
        total += lack;
    }
    double t = points.front().t = 0;
    for (std::size_t i = 1; i < points.size(); ++i) points[i].t = t += intervals[i - 1] / total;
    points.back().t = 1;
    return points;
}

}  // namespace kurve::schedule
