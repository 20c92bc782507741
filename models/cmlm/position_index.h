#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kurve::models::cmlm {

/// Some positions of a batch as columns of a narrower one, with their neighbours beside them.
struct PositionIndex {
    std::int64_t width = 0;  ///< columns A
    std::vector<std::int64_t>
        from;  ///< [rows * A] flat positions of the batch; unused columns: the row's first
    std::vector<std::int64_t> own, left,
        right;  ///< [positions] flat columns of the index; the latter two if reach is 1
};
struct IndexShape {
    std::int64_t rows = 0, width = 0;  ///< of the batch
    int reach = 0;                     ///< 1: each position's neighbours get a column too
};

/// `positions`: flat, row * width + column, ascending, at least one; with a reach none in the first or last
/// column.
[[nodiscard]] PositionIndex positionIndex(std::span<const std::int64_t> positions, const IndexShape& shape);

}  // namespace kurve::models::cmlm
