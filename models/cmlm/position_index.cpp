#include "models/cmlm/position_index.h"

#include <algorithm>

#include "core/base/check.h"

namespace kurve::models::cmlm {

PositionIndex positionIndex(std::span<const std::int64_t> positions, const IndexShape& shape) {
    KURVE_CHECK(!positions.empty(), "an index of no positions");
    std::vector<std::vector<std::int64_t>> columns(static_cast<std::size_t>(shape.rows));  // wanted, by row
    for (const std::int64_t position : positions) {
        auto& row = columns[static_cast<std::size_t>(position / shape.width)];
        for (std::int64_t near = position - shape.reach; near <= position + shape.reach; ++near)
            if (row.empty() || row.back() < near) row.push_back(near);
    }
    PositionIndex index;
    for (const auto& row : columns)
        index.width = std::max(index.width, static_cast<std::int64_t>(row.size()));
    for (std::size_t r = 0; r < columns.size(); ++r) {
        const std::int64_t first = static_cast<std::int64_t>(r) * shape.width;
        for (std::size_t c = 0; c < static_cast<std::size_t>(index.width); ++c)
            index.from.push_back(c < columns[r].size() ? columns[r][c] : first);
    }
    for (const std::int64_t position : positions) {
        const std::int64_t r = position / shape.width;
        const auto& row = columns[static_cast<std::size_t>(r)];
        const std::int64_t at =
            r * index.width + (std::lower_bound(row.begin(), row.end(), position) - row.begin());
        index.own.push_back(at);
        if (shape.reach == 0) continue;
        index.left.push_back(at - 1);
        index.right.push_back(at + 1);
    }
    return index;
}

}  // namespace kurve::models::cmlm
