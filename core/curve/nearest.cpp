#include "core/curve/nearest.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.h"

namespace kurve::curve {
namespace {

using Floats = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<const Floats>;

View view(std::span<const float> numbers, int dims) {
    return {numbers.data(), static_cast<Eigen::Index>(numbers.size()) / dims, dims};
}

std::span<const float> rowOf(std::span<const float> numbers, int row, int length) {
    return numbers.subspan(static_cast<std::size_t>(row) * static_cast<std::size_t>(length),
                           static_cast<std::size_t>(length));
}

}  // namespace

EmbeddingTable::EmbeddingTable(std::vector<float> rows, int dims) : rows_(std::move(rows)), dims_(dims) {
    KURVE_CHECK(dims > 0 && rows_.size() % static_cast<std::size_t>(dims) == 0, "{} numbers in rows of {}",
                rows_.size(), dims);
    const Eigen::VectorXf norms = view(rows_, dims).rowwise().squaredNorm();
    norms_.assign(norms.begin(), norms.end());
}

std::span<const float> EmbeddingTable::row(int at) const {
    return rowOf(rows_, at, dims_);
}

std::vector<Nearest> EmbeddingTable::nearest(std::span<const float> points, int count) const {
    const View given = view(points, dims_);
    // |x - e|^2 - |x|^2 = |e|^2 - 2 x.e, one product for all points.
    Floats scores = (-2 * given) * view(rows_, dims_).transpose();
    scores.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(norms_.data(), size());
    const int limit = std::min(count, size());
    std::vector<int> order(static_cast<std::size_t>(size()));
    std::vector<Nearest> found;
    for (Eigen::Index p = 0; p < given.rows(); ++p) {
        const auto closer = [&](int a, int b) {
            return scores(p, a) != scores(p, b) ? scores(p, a) < scores(p, b) : a < b;
        };
        std::iota(order.begin(), order.end(), 0);
        if (limit < size()) std::nth_element(order.begin(), order.begin() + limit, order.end(), closer);
        std::sort(order.begin(), order.begin() + limit, closer);
        const float own = given.row(p).squaredNorm();
        for (int i = 0; i < limit; ++i) {
            const int row = order[static_cast<std::size_t>(i)];
            found.push_back({row, std::sqrt(std::max(0.0F, scores(p, row) + own))});
        }
    }
    return found;
}

MovedNearest::MovedNearest(const EmbeddingTable& table, std::span<const float> points,
                           std::span<const float> directions)
    : table_(&table),
      points_(points.begin(), points.end()),
      directions_(directions.begin(), directions.end()) {
    const View rows = view(table.rows(), table.dims());
    Floats products = (-2 * view(points, table.dims())) * rows.transpose();
    products.rowwise() += Eigen::Map<const Eigen::RowVectorXf>(table.squaredNorms().data(), table.size());
    products_.assign(products.data(), products.data() + products.size());
    const Floats pull = (-2 * view(directions, table.dims())) * rows.transpose();
    directionProducts_.assign(pull.data(), pull.data() + pull.size());
}

Nearest MovedNearest::find(int point, std::span<const float> coefficients) const {
    using Vector = Eigen::Map<const Eigen::VectorXf>;
    const auto vector = [](std::span<const float> numbers) {
        return Vector(numbers.data(), static_cast<Eigen::Index>(numbers.size()));
    };
    const int size = table_->size(), dims = table_->dims();
    Eigen::VectorXf scores = vector(rowOf(products_, point, size)),
                    moved = vector(rowOf(points_, point, dims));
    for (std::size_t a = 0; a < coefficients.size(); ++a) {
        scores += coefficients[a] * vector(rowOf(directionProducts_, static_cast<int>(a), size));
        moved += coefficients[a] * vector(rowOf(directions_, static_cast<int>(a), dims));
    }
    Nearest found;
    Eigen::Index best = 0;
    scores.minCoeff(&best);
    found.row = static_cast<int>(best);
    found.distance = (moved - vector(table_->row(found.row))).norm();
    return found;
}

}  // namespace kurve::curve
