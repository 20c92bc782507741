#pragma once

#include <memory>
#include <span>
#include <vector>

namespace kurve::curve {

/// The rows of a table that are nearest to a point, by distance.
struct Nearest {
    int row = -1;
    float distance = 0;
};

/// An embedding table [V, d] that is searched by exact Euclidean distance. Immutable: any thread.
class EmbeddingTable {
public:
    /// `rows`: V times d numbers.
    EmbeddingTable(std::vector<float> rows, int dims);
    [[nodiscard]] int size() const { return static_cast<int>(norms_.size()); }
    [[nodiscard]] int dims() const { return dims_; }
    [[nodiscard]] std::span<const float> rows() const { return rows_; }
    [[nodiscard]] std::span<const float> row(int at) const;
    [[nodiscard]] std::span<const float> squaredNorms() const { return norms_; }
    /// The `count` nearest rows of each point [n, d], nearest first: n times min(count, V) entries. One
    /// matrix product for all points: O(n V d).
    [[nodiscard]] std::vector<Nearest> nearest(std::span<const float> points, int count) const;

private:
    std::vector<float> rows_, norms_;
    int dims_;
};

/// Nearest rows of points that are moved along few directions that are known beforehand (a dragged control
/// point moves in the plane of the view): all inner products are computed once, O((n + a) V d), and a move
/// then costs O(a V) per point whatever d is. Exact. `table` must outlive it.
class MovedNearest {
public:
    /// `points` [n, d], `directions` [a, d], a <= 3.
    MovedNearest(const EmbeddingTable& table, std::span<const float> points,
                 std::span<const float> directions);
    /// The nearest row of point + sum of coefficients times directions.
    [[nodiscard]] Nearest find(int point, std::span<const float> coefficients) const;

private:
    const EmbeddingTable* table_;
    std::vector<float> points_, directions_;
    std::vector<float> products_;           ///< [n, V] squared norm of the row - 2 point.row
    std::vector<float> directionProducts_;  ///< [a, V] -2 direction.row
};

}  // namespace kurve::curve
