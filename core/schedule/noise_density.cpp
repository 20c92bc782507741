#include "core/schedule/noise_density.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/check.h"
#include "core/schedule/detail/logistic.h"

namespace kurve::schedule {
namespace {

/// Integral of the lines through (t, q) up to t.
double linesUpTo(const std::vector<std::pair<double, double>>& points, double t) {
    double area = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const auto [t0, q0] = points[i - 1];
        const auto [t1, q1] = points[i];
        const double part = std::clamp((t - t0) / (t1 - t0), 0.0, 1.0);
        area += (t1 - t0) * part * (q0 + (q1 - q0) * part / 2);
    }
    return area;
}

double linesAt(const std::vector<std::pair<double, double>>& points, double t) {
    std::size_t i = 1;
    while (i + 1 < points.size() && points[i].first < t) ++i;
    const auto [t0, q0] = points[i - 1];
    const auto [t1, q1] = points[i];
    return q0 + (q1 - q0) * std::clamp((t - t0) / (t1 - t0), 0.0, 1.0);
}

/// Where the log-SNR is finite; discrete schedules begin with their first step.
std::pair<double, double> finiteTimes(const NoiseSchedule& schedule) {
    const double part = schedule.discreteSteps() > 0 ? 1.0 / schedule.discreteSteps() : 1e-5;
    return {std::isfinite(schedule.logSnr(0)) ? 0 : part, std::isfinite(schedule.logSnr(1)) ? 1 : 1 - part};
}

}  // namespace

bool operator==(const TimeDensity& a, const TimeDensity& b) {
    return a.kind == b.kind && a.mean == b.mean && a.standardDeviation == b.standardDeviation &&
           a.points == b.points;
}

double TimeDensity::density(double t) const {
    if (kind == Kind::Uniform) return 1;
    if (kind == Kind::Free) return linesAt(points, t) / linesUpTo(points, 1);
    if (t <= 0 || t >= 1) return 0;
    const double z = (detail::logit(t) - mean) / standardDeviation;
    return std::exp(-z * z / 2) / (standardDeviation * std::sqrt(2 * std::numbers::pi) * t * (1 - t));
}

double TimeDensity::cumulative(double t) const {
    if (t <= 0 || t >= 1) return t <= 0 ? 0 : 1;
    if (kind == Kind::Uniform) return t;
    if (kind == Kind::Free) return linesUpTo(points, t) / linesUpTo(points, 1);
    return std::erfc(-(detail::logit(t) - mean) / (standardDeviation * std::numbers::sqrt2)) / 2;
}

NoiseDensity densityOf(const NoiseSchedule& schedule, const TimeDensity& times, int cells) {
    const auto [from, to] = finiteTimes(schedule);
    NoiseDensity out;
    double before = schedule.logSnr(from), mass = 0;
    double passed = 0;  // the fraction of the times in the cells so far
    for (int i = 1; i <= cells; ++i) {
        const double t = from + (to - from) * i / cells, now = schedule.logSnr(t);
        const double until = i == cells ? 1 : times.cumulative(t);
        mass = until - passed;
        passed = until;
        if (before > now) {
            out.logSnr.push_back((before + now) / 2);
            out.density.push_back(mass / (before - now));
            out.mass.push_back(mass);
            out.area += mass;
        }
        before = now;
    }
    for (auto* values : {&out.logSnr, &out.density, &out.mass}) std::reverse(values->begin(), values->end());
    return out;
}

FreeCurve withUniformTime(const FreeCurve& curve, const TimeDensity& times) {
    if (times.kind == TimeDensity::Kind::Uniform) return curve;
    constexpr std::size_t kEnough = 33;
    FreeCurve fine = curve;
    const MonotoneCubic logSnr = curve.interpolated();
    while (fine.points.size() < kEnough) {
        const std::vector<SchedulePoint> coarse = fine.points;
        fine.points.clear();
        for (std::size_t i = 0; i < coarse.size(); ++i) {
            if (i > 0) {
                const double middle = (coarse[i - 1].t + coarse[i].t) / 2;
                fine.points.push_back({middle, logSnr.value(middle)});
            }
            fine.points.push_back(coarse[i]);
        }
    }
    // Where the density is nearly zero a point would coincide with its neighbour: the ends of a logit-normal.
    FreeCurve out = curve;
    out.points.clear();
    const std::size_t last = fine.points.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
        const double u = times.cumulative(fine.points[i].t);
        const bool inner = i > 0 && i < last;
        if (inner && (u - out.points.back().t < 1e-4 || 1 - u < 1e-4)) continue;
        out.points.push_back({u, fine.points[i].logSnr});
    }
    return out;
}

std::span<const LossWeight> lossWeights() {
    static const std::vector<LossWeight> weights{
        {"x0", "x0", "1", "Li et al. 2022 and Gao et al. 2022: z0 is predicted, every level counts alike",
         [](double, double) { return 1.0; }},
        {"eps", "ε", "SNR", "Ho et al. 2020: the noise is predicted; |ε − ε̂|² = SNR |z0 − ẑ0|²",
         [](double logSnr, double) { return std::exp(logSnr); }},
        {"v", "v", "SNR + 1", "Salimans & Ho 2022: v = α ε − σ z0; |v − v̂|² = (SNR + 1) |z0 − ẑ0|²",
         [](double logSnr, double) { return std::exp(logSnr) + 1; }},
        {"min-snr", "min-SNR", "min(SNR, γ)", "Hang et al. 2023, efficient diffusion training via min-SNR",
         [](double logSnr, double limit) { return std::min(std::exp(logSnr), limit); }, true},
        {"truncated", "truncated SNR", "max(SNR, 1)", "Salimans & Ho 2022",
         [](double logSnr, double) { return std::max(std::exp(logSnr), 1.0); }},
    };
    return weights;
}

const LossWeight& lossWeight(const std::string& id) {
    const auto weights = lossWeights();
    const auto at = std::find_if(weights.begin(), weights.end(), [&](const auto& w) { return w.id == id; });
    return at == weights.end() ? weights.front() : *at;
}

double clampedSnr(double logSnr, double low, double high) {
    return std::clamp(std::exp(logSnr), low, high);
}

FreeCurve freeCurveOf(const NoiseSchedule& schedule, double tolerance, std::size_t most) {
    constexpr int kSamples = 512;
    const double limit = kMaxLogSnr / 2;
    const double first = schedule.discreteSteps() > 0 ? 1.0 / schedule.discreteSteps() : 1e-5;
    std::vector<SchedulePoint> candidates;  // with decreasing log-SNR
    for (int i = 0; i <= kSamples; ++i) {
        const double t = static_cast<double>(i) / kSamples;
        double ratio = schedule.logSnr(t);
        if (i == 0 && !std::isfinite(ratio))  // the curve up to its first step goes on as it came
            ratio = 2 * schedule.logSnr(first) - schedule.logSnr(2 * first);
        ratio = std::clamp(ratio, -limit, limit);
        if (candidates.empty() || ratio < candidates.back().logSnr - 10 * kMinGap)
            candidates.push_back({t, ratio});
    }
    candidates.back().t = 1;  // also of a curve that is constant at the end
    FreeCurve curve;
    curve.masking = schedule.maskProbability(0.5).has_value();
    curve.points = {candidates.front(), candidates.back()};
    while (curve.points.size() < most) {
        const MonotoneCubic cubic = curve.interpolated();
        const auto error = [&](const SchedulePoint& p) { return std::abs(cubic.value(p.t) - p.logSnr); };
        const auto worst =
            std::max_element(candidates.begin(), candidates.end(),
                             [&](const auto& a, const auto& b) { return error(a) < error(b); });
        if (error(*worst) < tolerance) break;
        curve.points.insert(std::find_if(curve.points.begin(), curve.points.end(),
                                         [&](const auto& p) { return p.t > worst->t; }),
                            *worst);
    }
    return curve;
}

}  // namespace kurve::schedule
