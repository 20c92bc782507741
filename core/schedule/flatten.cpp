#include "core/schedule/flatten.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/schedule/detail/isotonic.h"
#include "core/schedule/noise_density.h"

namespace kurve::schedule {
namespace {

Error flattenError(const std::string& message) {
    return requestError("schedule.flatten", message)
        .fix("train the run longer, or choose a run with more noise levels");
}

/// Integral of the slope from below up to a log-SNR: the decrease of the fitted loss, exact at the bins'
/// middles.
double fallUpTo(const LossSlope& loss, double logSnr) {
    const auto after = std::upper_bound(loss.at.begin(), loss.at.end(), logSnr);
    if (after == loss.at.begin()) return 0;
    if (after == loss.at.end()) return loss.fitted.front() - loss.fitted.back();
    const auto i = static_cast<std::size_t>(after - loss.at.begin());
    const double part = (logSnr - loss.at[i - 1]) / (loss.at[i] - loss.at[i - 1]);
    return loss.fitted.front() - (loss.fitted[i - 1] + part * (loss.fitted[i] - loss.fitted[i - 1]));
}

/// Fraction of the present draws below a log-SNR.
double fractionBelow(const NoiseDensity& density, double logSnr) {
    double mass = 0;
    for (std::size_t i = 0; i < density.mass.size(); ++i) {
        const double half = density.mass[i] / density.density[i] / 2, low = density.logSnr[i] - half;
        mass += density.mass[i] * std::clamp((logSnr - low) / (2 * half), 0.0, 1.0);
    }
    return mass / density.area;
}

/// Levels at which the new curve gets a point: the bins' middles and the two ends.
std::vector<double> knotsBetween(const LossSlope& loss, double low, double high) {
    std::vector<double> knots{high};
    for (auto at = loss.at.rbegin(); at != loss.at.rend(); ++at)
        if (*at < high - 0.05 && *at > low + 0.05) knots.push_back(*at);
    knots.push_back(low);
    return knots;
}

}  // namespace

Result<LossSlope> lossSlope(std::span<const LossLevel> levels) {
    std::vector<LossLevel> filled;
    for (const LossLevel& level : levels)
        if (level.rows > 0 && std::isfinite(level.loss)) filled.push_back(level);
    if (filled.size() < 3) return flattenError("the run has losses at too few noise levels");
    std::sort(filled.begin(), filled.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
    LossSlope out;
    std::vector<double> losses, rows;
    for (const LossLevel& level : filled) {
        out.at.push_back((level.from + level.to) / 2);
        losses.push_back(level.loss);
        rows.push_back(level.rows);
    }
    out.fitted = detail::nearestNonIncreasing(losses, rows);
    for (std::size_t i = 1; i < out.at.size(); ++i) {
        out.logSnr.push_back((out.at[i - 1] + out.at[i]) / 2);
        out.slope.push_back((out.fitted[i - 1] - out.fitted[i]) / (out.at[i] - out.at[i - 1]));
    }
    return out;
}

Result<FreeCurve> flattened(const NoiseSchedule& schedule, std::span<const LossLevel> levels,
                            const FlattenSettings& settings) {
    KURVE_CHECK(settings.presentFraction > 0 && settings.presentFraction <= 1, "presentFraction = {}",
                settings.presentFraction);
    KURVE_TRY(const LossSlope loss, lossSlope(levels));
    const FreeCurve present = freeCurveOf(schedule);
    const double high = present.points.front().logSnr, low = present.points.back().logSnr;
    const double fallLow = fallUpTo(loss, low), total = fallUpTo(loss, high) - fallLow;
    if (!(total > 1e-6 * std::abs(loss.fitted.front())))
        return flattenError("the run's loss is the same at every noise level of the schedule");
    const NoiseDensity density = densityOf(*makeFreeSchedule(present));
    FreeCurve out = present;
    out.points.clear();
    for (const double knot : knotsBetween(loss, low, high)) {
        const double below = (1 - settings.presentFraction) * (fallUpTo(loss, knot) - fallLow) / total +
                             settings.presentFraction * fractionBelow(density, knot);
        const double t = std::clamp(1 - below, 0.0, 1.0);
        if (out.points.empty() || knot == low || (t - out.points.back().t > 1e-4 && 1 - t > 1e-4))
            out.points.push_back({t, knot});
    }
    out.points.front().t = 0;
    out.points.back().t = 1;
    return out;
}

}  // namespace kurve::schedule
