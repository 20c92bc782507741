#include "core/schedule/schedule_curves.h"

#include <algorithm>
#include <cmath>

namespace kurve::schedule {

namespace {

constexpr int kPoints = 600;

void sampleCurves(const NoiseSchedule& schedule, ScheduleCurves& out) {
    for (int i = 0; i <= kPoints; ++i) {
        const double s = static_cast<double>(i) / kPoints, ratio = schedule.logSnr(s);
        out.s.push_back(s);
        out.signal.push_back(schedule.alpha(s));
        out.noise.push_back(schedule.maskProbability(s).value_or(schedule.sigma(s)));
        if (!std::isfinite(ratio)) continue;
        out.snrAt.push_back(s);
        out.logSnr.push_back(ratio);
    }
}

/// w p over the finite log-SNRs, with area 1. A weight that is all at one end is drawn there.
std::vector<double> weightedDensity(const NoiseDensity& density, const ScheduleUse& use) {
    const auto& weight = lossWeight(use.weight);
    const bool own = use.weight == kOwnWeight;
    std::vector<double> out;
    double area = 0;
    for (std::size_t i = 0; i < density.logSnr.size(); ++i) {
        const double level = density.logSnr[i];
        const double w = own ? weightAt(use.weightPoints, level) : weight.at(level, use.weightLimit);
        out.push_back(w * density.density[i]);
        area += w * density.mass[i];
    }
    for (double& value : out) value /= area > 0 ? area : 1;
    return out;
}

void sampleHazard(const NoiseSchedule& schedule, ScheduleCurves& out) {
    for (int i = 1; i < kPoints; ++i) {
        // sigma = -ln alpha, so -alpha' = alpha sigma'.
        const double s = static_cast<double>(i) / kPoints;
        const double hazard =
            schedule.noiseRate(s).value_or(NAN) * schedule.alpha(s) / schedule.maskProbability(s).value_or(0);
        if (!std::isfinite(hazard)) continue;
        out.hazardAt.push_back(s);
        out.hazard.push_back(hazard);
    }
}

void addSteps(const NoiseSchedule& schedule, const ScheduleUse& use, ScheduleCurves& out) {
    const int most = schedule.discreteSteps() > 0 ? schedule.discreteSteps() : use.steps;
    out.stepAt = spacedPositions(schedule, std::clamp(use.steps, 1, most), use.spacing);
    for (const double s : out.stepAt) out.stepLogSnr.push_back(schedule.logSnr(s));
    out.gaps = gapsOf(schedule, out.stepAt);
    std::reverse(out.gaps.begin(), out.gaps.end());
    for (const double gap : out.gaps) out.largestGap = std::max(out.largestGap, gap);
    if (out.masking) out.revealed = tokensRevealed(schedule, out.stepAt, use.tokens);
}

double balanceOf(const ScheduleCurves& curves) {
    const auto noisy =
        std::find_if(curves.logSnr.begin(), curves.logSnr.end(), [](double l) { return l <= 0; });
    if (noisy == curves.logSnr.begin() || noisy == curves.logSnr.end())
        return noisy == curves.logSnr.end() ? 1 : 0;
    const auto i = static_cast<std::size_t>(noisy - curves.logSnr.begin());
    const double part = curves.logSnr[i - 1] / (curves.logSnr[i - 1] - curves.logSnr[i]);
    return curves.snrAt[i - 1] + part * (curves.snrAt[i] - curves.snrAt[i - 1]);
}

}  // namespace

ScheduleCurves curvesOf(const NoiseSchedule& schedule, const ScheduleUse& use) {
    ScheduleCurves curves;
    curves.name = schedule.name();
    curves.masking = schedule.maskProbability(0.5).has_value();
    if (const auto* kind = findScheduleKind(curves.name)) curves.title = kind->title;
    sampleCurves(schedule, curves);
    curves.density = densityOf(schedule, use.times, kPoints);
    curves.weighted = weightedDensity(curves.density, use);
    if (curves.masking) sampleHazard(schedule, curves);
    curves.balance = balanceOf(curves);
    addSteps(schedule, use, curves);
    return curves;
}

}  // namespace kurve::schedule
