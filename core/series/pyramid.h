#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "core/base/growing_list.h"

namespace kurve::series {

/// Extent of a stretch of a curve: exact, never sampled. A stretch without finite points has min > max.
struct Extent {
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double minPositive =
        std::numeric_limits<double>::infinity();  ///< smallest value > 0: the bottom on a log axis
    std::size_t notFinite = 0;                    ///< NaN and infinities, to be marked

    void add(double y);
    void add(const Extent& other);
    [[nodiscard]] bool empty() const { return min > max; }
};

/// One pixel column of a drawn curve: the points with edge[i] <= x < edge[i+1] (the last column includes its
/// end).
struct Column {
    Extent extent;
    std::size_t begin = 0, end = 0;  ///< indices of its points; begin == end: no point here
    double first = 0, last = 0;  ///< first and last finite y (what neighbours are joined with); 0 if empty
};

/// How many finite points lie under and over a range.
struct Beyond {
    std::size_t below = 0, above = 0;

    void add(const Beyond& other);
    bool operator==(const Beyond&) const = default;
};

/// Min/max pyramid over a growing curve: a column costs O(log n) at any zoom, a point 2 bytes besides its x
/// and y. x must not fall; a smaller one (a clock that was set back) is drawn at its predecessor's x. Not
/// thread-safe while appending.
class Pyramid {
public:
    void append(double x, double y);
    void append(std::span<const double> x, std::span<const double> y);
    /// The points of two equally long lists, which begin with those that it has; shares their storage.
    void share(const GrowingList<double>& x, const GrowingList<double>& y);
    /// Appends y at the next x of another pyramid, up to its last one; shares its x.
    void appendAlong(const Pyramid& keys, std::span<const double> y);
    void clear();

    [[nodiscard]] std::size_t size() const { return x_.size(); }
    [[nodiscard]] std::span<const double> x() const { return x_; }  ///< valid until the next change, as y()
    [[nodiscard]] std::span<const double> y() const { return y_; }

    /// Exact extent of the points with indices [begin, end).
    [[nodiscard]] Extent extent(std::size_t begin, std::size_t end) const;
    /// Exact number of the finite points with indices [begin, end) outside of [low, high]. Blocks that lie
    /// wholly on one side are not opened: cheap where few points lie outside.
    [[nodiscard]] Beyond beyond(std::size_t begin, std::size_t end, double low, double high) const;
    /// Index of the first point with x >= value (size() if none).
    [[nodiscard]] std::size_t lowerBound(double value) const;
    /// One column for each pair of neighbouring edges; edges rise. See linearEdges and logEdges.
    [[nodiscard]] std::vector<Column> columns(std::span<const double> edges) const;

private:
    static constexpr std::size_t kFan = 16;
    /// Of block `index` of points (level 0: single points) or of sums of them.
    [[nodiscard]] Beyond blockBeyond(std::size_t level, std::size_t index, double low, double high) const;
    void appendKeys(std::span<const double> x);
    void sumBlocks();
    GrowingList<double> x_, y_;
    bool raised_ = false;  ///< some x was smaller than its predecessor: x_ is its own
    std::vector<std::vector<Extent>>
        levels_;  ///< levels_[k][i] covers points [i, i+1) * kFan^(k+1), full blocks only
};

/// count + 1 edges of equal width (or equal ratio: 0 < low) from low to high.
[[nodiscard]] std::vector<double> linearEdges(double low, double high, int count);
[[nodiscard]] std::vector<double> logEdges(double low, double high, int count);

}  // namespace kurve::series
