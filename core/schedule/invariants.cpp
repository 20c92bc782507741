#include "core/schedule/invariants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/schedule/detail/isotonic.h"
#include "core/schedule/noise_density.h"

namespace kurve::schedule {
namespace {

std::pair<double, double> limitsOf(const FreeCurve& curve) {
    return curve.clamp.value_or(std::pair{-kMaxLogSnr, kMaxLogSnr});
}

Finding decreasing(const FreeCurve& curve, const FreeSettings& settings) {
    Finding finding{Invariant::Decreasing, true, INFINITY, "strictly decreasing", {}};
    std::size_t worst = 1;
    for (std::size_t i = 1; i < curve.points.size(); ++i) {
        const double fall = curve.points[i - 1].logSnr - curve.points[i].logSnr;
        if (fall < finding.measured) worst = i;
        finding.measured = std::min(finding.measured, fall);
    }
    finding.holds = finding.measured >= kMinGap;
    if (finding.holds) return finding;
    finding.text = fmt::format("not decreasing at point {} (t = {:.3g})", worst + 1, curve.points[worst].t);
    finding.repair = Repair{withDecreasingPoints(curve), settings};
    return finding;
}

Finding ends(const FreeCurve& curve, const FreeSettings& settings) {
    Finding finding{Invariant::Ends, true, 0, "from t = 0 to 1", {}};
    const double first = curve.points.front().t, last = curve.points.back().t;
    finding.measured = (first == 0 ? 0 : 1) + (last == 1 ? 0 : 1);
    finding.holds = finding.measured == 0;
    if (finding.holds) return finding;
    finding.text = fmt::format("from t = {:.3g} to {:.3g}", first, last);
    finding.repair = Repair{withEnds(curve), settings};
    return finding;
}

Finding limits(const FreeCurve& curve, const FreeSettings& settings) {
    const auto [low, high] = limitsOf(curve);
    Finding finding{Invariant::Limits, true, 0, fmt::format("within {:.4g} … {:.4g}", low, high), {}};
    for (const auto& point : curve.points)
        finding.measured = std::max({finding.measured, point.logSnr - high, low - point.logSnr});
    finding.holds = finding.measured <= 0;
    if (finding.holds) return finding;
    finding.text = fmt::format("{:.3g} nats beyond {:.4g} … {:.4g}", finding.measured, low, high);
    finding.repair = Repair{withDecreasingPoints(curve), settings};
    return finding;
}

Finding variance(const NoiseSchedule& schedule) {
    Finding finding{Invariant::Variance, true, 0, "α² + σ² = 1", {}};
    for (int i = 0; i <= 200; ++i) {
        const double a = schedule.alpha(i / 200.0), s = schedule.sigma(i / 200.0);
        finding.measured = std::max(finding.measured, std::abs(a * a + s * s - 1));
    }
    finding.holds = finding.measured < 1e-9;
    if (!finding.holds) finding.text = fmt::format("α² + σ² is up to {:.4g} off 1", finding.measured);
    return finding;
}

Finding terminal(const NoiseSchedule& schedule) {
    Finding finding{Invariant::Terminal, true, schedule.alpha(1), "no signal at t = 1", {}};
    finding.holds = finding.measured == 0 || schedule.logSnr(1) <= kTerminalLogSnr;
    if (finding.measured > 0) finding.text = fmt::format("α = {:.2g} at t = 1", finding.measured);
    return finding;
}

Finding area(const NoiseDensity& density) {
    Finding finding{Invariant::Area, true, density.area, fmt::format("∫p = {:.3f}", density.area), {}};
    finding.holds = std::abs(density.area - 1) < 1e-6;
    return finding;
}

}  // namespace

FreeCurve withDecreasingPoints(FreeCurve curve, double gap) {
    auto& points = curve.points;
    const auto [low, high] = limitsOf(curve);
    const double gaps = static_cast<double>(points.size() - 1);
    gap = std::min(gap, (high - low) / (2 * gaps));
    // y_i = x_i + i gap may be constant where x must decrease by the gap, so isotonic regression of y,
    // clipped, is the nearest x.
    std::vector<double> lifted;
    for (std::size_t i = 0; i < points.size(); ++i)
        lifted.push_back(points[i].logSnr + static_cast<double>(i) * gap);
    const auto nearest = detail::nearestNonIncreasing(lifted, std::vector<double>(lifted.size(), 1.0));
    for (std::size_t i = 0; i < points.size(); ++i)
        points[i].logSnr = std::clamp(nearest[i], low + gaps * gap, high) - static_cast<double>(i) * gap;
    return curve;
}

FreeCurve withEnds(FreeCurve curve) {
    const double from = curve.points.front().t, width = curve.points.back().t - from;
    for (SchedulePoint& point : curve.points) point.t = (point.t - from) / width;
    curve.points.front().t = 0;
    curve.points.back().t = 1;
    return curve;
}

Repair withUnitVariance(FreeCurve curve, FreeSettings settings) {
    for (SchedulePoint& point : curve.points) point.logSnr -= 2 * std::log(settings.noiseFactor);
    settings.noiseFactor = 1;
    return {std::move(curve), settings};
}

std::vector<Finding> examine(const FreeCurve& curve, const FreeSettings& settings) {
    KURVE_CHECK(curve.points.size() >= 2, "{} points", curve.points.size());
    std::vector<Finding> findings{decreasing(curve, settings), ends(curve, settings),
                                  limits(curve, settings)};
    const auto schedule = makeFreeSchedule(curve, settings);
    if (!curve.masking) {
        findings.push_back(variance(*schedule));
        if (!findings.back().holds) findings.back().repair = withUnitVariance(curve, settings);
    }
    findings.push_back(terminal(*schedule));
    if (!findings.back().holds) {
        findings.back().repair = Repair{curve, settings};
        findings.back().repair->curve.zeroTerminal = true;
    }
    findings.push_back(area(densityOf(*schedule)));
    if (!findings.back().holds)
        findings.back().repair = Repair{withDecreasingPoints(withEnds(curve)), settings};
    return findings;
}

std::vector<Finding> examine(const NoiseSchedule& schedule) {
    Finding monotone{Invariant::Decreasing, true, INFINITY, "strictly decreasing", {}};
    constexpr int kParts = 1000;
    for (int i = 1; i <= kParts; ++i) {
        const double fall = schedule.logSnr((i - 1.0) / kParts) - schedule.logSnr(i * 1.0 / kParts);
        if (fall > 0) continue;
        monotone.holds = false;
        monotone.text = fmt::format("not decreasing at t = {:.3g}", i * 1.0 / kParts);
        monotone.measured = std::min(monotone.measured, fall);
    }
    std::vector<Finding> findings{monotone};
    if (!schedule.maskProbability(0.5)) findings.push_back(variance(schedule));
    findings.push_back(terminal(schedule));
    findings.push_back(area(densityOf(schedule)));
    return findings;
}

}  // namespace kurve::schedule
