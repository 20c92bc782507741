#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <utility>
#include <variant>
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

/// Median of the finite values with x in (newest - width, newest]; of an even number the middle of the two
/// middle ones. A constant stays that constant, one outlier leaves no trace, a gap wider than the window
/// forgets what was before it, and a NaN or infinite y gives NaN there only. width <= 0 returns y itself.
class WindowedMedian {
public:
    explicit WindowedMedian(double width) : width_(width) {}
    double add(double x, double y);

private:
    double width_;
    std::deque<std::pair<double, double>> window_;  ///< (x, y), oldest first
    std::vector<double> sorted_;                    ///< its y
};

/// How a curve is smoothed, as a person chooses it.
struct Smoothing {
    enum class Kind : unsigned char { None, Ema, Median };
    Kind kind = Kind::Ema;
    /// 0 … 1. Of an average how much weight each point leaves to the next; of a median that of the average
    /// whose points are as old: its window has medianPoints().
    double strength = 0.9;

    [[nodiscard]] bool isOn() const { return kind != Kind::None && strength > 0; }
    [[nodiscard]] std::size_t medianPoints() const;  ///< odd, 1 … 1001
    friend bool operator==(const Smoothing&, const Smoothing&) = default;
};

/// Smooths point by point. `spacing`: between two points of the curve as a rule.
class Smoother {
public:
    Smoother(const Smoothing& how, double spacing);
    double add(double x, double y);

private:
    std::variant<Ema, WindowedMedian> of_;
};

/// Curves of fewer finite points are shown as they are: nothing can be said of their noise.
inline constexpr std::size_t kLeastSmoothed = 3;
[[nodiscard]] bool isSmoothable(std::span<const double> y);

/// How many of a curve's first points say how far its points lie apart as a rule: the largest power of two,
/// so that a curve that grows is smoothed anew now and then, and always as one that is read whole.
[[nodiscard]] std::size_t spacingPoints(std::size_t points);
/// Their mean spacing, above 0; of two points or more.
[[nodiscard]] double spacingOf(std::span<const double> x);

/// A whole curve at that spacing; y itself where there is nothing to smooth.
[[nodiscard]] std::vector<double> smooth(std::span<const double> x, std::span<const double> y,
                                         const Smoothing& how);
[[nodiscard]] std::vector<double> smooth(std::span<const double> x, std::span<const double> y,
                                         double halfLife);

/// The half-life whose decay from one point to the next is `weight` (0..1) at that spacing: for sliders of
/// 0..1.
[[nodiscard]] double halfLifeOf(double weight, double spacing);

}  // namespace kurve::series
