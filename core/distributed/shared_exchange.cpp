#include <ATen/ops/from_blob.h>

#include <algorithm>

#include "core/distributed/exchange.h"

namespace kurve::distributed {
namespace {

/// Elements of a slot's memory, beginning at the `first`-th.
at::Tensor viewOf(std::byte* slot, std::int64_t first, std::int64_t count, const at::Tensor& like) {
    return at::from_blob(slot + first * static_cast<std::int64_t>(like.element_size()), {count},
                         at::dtype(like.dtype()));
}

std::int64_t elementsIn(std::size_t bytes, const at::Tensor& like) {
    return static_cast<std::int64_t>(bytes / like.element_size());
}

}  // namespace

void SharedExchange::meet() {
    slots_->arrive();
    await_(*slots_);
}

void SharedExchange::broadcast(const at::Tensor& block, int root) {
    const std::int64_t room = elementsIn(SharedSlots::kSlotBytes, block);
    for (std::int64_t first = 0; first < block.numel(); first += room) {
        const at::Tensor piece = block.narrow(0, first, std::min(room, block.numel() - first));
        const bool gives = slots_->rank() == root;
        if (gives) viewOf(slots_->own(), 0, piece.numel(), block).copy_(piece);
        meet();
        if (!gives) piece.copy_(viewOf(slots_->of(root), 0, piece.numel(), block));
    }
}

void SharedExchange::allGather(const at::Tensor& own, const std::vector<std::int64_t>& counts,
                               const Take& take) {
    const std::int64_t room = elementsIn(SharedSlots::kSlotBytes, own);
    const std::int64_t longest = *std::max_element(counts.begin(), counts.end());
    for (std::int64_t first = 0; first < longest; first += room) {
        const auto countOf = [&](int rank) {
            return std::clamp<std::int64_t>(counts[static_cast<std::size_t>(rank)] - first, 0, room);
        };
        if (const std::int64_t count = countOf(slots_->rank()); count > 0)
            viewOf(slots_->own(), 0, count, own).copy_(own.narrow(0, first, count));
        meet();
        for (int rank = 0; rank < slots_->size(); ++rank)
            if (const std::int64_t count = countOf(rank); count > 0)
                take(rank, first, viewOf(slots_->of(rank), 0, count, own));
    }
}

// A slot is divided among those who read it.
void SharedExchange::scatter(const at::Tensor& block, const Take& take) {
    const int size = slots_->size(), self = slots_->rank();
    const std::int64_t room =
        elementsIn(SharedSlots::kSlotBytes, block) / (size * kShardAlignment) * kShardAlignment;
    for (std::int64_t first = 0; first < shardOf(block.numel(), 0, size).count; first += room) {
        const auto pieceOf = [&](int rank) {
            const Shard shard = shardOf(block.numel(), rank, size);
            const std::int64_t count = std::clamp<std::int64_t>(shard.count - first, 0, room);
            return block.narrow(0, std::min(block.numel(), shard.first + first), count);
        };
        for (int to = 0; to < size; ++to)
            if (const at::Tensor piece = pieceOf(to); to != self && piece.numel() > 0)
                viewOf(slots_->own(), to * room, piece.numel(), block).copy_(piece);
        meet();
        const std::int64_t count = pieceOf(self).numel();
        for (int from = 0; from < size && count > 0; ++from)
            if (from != self) take(from, first, viewOf(slots_->of(from), self * room, count, block));
    }
}

}  // namespace kurve::distributed
