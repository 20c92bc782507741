#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kurve::curve {

/// Dense row-major matrix of doubles; small (hundreds of rows).
struct Matrix {
    int rows = 0, cols = 0;
    std::vector<double> data;
    Matrix() = default;
    Matrix(int r, int c)
        : rows(r), cols(c), data(static_cast<std::size_t>(r) * static_cast<std::size_t>(c)) {}
    double& at(int r, int c) {
        return data[static_cast<std::size_t>(r) * static_cast<std::size_t>(cols) +
                    static_cast<std::size_t>(c)];
    }
    [[nodiscard]] double at(int r, int c) const {
        return data[static_cast<std::size_t>(r) * static_cast<std::size_t>(cols) +
                    static_cast<std::size_t>(c)];
    }
};

enum class Knots : std::uint8_t {
    Clamped,    ///< k+1 equal knots at both ends (default)
    Unclamped,  ///< uniform knots, domain [t_k, t_M] rescaled to [0, 1]
};

/// A sentence of L words over M control points with degree k (SCLM, sec. 4.1).
struct SplineShape {
    int words = 0;          ///< L >= 1
    int controlPoints = 0;  ///< M >= k+1
    int degree = 2;         ///< k >= 1
    double margin = 0.01;   ///< epsilon: the curve is sampled in [epsilon, 1 - epsilon]
    Knots knots = Knots::Clamped;
    double ridge = 0;  ///< lambda of the ridge inverse; 0 = Moore-Penrose
};
/// Errors: spline.degree (k < 1), spline.control_points (M <= k unless M = L = k = 1),
/// spline.words, spline.margin, spline.ridge. The functions below expect a shape that passes.
Status checkShape(const SplineShape& shape);

/// How M and k follow from L (SCLM, App. B.2; rounding is ours): M = max(3, floor(rho L + 1/2)); k = min(M-1,
/// max(2, floor(kappa M))) or min(M-1, degree) when `degree` > 0; margin = epsilon, or min(epsilon, 1/(2L))
/// if `adaptiveMargin`. The identity limit rho = 1, degree = 1, margin = 0 gives M = L (also for L < 3).
struct ShapeRule {
    double rho = 2.0;
    double kappa = 0.01;
    int degree = 0;  ///< fixed degree; 0 = by kappa
    double margin = 0.01;
    bool adaptiveMargin = false;
    Knots knots = Knots::Clamped;
    double ridge = 0;
    [[nodiscard]] SplineShape shapeFor(int words) const;
};

/// M + k + 1 knots; the curve lives on [0, 1], unclamped knots go beyond. (M = 1 has degree 0.)
[[nodiscard]] std::vector<double> knotVector(const SplineShape& shape);
[[nodiscard]] std::vector<double> wordPositions(
    const SplineShape& shape);  ///< u_i, L values (1.3); L = 1 gives 0.5
[[nodiscard]] std::vector<double> greville(const SplineShape& shape);  ///< M abscissae
/// All M basis values at u in [0, 1]; sums to 1. Local Cox-de Boor recurrence, closed on the right.
[[nodiscard]] std::vector<double> basisRow(const SplineShape& shape, double u);
/// Weights of the M control points in the curve's derivative C'(u); they sum to 0.
[[nodiscard]] std::vector<double> tangentRow(const SplineShape& shape, double u);
[[nodiscard]] Matrix psi(const SplineShape& shape);  ///< [L, M]
/// Moore-Penrose inverse [M, L] by SVD in float64 with relative cut-off max(L,M) 2^-52, or the ridge inverse
/// Psi^T (Psi Psi^T + lambda I)^-1 if shape.ridge > 0.
[[nodiscard]] Matrix pseudoInverse(const SplineShape& shape);

/// Above this amplified noise dominates the ends of the curve: use a ridge, a lower degree or more control
/// points.
inline constexpr double kHighInputGain = 10;

/// The map's effect on errors and on noise (SCLM, Lemma 4.3 and App. C.2).
struct SplineReport {
    int rank = 0;
    std::vector<double> singularValues;              ///< descending
    double R_L = 0, R_M = 0, R_1 = 0;                ///< SCLM, Lemma 4.3
    double trace = 0, lambdaMax = 0, lambdaMin = 0;  ///< of Psi Psi^T (lambdaMin over its rank)
    double inputGain = 0;                            ///< ||Psi+||_F^2 / M; warn above kHighInputGain
    double reconstructionMse = 0;     ///< ||I - Psi Psi+||_F^2 / L: 1 - rank/L, more with a ridge
    double neighbourCorrelation = 0;  ///< mean cosine of neighbouring rows of Psi
    int deadControlPoints = 0;        ///< zero columns of Psi
    double wordsPerControlPoint = 0;  ///< mean over live control points
};
[[nodiscard]] SplineReport report(const SplineShape& shape);

/// R_L, R_M and R_1 of report() alone, without its decomposition: for a sweep over many shapes.
struct ErrorRatios {
    double R_L = 0, R_M = 0, R_1 = 0;
};
[[nodiscard]] ErrorRatios errorRatios(const SplineShape& shape);

/// One cell of the reconstruction grid (SCLM, App. C.2, Figure 8): rank at float64 and at float32 cut-off.
struct ReconstructionCell {
    int words = 0, controlPoints = 0, degree = 0, rank64 = 0, rank32 = 0;
    double mse64 = 0, mse32 = 0;
};
[[nodiscard]] ReconstructionCell reconstruction(const SplineShape& shape);

}  // namespace kurve::curve
