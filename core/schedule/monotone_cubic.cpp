#include "core/schedule/monotone_cubic.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace kurve::schedule {
namespace {

double signOf(double value) {
    return value > 0 ? 1 : value < 0 ? -1 : 0;
}

/// Weighted harmonic mean of the secants on both sides, 0 at an extremum.
double innerSlope(double before, double after, double secantBefore, double secantAfter) {
    if (signOf(secantBefore) * signOf(secantAfter) <= 0) return 0;
    const double w1 = 2 * after + before, w2 = after + 2 * before;
    return (w1 + w2) / (w1 / secantBefore + w2 / secantAfter);
}

/// Three-point slope at an end; `near` and `far` are the widths of the first two intervals from there.
double endSlope(double near, double far, double secantNear, double secantFar) {
    const double slope = ((2 * near + far) * secantNear - near * secantFar) / (near + far);
    if (signOf(slope) != signOf(secantNear)) return 0;
    if (signOf(secantNear) != signOf(secantFar) && std::abs(slope) > 3 * std::abs(secantNear))
        return 3 * secantNear;
    return slope;
}

}  // namespace

MonotoneCubic::MonotoneCubic(std::vector<double> x, std::vector<double> y)
    : x_(std::move(x)), y_(std::move(y)) {
    KURVE_CHECK(x_.size() >= 2 && x_.size() == y_.size(), "{} x for {} values", x_.size(), y_.size());
    const std::size_t last = x_.size() - 1;
    std::vector<double> widths, secants;
    for (std::size_t i = 0; i < last; ++i) {
        widths.push_back(x_[i + 1] - x_[i]);
        KURVE_CHECK(widths[i] > 0, "x[{}] = {} does not lie after {}", i + 1, x_[i + 1], x_[i]);
        secants.push_back((y_[i + 1] - y_[i]) / widths[i]);
    }
    slopes_.assign(x_.size(), secants.front());
    if (last == 1) return;
    for (std::size_t i = 1; i < last; ++i)
        slopes_[i] = innerSlope(widths[i - 1], widths[i], secants[i - 1], secants[i]);
    slopes_.front() = endSlope(widths[0], widths[1], secants[0], secants[1]);
    slopes_.back() = endSlope(widths[last - 1], widths[last - 2], secants[last - 1], secants[last - 2]);
}

std::size_t MonotoneCubic::segmentOf(double x) const {
    const auto after = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
    return static_cast<std::size_t>(after - x_.begin()) - 1;
}

double MonotoneCubic::value(double x) const {
    if (x <= x_.front()) return y_.front();
    if (x >= x_.back()) return y_.back();
    const std::size_t i = segmentOf(x);
    const double h = x_[i + 1] - x_[i], u = (x - x_[i]) / h, secant = (y_[i + 1] - y_[i]) / h;
    const double c = (3 * secant - 2 * slopes_[i] - slopes_[i + 1]) * h,
                 d = (slopes_[i] + slopes_[i + 1] - 2 * secant) * h;
    return y_[i] + u * (slopes_[i] * h + u * (c + u * d));
}

double MonotoneCubic::slope(double x) const {
    if (x < x_.front() || x > x_.back()) return 0;
    const std::size_t i = segmentOf(x);
    const double h = x_[i + 1] - x_[i], u = (x - x_[i]) / h, secant = (y_[i + 1] - y_[i]) / h;
    const double c = 3 * secant - 2 * slopes_[i] - slopes_[i + 1],
                 d = slopes_[i] + slopes_[i + 1] - 2 * secant;
    return slopes_[i] + u * (2 * c + 3 * u * d);
}

double MonotoneCubic::inverse(double y) const {
    if (y >= y_.front()) return x_.front();
    if (y <= y_.back()) return x_.back();
    const auto below = std::lower_bound(y_.begin(), y_.end(), y, [](double a, double b) { return a > b; });
    const auto i = static_cast<std::size_t>(below - y_.begin());
    double low = x_[i - 1], high = x_[i];
    // Newton where it stays inside, halving where it does not: a slope may be 0 at an end.
    double x = low + (high - low) * (y_[i - 1] - y) / (y_[i - 1] - y_[i]);
    for (int step = 0; step < 100 && high - low > 1e-15; ++step) {
        const double error = value(x) - y, tangent = slope(x);
        if (error == 0) break;
        (error > 0 ? low : high) = x;
        const double next = tangent < 0 ? x - error / tangent : low;
        if (std::abs(next - x) < 1e-16) break;
        x = next > low && next < high ? next : (low + high) / 2;
    }
    return x;
}

}  // namespace kurve::schedule
