#pragma once

#include <cstdint>
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
/// A basis of given directions, made orthonormal in their order and with their signs; a direction that lies
/// in those before becomes a zero axis. Mean and shares of variance are those of the points. Up to three
/// directions.
[[nodiscard]] LinearBasis basisAlong(std::span<const float> points, int dims,
                                     std::vector<std::vector<double>> directions);
/// `count` directions of normal numbers: the same for the same seed.
[[nodiscard]] std::vector<std::vector<double>> randomDirections(int dims, int count, std::uint64_t seed);
/// Turns every axis so that it points the way the same axis of `former` does: a basis that is fitted again
/// must not mirror the picture. Axes at right angles to their former one, and bases of other dimensions,
/// stay.
void alignSigns(LinearBasis& basis, const LinearBasis& former);

}  // namespace kurve::curve
