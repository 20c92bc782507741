#include "core/series/smoothing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.h"

namespace kurve::series {

namespace {

constexpr double kMostPoints = 1001;

std::variant<Ema, WindowedMedian> smootherOf(const Smoothing& how, double spacing) {
    if (how.kind != Smoothing::Kind::Median) return Ema(how.isOn() ? halfLifeOf(how.strength, spacing) : 0.0);
    // Half a spacing less: at even spacing rounding decides over no point.
    const double points = static_cast<double>(how.medianPoints());
    return WindowedMedian(how.isOn() ? (points - 0.5) * spacing : 0.0);
}

}  // namespace

double Ema::add(double x, double y) {
    if (halfLife_ <= 0) return y;
    if (!std::isfinite(y)) return std::numeric_limits<double>::quiet_NaN();
    const double decay = weight_ > 0 ? std::exp2(-std::max(x - lastX_, 0.0) / halfLife_) : 0.0;
    // The mean moves towards y instead of dividing two sums, so a constant stays exact to the last bit.
    weight_ = weight_ * decay + 1;
    mean_ += (y - mean_) / weight_;
    lastX_ = x;
    return mean_;
}

double WindowedMedian::add(double x, double y) {
    if (width_ <= 0) return y;
    while (!window_.empty() && window_.front().first <= x - width_) {
        sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), window_.front().second));
        window_.pop_front();
    }
    if (!std::isfinite(y)) return std::numeric_limits<double>::quiet_NaN();
    window_.emplace_back(x, y);
    sorted_.insert(std::lower_bound(sorted_.begin(), sorted_.end(), y), y);
    const std::size_t middle = sorted_.size() / 2;
    return sorted_.size() % 2 == 1 ? sorted_[middle] : std::midpoint(sorted_[middle - 1], sorted_[middle]);
}

std::size_t Smoothing::medianPoints() const {
    if (!(strength > 0)) return 1;
    const double older = std::round(0.5 / std::max(1 - strength, 1e-6));
    return static_cast<std::size_t>(std::min(2 * older + 1, kMostPoints));
}

Smoother::Smoother(const Smoothing& how, double spacing) : of_(smootherOf(how, spacing)) {}

double Smoother::add(double x, double y) {
    return std::visit([&](auto& one) { return one.add(x, y); }, of_);
}

bool isSmoothable(std::span<const double> y) {
    std::size_t finite = 0;
    for (const double value : y)
        if (std::isfinite(value) && ++finite >= kLeastSmoothed) return true;
    return false;
}

std::size_t spacingPoints(std::size_t points) {
    return std::bit_floor(points);
}

double spacingOf(std::span<const double> x) {
    KURVE_CHECK(x.size() > 1, "{} x", x.size());
    const std::size_t last = spacingPoints(x.size()) - 1;
    return std::max((x[last] - x[0]) / static_cast<double>(last), 1e-12);
}

std::vector<double> smooth(std::span<const double> x, std::span<const double> y, const Smoothing& how) {
    KURVE_CHECK(x.size() == y.size(), "{} x and {} y", x.size(), y.size());
    std::vector<double> out(y.begin(), y.end());
    if (!how.isOn() || !isSmoothable(y)) return out;
    Smoother one(how, spacingOf(x));
    for (std::size_t i = 0; i < y.size(); ++i) out[i] = one.add(x[i], y[i]);
    return out;
}

std::vector<double> smooth(std::span<const double> x, std::span<const double> y, double halfLife) {
    KURVE_CHECK(x.size() == y.size(), "{} x and {} y", x.size(), y.size());
    std::vector<double> out(y.size());
    Ema ema(halfLife);
    for (std::size_t i = 0; i < y.size(); ++i) out[i] = ema.add(x[i], y[i]);
    return out;
}

double halfLifeOf(double weight, double spacing) {
    if (weight <= 0) return 0;
    if (weight >= 1) return std::numeric_limits<double>::infinity();
    return -spacing / std::log2(weight);
}

}  // namespace kurve::series
