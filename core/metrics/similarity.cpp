#include "core/metrics/similarity.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.h"

namespace kurve::metrics {
namespace {

using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Rows rowsOf(std::span<const float> states, int n) {
    KURVE_CHECK(n > 0 && states.size() % static_cast<std::size_t>(n) == 0, "{} values in {} rows",
                states.size(), n);
    return Eigen::Map<const Rows>(states.data(), n, static_cast<Eigen::Index>(states.size()) / n);
}

void centre(Rows& rows) {
    const Eigen::RowVectorXf mean = rows.colwise().mean();
    rows.rowwise() -= mean;
}

/// Rows such that the measure is their dot product.
Rows prepared(std::span<const float> states, int n, SimilarityMeasure measure) {
    Rows rows = rowsOf(states, n);
    if (measure == SimilarityMeasure::CentredCosine) centre(rows);
    if (measure == SimilarityMeasure::Dot) return rows;
    for (Eigen::Index r = 0; r < rows.rows(); ++r) {
        const float length = rows.row(r).norm();
        if (length > 0) rows.row(r) /= length;
    }
    return rows;
}

double effectiveRank(const Rows& rows) {
    // The Gram matrix of the shorter side has the squared singular values.
    const Eigen::MatrixXd wide = rows.cast<double>();
    const Eigen::MatrixXd gram = wide.rows() <= wide.cols() ? Eigen::MatrixXd(wide * wide.transpose())
                                                            : Eigen::MatrixXd(wide.transpose() * wide);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram, Eigen::EigenvaluesOnly);
    const Eigen::VectorXd singular = solver.eigenvalues().cwiseMax(0).cwiseSqrt();
    const double total = singular.sum();
    if (!(total > 0)) return 0;
    double entropy = 0;
    for (const double value : singular)
        if (value > 0) entropy -= value / total * std::log(value / total);
    return std::exp(entropy);
}

}  // namespace

std::string similarityName(SimilarityMeasure measure) {
    switch (measure) {
        case SimilarityMeasure::Cosine:
            return "cosine";
        case SimilarityMeasure::CentredCosine:
            return "centred cosine";
        case SimilarityMeasure::Dot:
            return "dot product";
    }
    return {};
}

SimilarityMatrix similarity(std::span<const float> states, int n, SimilarityMeasure measure) {
    const Rows rows = prepared(states, n, measure);
    SimilarityMatrix matrix{n, std::vector<float>(static_cast<std::size_t>(n) * static_cast<std::size_t>(n))};
    Eigen::Map<Rows>(matrix.values.data(), n, n).noalias() = rows * rows.transpose();
    return matrix;
}

float similarityOf(std::span<const float> states, int n, std::pair<int, int> cell,
                   SimilarityMeasure measure) {
    KURVE_CHECK(n > 0 && states.size() % static_cast<std::size_t>(n) == 0, "{} values in {} rows",
                states.size(), n);
    const Eigen::Map<const Rows> rows(states.data(), n, static_cast<Eigen::Index>(states.size()) / n);
    Eigen::RowVectorXf a = rows.row(cell.first), b = rows.row(cell.second);
    if (measure == SimilarityMeasure::CentredCosine) {
        const Eigen::RowVectorXf mean = rows.colwise().mean();
        a -= mean;
        b -= mean;
    }
    if (measure == SimilarityMeasure::Dot) return a.dot(b);
    const float lengths = a.norm() * b.norm();
    return lengths > 0 ? a.dot(b) / lengths : 0;
}

double centredKernelAlignment(std::span<const float> a, std::span<const float> b, int n) {
    Rows left = rowsOf(a, n), right = rowsOf(b, n);
    centre(left);
    centre(right);
    const Eigen::MatrixXd x = left.cast<double>(), y = right.cast<double>();
    const double cross = (y.transpose() * x).squaredNorm();
    const double own = (x.transpose() * x).norm() * (y.transpose() * y).norm();
    return own > 0 ? cross / own : std::numeric_limits<double>::quiet_NaN();
}

SimilaritySummary summarize(std::span<const float> states, int n, SimilarityMeasure measure) {
    SimilaritySummary summary;
    const SimilarityMatrix matrix = similarity(states, n, measure);
    double off = 0, adjacent = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (i != j) off += matrix.at(i, j);
            if (j == i + 1) adjacent += matrix.at(i, j);
        }
    if (n > 1) {
        summary.meanOffDiagonal = off / (static_cast<double>(n) * (n - 1));
        summary.adjacent = adjacent / (n - 1);
    }
    Rows rows = rowsOf(states, n);
    if (measure == SimilarityMeasure::CentredCosine) centre(rows);
    summary.effectiveRank = effectiveRank(rows);
    return summary;
}

std::vector<int> seriation(const SimilarityMatrix& matrix) {
    std::vector<int> order(static_cast<std::size_t>(matrix.n));
    std::iota(order.begin(), order.end(), 0);
    if (matrix.n < 3) return order;
    Eigen::MatrixXd laplacian(matrix.n, matrix.n);
    for (int i = 0; i < matrix.n; ++i)
        for (int j = 0; j < matrix.n; ++j) laplacian(i, j) = i == j ? 0 : -std::max(0.0F, matrix.at(i, j));
    const Eigen::VectorXd degree = -laplacian.rowwise().sum();
    laplacian.diagonal() = degree;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(laplacian);
    const Eigen::VectorXd fiedler = solver.eigenvectors().col(1);
    // The sign of an eigenvector is free: the first row stands in the first half. Rounding noise orders
    // nothing.
    const double sign = fiedler(0) > 0 ? -1e6 : 1e6;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return std::round(sign * fiedler(a)) < std::round(sign * fiedler(b));
    });
    return order;
}

}  // namespace kurve::metrics
