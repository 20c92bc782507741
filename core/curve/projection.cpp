#include "core/curve/projection.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "core/base/check.h"

namespace kurve::curve {
namespace {

// A direction with less than this share of the variance is rounding noise, and would turn with every film
// frame.
constexpr double kNegligible = 1e-12;

/// The `count` leading principal directions of centred points [n, d], scaled to unit length; eigenvalues in
/// `energy`.
Eigen::MatrixXd leadingDirections(const Eigen::MatrixXd& centred, Eigen::Index count,
                                  Eigen::VectorXd& energy) {
    const bool wide = centred.rows() < centred.cols();
    // The smaller of covariance and Gram matrix has the same non-zero eigenvalues.
    const Eigen::MatrixXd product = wide ? Eigen::MatrixXd(centred * centred.transpose())
                                         : Eigen::MatrixXd(centred.transpose() * centred);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(product);
    energy = solver.eigenvalues().reverse().head(count).cwiseMax(0);
    const Eigen::MatrixXd vectors = solver.eigenvectors().rowwise().reverse().leftCols(count);
    return wide ? Eigen::MatrixXd(centred.transpose() * vectors) : vectors;
}

}  // namespace

std::vector<double> LinearBasis::project(std::span<const float> point) const {
    KURVE_CHECK(static_cast<int>(point.size()) == dims, "point of {} dims, basis of {}", point.size(), dims);
    std::vector<double> coordinates;
    for (const std::vector<double>& axis : axes) {
        double sum = 0;
        for (std::size_t i = 0; i < axis.size(); ++i)
            sum += axis[i] * (static_cast<double>(point[i]) - mean[i]);
        coordinates.push_back(sum);
    }
    return coordinates;
}

LinearBasis fitPca(std::span<const float> points, int dims, int axes) {
    KURVE_CHECK(dims > 0 && axes >= 1 && axes <= 3, "{} dims, {} axes", dims, axes);
    const auto d = static_cast<std::size_t>(dims);
    KURVE_CHECK(points.size() % d == 0, "{} numbers are no rows of {}", points.size(), dims);
    LinearBasis basis{dims, std::vector<double>(d), {}, {}};
    basis.axes.assign(static_cast<std::size_t>(axes), std::vector<double>(d));
    basis.explained.assign(static_cast<std::size_t>(axes), 0);
    if (points.empty()) return basis;

    using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto rows = static_cast<Eigen::Index>(points.size() / d);
    Eigen::MatrixXd centred = Eigen::Map<const Floats>(points.data(), rows, dims).cast<double>();
    const Eigen::RowVectorXd mean = centred.colwise().mean();
    centred.rowwise() -= mean;
    std::copy(mean.begin(), mean.end(), basis.mean.begin());
    const double total = centred.squaredNorm();
    if (total <= kNegligible * kNegligible * mean.squaredNorm()) return basis;

    Eigen::VectorXd energy;
    const auto count = std::min<Eigen::Index>({axes, rows, dims});
    const Eigen::MatrixXd directions = leadingDirections(centred, count, energy);
    for (Eigen::Index a = 0; a < count; ++a) {
        if (energy(a) <= kNegligible * total) break;
        Eigen::VectorXd axis = directions.col(a).normalized();
        Eigen::Index largest = 0;
        axis.cwiseAbs().maxCoeff(&largest);
        if (axis(largest) < 0) axis = -axis;
        std::copy(axis.begin(), axis.end(), basis.axes[static_cast<std::size_t>(a)].begin());
        basis.explained[static_cast<std::size_t>(a)] = energy(a) / total;
    }
    return basis;
}

}  // namespace kurve::curve
