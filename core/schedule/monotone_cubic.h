#pragma once

#include <vector>

namespace kurve::schedule {

/// Piecewise cubic through points that is monotone wherever the points are (Fritsch & Carlson, "Monotone
/// piecewise cubic interpolation", 1980) with the weighted harmonic slopes of Fritsch & Butland 1984 and
/// Moler's three-point slopes at the ends: the PCHIP of MATLAB and SciPy. Strictly decreasing where the
/// points are. Immutable.
class MonotoneCubic {
public:
    /// At least two points, x finite and strictly ascending (a ContractError otherwise).
    MonotoneCubic(std::vector<double> x, std::vector<double> y);

    /// Outside of the points the value of the nearest one, and slope 0.
    [[nodiscard]] double value(double x) const;
    [[nodiscard]] double slope(double x) const;
    /// The x with value(x) = y of a strictly decreasing curve; the ends for y beyond them.
    [[nodiscard]] double inverse(double y) const;
    [[nodiscard]] const std::vector<double>& slopes() const { return slopes_; }  ///< at the points

private:
    [[nodiscard]] std::size_t segmentOf(double x) const;

    std::vector<double> x_, y_, slopes_;
};

}  // namespace kurve::schedule
