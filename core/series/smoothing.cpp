#include "core/series/smoothing.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.h"

namespace kurve::series {

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
