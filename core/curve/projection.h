#pragma once

#include <span>
#include <vector>

namespace kurve::curve {

/// A locked linear basis: mean and up to three orthonormal directions in d dimensions, fitted by PCA on a
/// reference set; signs are fixed (the largest component of a direction is positive) so that films do not
/// flip.
struct LinearBasis {
    int dims = 0;                           ///< d
    std::vector<double> mean;               ///< [d]
    std::vector<std::vector<double>> axes;  ///< up to 3 of [d]
    std::vector<double> explained;          ///< share of variance of each axis, 0..1
    /// Coordinates of a point [d] on the axes.
    [[nodiscard]] std::vector<double> project(std::span<const float> point) const;
};
/// points: n rows of d floats. Works for n < d; with fewer than 2 distinct points all axes are zero.
[[nodiscard]] LinearBasis fitPca(std::span<const float> points, int dims, int axes = 2);

}  // namespace kurve::curve
