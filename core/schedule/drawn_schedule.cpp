#include "core/schedule/drawn_schedule.h"

#include <algorithm>
#include <cmath>

#include "core/schedule/detail/logistic.h"

namespace kurve::schedule {

namespace {

constexpr double kCell = 1.0 / 600;  // as the drawn density has them
constexpr double kLeastFraction = 0.01, kMostFraction = 0.98;

/// How the log-SNR of a point becomes the one that is shown, backwards.
class ShownBackwards {
public:
    ShownBackwards(const FreeCurve& curve, const FreeSettings& settings) : curve_(curve) {
        if (!curve.masking) (settings.bend ? bent_ : louder_) = 2 * std::log(settings.noiseFactor);
    }

    /// From the shown log-SNR, noise factor included.
    [[nodiscard]] double fromShown(double logSnr, std::size_t index) const {
        return unstretched(logSnr + louder_, index);
    }
    /// From an amplitude without the factor, or a probability of being unmasked.
    [[nodiscard]] double fromSignal(double signal, std::size_t index) const {
        constexpr double kLeast = 1e-7;
        const double power = std::clamp(curve_.masking ? signal : signal * signal, kLeast, 1 - kLeast);
        return unstretched(detail::logit(power), index);
    }
    [[nodiscard]] double fromNoise(double noise, double factor, std::size_t index) const {
        constexpr double kLeast = 1e-7;
        const double amplitude = std::clamp(noise / factor, 0.0, 1.0);
        const double power =
            std::clamp(curve_.masking ? amplitude : amplitude * amplitude, kLeast, 1 - kLeast);
        return unstretched(-detail::logit(power), index);
    }

private:
    /// Undoes the zero terminal rescaling, whose ends are those of the present curve.
    [[nodiscard]] double unstretched(double logSnr, std::size_t index) const {
        const auto& points = curve_.points;
        const double first = points.front().logSnr - bent_, last = points.back().logSnr - bent_;
        if (!curve_.zeroTerminal || index == 0 || index + 1 == points.size() || first <= last)
            return logSnr + bent_;
        const auto amplitude = [&](double ratio) {
            const double power = detail::sigmoid(ratio);
            return curve_.masking ? power : std::sqrt(power);
        };
        const double a0 = amplitude(first), a1 = amplitude(last);
        const double wanted = amplitude(logSnr) * (a0 - a1) / a0 + a1;
        return detail::logit(curve_.masking ? wanted : wanted * wanted) + bent_;
    }

    const FreeCurve& curve_;
    double louder_ = 0, bent_ = 0;  ///< nats that the noise factor costs, on the noise or in the curve
};

double densityAt(const NoiseSchedule& made, const TimeDensity& times, double t) {
    const double from = std::clamp(t - kCell, 0.0, 1 - 2 * kCell), to = from + 2 * kCell;
    const double high = made.logSnr(from), low = made.logSnr(std::isfinite(made.logSnr(to)) ? to : 1 - kCell);
    return (times.cumulative(to) - times.cumulative(from)) / (high - low);
}

DrawnSchedule withTimesChanged(DrawnSchedule drawn, std::size_t index, double density) {
    const auto made = makeFreeSchedule(drawn.curve, {2, drawn.settings.noiseFactor, drawn.settings.bend});
    TimeDensity free{TimeDensity::Kind::Free};
    for (const SchedulePoint& point : drawn.curve.points)
        free.points.emplace_back(point.t, std::max(kLeastFraction, drawn.times.density(point.t)));
    auto& points = free.points;
    // p(log-SNR) = p(t) per nat of fall: what p(t) has to be here, against the area of all others.
    const double perTime = densityAt(*made, {}, points[index].first);
    double others = 0, fraction = 0;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const double width = (points[i].first - points[i - 1].first) / 2;
        for (const std::size_t end : {i - 1, i})
            end == index ? fraction += width : others += width * points[end].second;
    }
    const double wanted = std::clamp(density / perTime, kLeastFraction, kMostFraction / fraction);
    points[index].second = wanted * others / (1 - wanted * fraction);
    drawn.times = std::move(free);
    return drawn;
}

DrawnSchedule withTimesHeld(DrawnSchedule drawn, std::size_t index, double density) {
    const FreeSettings few{2, drawn.settings.noiseFactor, drawn.settings.bend};
    FreeCurve tried = drawn.curve;
    double low = 1e-3, high = 1e3;
    for (int i = 0; i < 40; ++i) {
        const double factor = std::sqrt(low * high);
        tried.points = withDensityScaled(drawn.curve.points, index, factor);
        const double there = densityAt(*makeFreeSchedule(tried, few), drawn.times, tried.points[index].t);
        (there < density ? low : high) = factor;
    }
    drawn.curve = tried;
    return drawn;
}

}  // namespace

std::vector<ShownPoint> shownPoints(const DrawnSchedule& drawn) {
    const auto made = makeFreeSchedule(drawn.curve, {2, drawn.settings.noiseFactor, drawn.settings.bend});
    std::vector<ShownPoint> shown;
    for (const SchedulePoint& point : drawn.curve.points) {
        const double t = std::clamp(point.t, 0.0, 1.0);
        shown.push_back({t, made->alpha(t), made->maskProbability(t).value_or(made->sigma(t)),
                         made->logSnr(t), densityAt(*made, drawn.times, t)});
    }
    return shown;
}

DrawnSchedule withPointMovedTo(const DrawnSchedule& start, std::size_t index, Pane pane, Hold hold,
                               std::pair<double, double> target) {
    const auto [x, y] = target;
    const SchedulePoint now = start.curve.points[index];
    const bool noSignal = start.curve.zeroTerminal && index + 1 == start.curve.points.size();
    if (pane == Pane::Density) {
        const double density = std::max(y, 1e-6);
        return hold == Hold::Times ? withTimesHeld(start, index, density)
                                   : withTimesChanged(start, index, density);
    }
    const ShownBackwards backwards(start.curve, start.settings);
    const double factor = start.curve.masking || start.settings.bend ? 1 : start.settings.noiseFactor;
    SchedulePoint to{x, now.logSnr};
    if (pane == Pane::Signal && !noSignal) to.logSnr = backwards.fromSignal(y, index);
    if (pane == Pane::Noise && !noSignal) to.logSnr = backwards.fromNoise(y, factor, index);
    if (pane == Pane::LogSnr) to.logSnr = backwards.fromShown(y, index);
    if (pane == Pane::Loss) to = {now.t, backwards.fromShown(x, index)};
    DrawnSchedule out = start;
    out.curve.points = withPointMoved(start.curve.points, index, to);
    if (out.curve.clamp) {
        double& ratio = out.curve.points[index].logSnr;
        const auto [low, high] = *out.curve.clamp;
        const bool was = now.logSnr >= low && now.logSnr <= high;
        if (was) ratio = std::clamp(ratio, low, high);
    }
    return out;
}

}  // namespace kurve::schedule
