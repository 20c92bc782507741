#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kurve::distributed {

/// Elements [first, first + count) of a block.
struct Shard {
    std::int64_t first = 0, count = 0;
};

inline constexpr std::int64_t kShardAlignment = 16;  ///< elements, as FlatParameters has them

/// The part of a block of `numel` elements that belongs to a rank: nearly equal ones, aligned to 16 elements;
/// the last may be shorter, or empty.
[[nodiscard]] inline Shard shardOf(std::int64_t numel, int rank, int size) {
    const std::int64_t each =
        (numel + size * kShardAlignment - 1) / (size * kShardAlignment) * kShardAlignment;
    const std::int64_t first = std::min(numel, rank * each);
    return {first, std::min(each, numel - first)};
}

/// A rank's shard of each of the parts of a block, in their order; those that are empty are left out.
[[nodiscard]] inline std::vector<Shard> shardsOf(const std::vector<Shard>& parts, int rank, int size) {
    std::vector<Shard> shards;
    for (const Shard& part : parts)
        if (const Shard own = shardOf(part.count, rank, size); own.count > 0)
            shards.push_back({part.first + own.first, own.count});
    return shards;
}

}  // namespace kurve::distributed
