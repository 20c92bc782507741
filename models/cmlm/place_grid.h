#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kurve::models::cmlm {

/// Some places of a batch as columns of a narrower one, with their neighbours beside them.
struct PlaceGrid {
    std::int64_t width = 0;  ///< columns A
    std::vector<std::int64_t>
        from;  ///< [rows * A] flat places of the batch; short of places: the batch row's first
    std::vector<std::int64_t> own, left,
        right;  ///< [places] flat places of the grid; the latter if reach is 1
};
struct GridShape {
    std::int64_t rows = 0, width = 0;  ///< of the batch
    int reach = 0;                     ///< 1: each place's neighbours get a column too
};

/// `places`: flat, row * width + column, ascending, at least one; with a reach none in the first or last
/// column.
[[nodiscard]] PlaceGrid gridOf(std::span<const std::int64_t> places, const GridShape& shape);

}  // namespace kurve::models::cmlm
