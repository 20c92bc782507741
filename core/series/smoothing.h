#pragma once

#include <span>
#include <vector>

namespace kurve::series {

/// Debiased exponential moving average over x: s = sum_i d_i y_i / sum_i d_i with d_i = 2^-((x - x_i) /
/// halfLife). So a constant stays that constant from its first point, irregular spacing and gaps count by x,
/// and the same half-life means the same at every logging rate. A NaN or infinite y gives NaN there and
/// leaves no trace in later points. halfLife <= 0 returns y itself. Feed points in order, as they arrive.
class Ema {
public:
    explicit Ema(double halfLife) : halfLife_(halfLife) {}
    double add(double x, double y);

private:
    double halfLife_;
    double mean_ = 0, weight_ = 0, lastX_ = 0;
};

[[nodiscard]] std::vector<double> smooth(std::span<const double> x, std::span<const double> y,
                                         double halfLife);

/// The half-life whose decay from one point to the next is `weight` (0..1) at that spacing: for sliders of
/// 0..1.
[[nodiscard]] double halfLifeOf(double weight, double spacing);

}  // namespace kurve::series
