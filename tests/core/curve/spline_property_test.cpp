#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/curve/spline.h"

namespace kurve::curve {
namespace {

Matrix times(const Matrix& a, const Matrix& b) {
    Matrix product(a.rows, b.cols);
    for (int i = 0; i < a.rows; ++i)
        for (int k = 0; k < a.cols; ++k)
            for (int j = 0; j < b.cols; ++j) product.at(i, j) += a.at(i, k) * b.at(k, j);
    return product;
}

double largestDifference(const Matrix& a, const Matrix& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i)
        largest = std::max(largest, std::abs(a.data[i] - b.data[i]));
    return largest;
}

Matrix transposed(const Matrix& a) {
    Matrix t(a.cols, a.rows);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.cols; ++j) t.at(j, i) = a.at(i, j);
    return t;
}

Matrix identity(int n) {
    Matrix one(n, n);
    for (int i = 0; i < n; ++i) one.at(i, i) = 1;
    return one;
}

SplineShape anyShape() {
    SplineShape shape;
    shape.words = *rc::gen::inRange(1, 30);
    shape.controlPoints = *rc::gen::inRange(2, 60);
    shape.degree = *rc::gen::inRange(1, std::min(8, shape.controlPoints));
    shape.margin = *rc::gen::inRange(0, 50) / 1000.0;
    shape.knots = *rc::gen::element(Knots::Clamped, Knots::Unclamped);
    return shape;
}

/// The safe region of Figure 8 (SCLM, App. C.2): full row rank and well conditioned.
SplineShape wideShape() {
    const ShapeRule rule{*rc::gen::inRange(12, 41) / 10.0, 0.01, *rc::gen::inRange(2, 6)};
    return rule.shapeFor(*rc::gen::inRange(1, 40));
}

RC_GTEST_PROP(SplineProperty, PartitionOfUnity, ()) {
    const SplineShape shape = anyShape();
    const double u = *rc::gen::inRange(0, 1000001) / 1e6;
    double sum = 0;
    int live = 0;
    for (const double value : basisRow(shape, u)) {
        RC_ASSERT(value >= 0);
        sum += value;
        live += value > 0 ? 1 : 0;
    }
    RC_ASSERT(std::abs(sum - 1) < 1e-13);
    RC_ASSERT(live <= shape.degree + 1);
}

RC_GTEST_PROP(SplineProperty, ConstantSentencesAreReproduced, ()) {
    const Matrix map = psi(anyShape());  // Psi 1 = 1
    for (int i = 0; i < map.rows; ++i) {
        double sum = 0;
        for (int j = 0; j < map.cols; ++j) sum += map.at(i, j);
        RC_ASSERT(std::abs(sum - 1) < 1e-13);
    }
}

RC_GTEST_PROP(SplineProperty, LinearPrecisionAtGreville, ()) {
    const SplineShape shape = anyShape();  // sum_j xi_j B_j(u) = u
    const double u = *rc::gen::inRange(0, 1001) / 1e3;
    const std::vector<double> row = basisRow(shape, u), xi = greville(shape);
    double sum = 0;
    for (std::size_t j = 0; j < row.size(); ++j) sum += row[j] * xi[j];
    RC_ASSERT(std::abs(sum - u) < 1e-12);
}

RC_GTEST_PROP(SplineProperty, FullRowRankInverse, ()) {
    const SplineShape shape = wideShape();
    const Matrix product = times(psi(shape), pseudoInverse(shape));
    RC_ASSERT(largestDifference(product, identity(shape.words)) < 1e-9);
}

RC_GTEST_PROP(SplineProperty, PseudoInverseGivesOrthogonalProjector, ()) {
    const SplineShape shape = wideShape();
    const Matrix projector = times(pseudoInverse(shape), psi(shape));
    RC_ASSERT(largestDifference(times(projector, projector), projector) < 1e-9);
    RC_ASSERT(largestDifference(transposed(projector), projector) < 1e-9);
    double trace = 0;
    for (int i = 0; i < projector.rows; ++i) trace += projector.at(i, i);
    RC_ASSERT(std::abs(trace - report(shape).rank) < 1e-7);
}

RC_GTEST_PROP(SplineProperty, ReportAgreesWithTheMatrices, ()) {
    SplineShape shape = wideShape();
    shape.ridge = *rc::gen::element(0.0, 1e-3, 1e-1);
    const Matrix inverse = pseudoInverse(shape), through = times(psi(shape), inverse);
    double gain = 0, lost = 0;
    for (const double value : inverse.data) gain += value * value / shape.controlPoints;
    for (int i = 0; i < through.rows; ++i)
        for (int j = 0; j < through.cols; ++j) lost += std::pow(through.at(i, j) - (i == j ? 1 : 0), 2);
    const SplineReport got = report(shape);
    RC_ASSERT(std::abs(got.inputGain - gain) < 1e-8 * gain);
    RC_ASSERT(std::abs(got.reconstructionMse - lost / shape.words) < 1e-9);
}

}  // namespace
}  // namespace kurve::curve
