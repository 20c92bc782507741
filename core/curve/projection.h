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
    std::vector<double> explained;          ///< fraction of variance of each axis, 0..1
    /// Coordinates of a point [d] on the axes.
    [[nodiscard]] std::vector<double> project(std::span<const float> point) const;
};
/// points: n rows of d floats. Works for n < d; with fewer than 2 distinct points all axes are zero.
[[nodiscard]] LinearBasis fitPca(std::span<const float> points, int dims, int axes = 2);
/// A basis of given directions, made orthonormal in their order and with their signs; a direction that lies
/// in those before becomes a zero axis. Mean and fractions of variance are those of the points. Up to three
/// directions.
[[nodiscard]] LinearBasis basisAlong(std::span<const float> points, int dims,
                                     std::vector<std::vector<double>> directions);
/// `count` directions of normal numbers: the same for the same seed.
[[nodiscard]] std::vector<std::vector<double>> randomDirections(int dims, int count, std::uint64_t seed);
/// The direction from `a` to `b` that separates the two sets best (Fisher's linear discriminant): S^-1 (mean
/// b - mean a) of unit length, S the covariance within the sets. S is shrunk by `shrinkage` towards the
/// identity times its mean variance, so that fewer points than dimensions will do. Zero where the means are
/// equal. Both sets have points.
[[nodiscard]] std::vector<double> discriminant(std::span<const float> a, std::span<const float> b, int dims,
                                               double shrinkage = 0.1);
/// Turns every axis so that it points the way the same axis of `former` does: a basis that is fitted again
/// must not mirror the picture. Axes at right angles to their former one, and bases of other dimensions,
/// stay.
void alignSigns(LinearBasis& basis, const LinearBasis& former);

}  // namespace kurve::curve
