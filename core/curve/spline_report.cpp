#include <Eigen/Cholesky>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/curve/spline.h"

namespace kurve::curve {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor toEigen(const Matrix& matrix) {
    return Eigen::Map<const RowMajor>(matrix.data.data(), matrix.rows, matrix.cols);
}

Matrix fromEigen(const Eigen::Ref<const RowMajor>& source) {
    Matrix matrix(static_cast<int>(source.rows()), static_cast<int>(source.cols()));
    Eigen::Map<RowMajor>(matrix.data.data(), matrix.rows, matrix.cols) = source;
    return matrix;
}

double cutoff(const SplineShape& shape, double epsilon, double largest) {
    return std::max(shape.words, shape.controlPoints) * epsilon * largest;
}

int rankAt(std::span<const double> descending, double threshold) {
    return static_cast<int>(
        std::count_if(descending.begin(), descending.end(), [&](double s) { return s > threshold; }));
}

std::vector<double> singularValues(const Matrix& matrix) {
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(toEigen(matrix));
    return {svd.singularValues().begin(), svd.singularValues().end()};
}

bool isIdentity(const Matrix& matrix) {
    return matrix.rows == matrix.cols && toEigen(matrix) == RowMajor::Identity(matrix.rows, matrix.cols);
}

/// Which control points touch which words.
void countSupport(const Matrix& matrix, SplineReport& result) {
    int touched = 0, live = 0;
    for (int j = 0; j < matrix.cols; ++j) {
        int words = 0;
        for (int i = 0; i < matrix.rows; ++i) words += matrix.at(i, j) > 0 ? 1 : 0;
        touched += words;
        live += words > 0 ? 1 : 0;
    }
    result.deadControlPoints = matrix.cols - live;
    result.wordsPerControlPoint = static_cast<double>(touched) / live;
}

double neighbourCorrelation(const Matrix& matrix) {
    const RowMajor rows = toEigen(matrix).rowwise().normalized();
    if (rows.rows() < 2) return 0;
    const auto count = rows.rows() - 1;
    return rows.topRows(count).cwiseProduct(rows.bottomRows(count)).sum() / static_cast<double>(count);
}

}  // namespace

Matrix pseudoInverse(const SplineShape& shape) {
    const Matrix matrix = psi(shape);
    const Eigen::MatrixXd dense = toEigen(matrix);
    if (shape.ridge > 0) {
        Eigen::MatrixXd gram = dense * dense.transpose();
        gram.diagonal().array() += shape.ridge;
        return fromEigen(RowMajor(gram.llt().solve(dense).transpose()));
    }
    if (isIdentity(matrix)) return matrix;  // bit for bit, which an SVD does not promise
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(dense, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::VectorXd& values = svd.singularValues();
    const double threshold = cutoff(shape, std::numeric_limits<double>::epsilon(), values(0));
    const Eigen::VectorXd inverse = (values.array() > threshold).select(values.array().inverse(), 0);
    return fromEigen(RowMajor(svd.matrixV() * inverse.asDiagonal() * svd.matrixU().transpose()));
}

SplineReport report(const SplineShape& shape) {
    const Matrix matrix = psi(shape);
    SplineReport result;
    result.singularValues = singularValues(matrix);
    const double largest = result.singularValues.front();
    result.rank =
        rankAt(result.singularValues, cutoff(shape, std::numeric_limits<double>::epsilon(), largest));
    double squares = 0, lost = shape.words - result.rank;
    for (int i = 0; i < result.rank; ++i) {
        const double s = result.singularValues[static_cast<std::size_t>(i)], lambda = s * s;
        const double filtered =
            shape.ridge / (lambda + shape.ridge);  // what the ridge takes from this direction
        const double inverse = s / (lambda + shape.ridge);
        result.trace += lambda;
        squares += lambda * lambda;
        lost += filtered * filtered;
        result.inputGain += inverse * inverse / shape.controlPoints;
    }
    result.lambdaMax = largest * largest;
    const double smallest = result.singularValues[static_cast<std::size_t>(result.rank) - 1];
    result.lambdaMin = smallest * smallest;
    const double ratio = squares / (result.trace * result.trace);
    result.R_L = shape.words * ratio;
    result.R_M = shape.controlPoints * ratio;
    result.R_1 = shape.words / result.trace;
    result.reconstructionMse = lost / shape.words;
    result.neighbourCorrelation = neighbourCorrelation(matrix);
    countSupport(matrix, result);
    return result;
}

ErrorRatios errorRatios(const SplineShape& shape) {
    const RowMajor matrix = toEigen(psi(shape));
    const RowMajor gram = matrix * matrix.transpose();
    // The sums of the eigenvalues and of their squares are the trace and the squared norm.
    const double trace = gram.trace(), ratio = gram.squaredNorm() / (trace * trace);
    return {shape.words * ratio, shape.controlPoints * ratio, shape.words / trace};
}

ReconstructionCell reconstruction(const SplineShape& shape) {
    const std::vector<double> values = singularValues(psi(shape));
    ReconstructionCell cell{shape.words, shape.controlPoints, shape.degree};
    cell.rank64 = rankAt(values, cutoff(shape, std::numeric_limits<double>::epsilon(), values.front()));
    cell.rank32 = rankAt(values, cutoff(shape, std::numeric_limits<float>::epsilon(), values.front()));
    cell.mse64 = 1 - static_cast<double>(cell.rank64) / shape.words;
    cell.mse32 = 1 - static_cast<double>(cell.rank32) / shape.words;
    return cell;
}

}  // namespace kurve::curve
