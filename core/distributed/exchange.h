#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "core/distributed/shard.h"
#include "core/distributed/shared_slots.h"

namespace kurve::distributed {

/// Elements [first, first + n) of what a rank gave.
using Take = std::function<void(int rank, std::int64_t first, const at::Tensor& values)>;

/// Moves blocks of the host's memory between the ranks; sums are the caller's, so that they have the same
/// bits whatever moves them. Blocks are flat. All ranks call the same function with blocks of one size and
/// type. For any element the ranks are taken in ascending order.
class Exchange {
public:
    virtual ~Exchange() = default;
    /// Rank `root`'s, in place.
    virtual void broadcast(const at::Tensor& block, int root) = 0;
    /// Of every rank `counts[rank]` elements, which it gives as `own`; all are taken, its own too.
    virtual void allGather(const at::Tensor& own, const std::vector<std::int64_t>& counts,
                           const Take& take) = 0;
    /// Of every other rank the shard of its block that belongs to this one.
    virtual void scatter(const at::Tensor& block, const Take& take) = 0;
};

/// Through memory, between the processes of one machine.
class SharedExchange : public Exchange {
public:
    /// await(): returns when all ranks have arrived at the slots, or throws.
    SharedExchange(std::unique_ptr<SharedSlots> slots, std::function<void(SharedSlots&)> await)
        : slots_(std::move(slots)), await_(std::move(await)) {}
    void broadcast(const at::Tensor& block, int root) override;
    void allGather(const at::Tensor& own, const std::vector<std::int64_t>& counts, const Take& take) override;
    void scatter(const at::Tensor& block, const Take& take) override;

private:
    void meet();
    std::unique_ptr<SharedSlots> slots_;
    std::function<void(SharedSlots&)> await_;
};

}  // namespace kurve::distributed
