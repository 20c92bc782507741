#include "models/cmlm/place_grid.h"

#include <algorithm>

#include "core/base/check.h"

namespace kurve::models::cmlm {

PlaceGrid gridOf(std::span<const std::int64_t> places, const GridShape& shape) {
    KURVE_CHECK(!places.empty(), "a grid of no places");
    std::vector<std::vector<std::int64_t>> columns(static_cast<std::size_t>(shape.rows));  // wanted, by row
    for (const std::int64_t place : places) {
        auto& row = columns[static_cast<std::size_t>(place / shape.width)];
        for (std::int64_t near = place - shape.reach; near <= place + shape.reach; ++near)
            if (row.empty() || row.back() < near) row.push_back(near);
    }
    PlaceGrid grid;
    for (const auto& row : columns) grid.width = std::max(grid.width, static_cast<std::int64_t>(row.size()));
    for (std::size_t r = 0; r < columns.size(); ++r) {
        const std::int64_t first = static_cast<std::int64_t>(r) * shape.width;
        for (std::size_t c = 0; c < static_cast<std::size_t>(grid.width); ++c)
            grid.from.push_back(c < columns[r].size() ? columns[r][c] : first);
    }
    for (const std::int64_t place : places) {
        const std::int64_t r = place / shape.width;
        const auto& row = columns[static_cast<std::size_t>(r)];
        const std::int64_t at =
            r * grid.width + (std::lower_bound(row.begin(), row.end(), place) - row.begin());
        grid.own.push_back(at);
        if (shape.reach == 0) continue;
        grid.left.push_back(at - 1);
        grid.right.push_back(at + 1);
    }
    return grid;
}

}  // namespace kurve::models::cmlm
