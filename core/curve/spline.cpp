#include "core/curve/spline.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/base/check.h"

namespace kurve::curve {
namespace {

// A dense SVD of this size still ends in minutes; a longer sentence is a mistyped number.
constexpr int kMaxPoints = 4096;

// M = 1 (the identity limit of a one-word sentence) has room for a constant only.
int effectiveDegree(const SplineShape& shape) {
    return std::min(shape.degree, shape.controlPoints - 1);
}

void requireValid(const SplineShape& shape) {
    const Status status = checkShape(shape);
    KURVE_CHECK(status.has_value(), "{}", status.error().message);
}

/// Writes the k+1 basis values that are not zero at u and returns the index of the first.
int localBasis(std::span<const double> knots, int degree, double u, std::span<double> values) {
    const auto first = knots.begin() + degree + 1;
    const auto last = knots.end() - degree - 1;
    // The last span is closed on the right: u = 1 belongs to it.
    const auto span = static_cast<std::size_t>(std::upper_bound(first, last, u) - knots.begin()) - 1;
    const auto k = static_cast<std::size_t>(degree);
    values[0] = 1;
    for (std::size_t q = 1; q <= k; ++q) {
        double carried = 0;
        for (std::size_t r = 0; r < q; ++r) {
            const double right = knots[span + r + 1] - u;
            const double left = u - knots[span + 1 - q + r];
            const double value = values[r], width = right + left;
            values[r] = carried + value * (right / width);  // in this order a word on a knot gets exactly 1
            carried = value * (left / width);
        }
        values[q] = carried;
    }
    return static_cast<int>(span) - degree;
}

}  // namespace

Status checkShape(const SplineShape& shape) {
    const auto [words, points, degree, margin, knots, ridge] = shape;
    if (words < 1 || words > kMaxPoints)
        return requestError("spline.words", fmt::format("a sentence of {} words", words))
            .at("length")
            .fix(fmt::format("give 1 to {} words", kMaxPoints));
    if (degree < 1)
        return requestError("spline.degree", fmt::format("degree {} is no curve", degree))
            .at("degree")
            .fix("give a degree of at least 1");
    const bool oneWord = words == 1 && points == 1 && degree == 1;
    if (!oneWord && points <= degree)
        return requestError("spline.control_points",
                            fmt::format("{} control points are too few for degree {}", points, degree))
            .at("control-points")
            .fix(fmt::format("give at least {} control points{}", degree + 1,
                             degree > 1 ? " or lower the degree" : ""));
    if (points > kMaxPoints)
        return requestError("spline.control_points", fmt::format("{} control points", points))
            .at("control-points")
            .fix(fmt::format("give at most {}", kMaxPoints));
    if (!(margin >= 0 && margin < 0.5))
        return requestError("spline.margin", fmt::format("margin {} is not in [0, 0.5)", margin))
            .at("margin")
            .fix("0.01 is the default");
    if (!(ridge >= 0 && std::isfinite(ridge)))
        return requestError("spline.ridge", fmt::format("ridge {} is negative or not finite", ridge))
            .at("ridge")
            .fix("0 gives the Moore-Penrose inverse, 0.01 a stable one");
    return {};
}

SplineShape ShapeRule::shapeFor(int words) const {
    SplineShape shape{words, 0, degree, margin, knots, ridge};
    shape.controlPoints = static_cast<int>(std::floor(rho * words + 0.5));
    if (adaptiveMargin) shape.margin = std::min(margin, 1.0 / (2.0 * words));
    if (degree == 1 && shape.controlPoints == words) return shape;
    shape.controlPoints = std::max(3, shape.controlPoints);
    const int byRatio = std::max(2, static_cast<int>(std::floor(kappa * shape.controlPoints)));
    shape.degree = std::min(shape.controlPoints - 1, degree > 0 ? degree : byRatio);
    return shape;
}

std::vector<double> knotVector(const SplineShape& shape) {
    const int k = effectiveDegree(shape), spans = shape.controlPoints - k;
    std::vector<double> knots;
    knots.reserve(static_cast<std::size_t>(shape.controlPoints) + static_cast<std::size_t>(k) + 1);
    for (int j = -k; j <= spans + k; ++j) {
        const int inside = shape.knots == Knots::Clamped ? std::clamp(j, 0, spans) : j;
        knots.push_back(static_cast<double>(inside) / spans);
    }
    return knots;
}

std::vector<double> wordPositions(const SplineShape& shape) {
    if (shape.words == 1) return {0.5};
    std::vector<double> u(static_cast<std::size_t>(shape.words));
    for (std::size_t i = 0; i < u.size(); ++i) {
        // One division, so that margin 0 meets the knots of degree 1 exactly (identity limit).
        const double fraction = static_cast<double>(i) / (shape.words - 1);
        u[i] = shape.margin + (1 - 2 * shape.margin) * fraction;
    }
    return u;
}

std::vector<double> greville(const SplineShape& shape) {
    const std::vector<double> knots = knotVector(shape);
    const int k = effectiveDegree(shape);
    if (k == 0) return {0.5};
    std::vector<double> abscissae(static_cast<std::size_t>(shape.controlPoints));
    for (std::size_t j = 0; j < abscissae.size(); ++j) {
        double sum = 0;
        for (int i = 1; i <= k; ++i) sum += knots[j + static_cast<std::size_t>(i)];
        abscissae[j] = sum / k;
    }
    return abscissae;
}

std::vector<double> basisRow(const SplineShape& shape, double u) {
    requireValid(shape);
    KURVE_CHECK(u >= 0 && u <= 1, "u = {} is not in [0, 1]", u);
    const int k = effectiveDegree(shape);
    std::vector<double> row(static_cast<std::size_t>(shape.controlPoints)),
        local(static_cast<std::size_t>(k + 1));
    const int first = localBasis(knotVector(shape), k, u, local);
    std::copy(local.begin(), local.end(), row.begin() + first);
    return row;
}

std::vector<double> tangentRow(const SplineShape& shape, double u) {
    requireValid(shape);
    KURVE_CHECK(u >= 0 && u <= 1, "u = {} is not in [0, 1]", u);
    const auto k = static_cast<std::size_t>(effectiveDegree(shape));
    std::vector<double> row(static_cast<std::size_t>(shape.controlPoints)), local(k);
    if (k == 0) return row;
    // The derivative is a curve of one degree less, on the same knots without the outermost, whose points are
    // the legs of the polygon over their spans.
    const std::vector<double> knots = knotVector(shape);
    const auto first = static_cast<std::size_t>(
        localBasis(std::span(knots).subspan(1, knots.size() - 2), static_cast<int>(k) - 1, u, local));
    for (std::size_t r = 0; r < k; ++r) {
        const std::size_t leg = first + r;
        const double weight = static_cast<double>(k) * local[r] / (knots[leg + k + 1] - knots[leg + 1]);
        row[leg] -= weight;
        row[leg + 1] += weight;
    }
    return row;
}

Matrix psi(const SplineShape& shape) {
    requireValid(shape);
    const std::vector<double> knots = knotVector(shape), positions = wordPositions(shape);
    const int k = effectiveDegree(shape);
    std::vector<double> local(static_cast<std::size_t>(k + 1));
    Matrix matrix(shape.words, shape.controlPoints);
    for (int i = 0; i < shape.words; ++i) {
        const int first = localBasis(knots, k, positions[static_cast<std::size_t>(i)], local);
        for (int q = 0; q <= k; ++q) matrix.at(i, first + q) = local[static_cast<std::size_t>(q)];
    }
    return matrix;
}

}  // namespace kurve::curve
