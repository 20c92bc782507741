#include "core/curve/projection.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>

#include "core/base/check.h"
#include "core/base/random_stream.h"

namespace kurve::curve {
namespace {

// A direction with less than this fraction of the variance is rounding noise, and would turn with every film
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

using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A basis of zero axes with the points' mean; the points without it in `centred`.
LinearBasis emptyBasis(std::span<const float> points, int dims, std::size_t axes, Eigen::MatrixXd& centred) {
    const auto d = static_cast<std::size_t>(dims);
    KURVE_CHECK(dims > 0 && axes >= 1 && axes <= 3, "{} dims, {} axes", dims, axes);
    KURVE_CHECK(points.size() % d == 0, "{} numbers are no rows of {}", points.size(), dims);
    LinearBasis basis{dims, std::vector<double>(d), {}, {}};
    basis.axes.assign(axes, std::vector<double>(d));
    basis.explained.assign(axes, 0);
    if (points.empty()) return basis;
    centred = Eigen::Map<const Floats>(points.data(), static_cast<Eigen::Index>(points.size() / d), dims)
                  .cast<double>();
    const Eigen::RowVectorXd mean = centred.colwise().mean();
    centred.rowwise() -= mean;
    std::copy(mean.begin(), mean.end(), basis.mean.begin());
    return basis;
}

Eigen::Map<Eigen::VectorXd> asVector(std::vector<double>& values) {
    return {values.data(), static_cast<Eigen::Index>(values.size())};
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
    Eigen::MatrixXd centred;
    LinearBasis basis = emptyBasis(points, dims, static_cast<std::size_t>(axes), centred);
    const double total = centred.squaredNorm(), offset = asVector(basis.mean).squaredNorm();
    if (points.empty() || total <= kNegligible * kNegligible * offset) return basis;

    Eigen::VectorXd energy;
    const auto count = std::min<Eigen::Index>({axes, centred.rows(), dims});
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

LinearBasis basisAlong(std::span<const float> points, int dims, std::vector<std::vector<double>> directions) {
    Eigen::MatrixXd centred;
    LinearBasis basis = emptyBasis(points, dims, directions.size(), centred);
    const double total = centred.squaredNorm();
    for (std::size_t a = 0; a < directions.size(); ++a) {
        KURVE_CHECK(directions[a].size() == basis.mean.size(), "direction of {} dims", directions[a].size());
        Eigen::Map<Eigen::VectorXd> axis = asVector(directions[a]);
        const double length = axis.norm();
        for (std::size_t b = 0; b < a; ++b) {
            const Eigen::Map<Eigen::VectorXd> before = asVector(basis.axes[b]);
            axis -= before.dot(axis) * before;
        }
        if (axis.norm() <= 1e-9 * length) continue;
        axis.normalize();
        basis.axes[a] = directions[a];
        if (total > 0) basis.explained[a] = (centred * axis).squaredNorm() / total;
    }
    return basis;
}

std::vector<double> discriminant(std::span<const float> a, std::span<const float> b, int dims,
                                 double shrinkage) {
    KURVE_CHECK(!a.empty() && !b.empty() && shrinkage >= 0 && shrinkage <= 1,
                "{} and {} numbers, shrinkage {}", a.size(), b.size(), shrinkage);
    Eigen::MatrixXd ofA, ofB;
    LinearBasis meanA = emptyBasis(a, dims, 1, ofA), meanB = emptyBasis(b, dims, 1, ofB);
    Eigen::VectorXd way = asVector(meanB.mean) - asVector(meanA.mean);
    const auto freedom = static_cast<double>(std::max<Eigen::Index>(1, ofA.rows() + ofB.rows() - 2));
    Eigen::MatrixXd within = (ofA.transpose() * ofA + ofB.transpose() * ofB) / freedom;
    const double variance = within.trace() / dims;
    within *= 1 - shrinkage;
    within.diagonal().array() += variance > 0 ? shrinkage * variance : 1;
    way = within.ldlt().solve(way);
    const double length = way.norm();
    if (length > 0) way /= length;
    return {way.begin(), way.end()};
}

std::vector<std::vector<double>> randomDirections(int dims, int count, std::uint64_t seed) {
    RandomStream stream(seed, "curve.basis");
    std::vector<std::vector<double>> directions(static_cast<std::size_t>(count));
    for (auto& direction : directions)
        for (int i = 0; i < dims; ++i) direction.push_back(stream.normal());
    return directions;
}

void alignSigns(LinearBasis& basis, const LinearBasis& former) {
    if (former.dims != basis.dims) return;
    for (std::size_t a = 0; a < std::min(basis.axes.size(), former.axes.size()); ++a)
        if (asVector(basis.axes[a])
                .dot(Eigen::Map<const Eigen::VectorXd>(former.axes[a].data(),
                                                       static_cast<Eigen::Index>(former.axes[a].size()))) < 0)
            asVector(basis.axes[a]) *= -1;
}

}  // namespace kurve::curve
