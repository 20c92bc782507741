#pragma once

#include <cstdint>

namespace kurve::distributed {

/// Elements [first, first + count) of a block.
struct Shard {
    std::int64_t first = 0, count = 0;
};
/// The part of a block of `numel` elements that belongs to a rank: nearly equal ones, aligned to 16 elements;
/// the last may be shorter, or empty.
[[nodiscard]] Shard shardOf(std::int64_t numel, int rank, int size);

}  // namespace kurve::distributed
