#pragma once

#include <vector>

#include "core/curve/spline.h"

namespace kurve::curve {

/// How the controls choose a shape: M from rho or given, k from kappa or given.
struct SplineSettings {
    int words = 25;
    bool countGiven = false, degreeGiven = false;
    double rho = 2.0;
    int controlPoints = 50;
    double kappa = 0.01;
    int degree = 3;
    double margin = 0.01;
    bool adaptiveMargin = false;
    Knots knots = Knots::Clamped;
    double ridge = 0;
    [[nodiscard]] SplineShape shape() const;
};

/// Settings worth looking at: the paper's Table 3 (reading M = (1 + r) L) and limits.
struct SplinePreset {
    const char* name;
    double rho, kappa;
    int degree;  ///< 0 = by kappa
    double margin;
};
[[nodiscard]] const std::vector<SplinePreset>& splinePresets();

/// One basis function sampled where it is not zero.
struct BasisCurve {
    std::vector<double> u, value;
    bool dead = false;  ///< no word touches it
};

/// A matrix of the spline that the map can show.
enum class SplineMap : unsigned char { Psi, Inverse, Coupling };

/// What the charts draw of one shape; plain numbers, no window.
struct SplinePicture {
    SplineShape shape;
    SplineReport report;
    Matrix psi;
    std::vector<double> positions;
    std::vector<BasisCurve> basis;
    std::vector<double> eigenvalues;  ///< of Psi Psi^T above the cut-off, descending
    SplineMap shown = SplineMap::Psi;
    Matrix map;  ///< the shown one: Psi [L, M], its inverse [M, L] or Psi Psi^T [L, L]
};
/// The shape is valid (checkShape). Takes up to seconds for hundreds of words: for a worker.
[[nodiscard]] SplinePicture pictureOf(const SplineShape& shape, SplineMap shown = SplineMap::Psi);

}  // namespace kurve::curve
