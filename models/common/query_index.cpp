#include "models/common/query_index.h"

#include <torch/torch.h>

#include <algorithm>
#include <span>
#include <vector>

#include "core/base/check.h"
#include "models/common/padding.h"

namespace kurve::models {
namespace {

/// For each query its rank among those of its row, and the largest number of queries in a row.
struct Ranks {
    std::vector<std::int64_t> ofQuery;
    std::int64_t columns = 0;
};

Ranks ranksOf(std::span<const std::int64_t> positions, const BatchShape& shape) {
    Ranks ranks;
    ranks.ofQuery.reserve(positions.size());
    std::vector<std::int64_t> counts(static_cast<std::size_t>(shape.rows));
    for (const std::int64_t position : positions) {
        KURVE_CHECK(position >= 0 && position < shape.rows * shape.width, "position {} of {} x {}", position,
                    shape.rows, shape.width);
        ranks.ofQuery.push_back(counts[static_cast<std::size_t>(position / shape.width)]++);
    }
    ranks.columns = *std::max_element(counts.begin(), counts.end());
    return ranks;
}

}  // namespace

QueryIndex queryIndex(const at::Tensor& flatPositions, const BatchShape& shape, c10::Device device) {
    KURVE_CHECK(flatPositions.scalar_type() == at::kLong && flatPositions.dim() == 1 &&
                    flatPositions.numel() > 0 && shape.rows > 0,
                "{} positions of {} rows", flatPositions.numel(), shape.rows);
    const at::Tensor host = flatPositions.cpu().contiguous();
    const std::span positions(host.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(host.numel()));
    const Ranks ranks = ranksOf(positions, shape);
    const auto cells = static_cast<std::size_t>(shape.rows * ranks.columns);
    std::vector<std::int64_t> row, cell, query(cells), position(cells, positions[0] % shape.width);
    for (std::size_t k = 0; k < positions.size(); ++k) {
        row.push_back(positions[k] / shape.width);
        cell.push_back(row[k] * ranks.columns + ranks.ofQuery[k]);
        query[static_cast<std::size_t>(cell[k])] = static_cast<std::int64_t>(k);
        position[static_cast<std::size_t>(cell[k])] = positions[k] % shape.width;
    }
    const auto moved = [&](std::span<const std::int64_t> values) { return toDevice(values, device); };
    return {shape.rows,  ranks.columns, moved(positions), moved(row),
            moved(cell), moved(query),  moved(position)};
}

}  // namespace kurve::models
