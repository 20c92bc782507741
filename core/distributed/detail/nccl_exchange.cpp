// A library of its own, libkurve_nccl.so, loaded where several ranks compute on GPUs. It links to LibTorch
// alone.
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <cstdlib>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "core/distributed/detail/device_exchange.h"
#include "core/distributed/shard.h"

namespace kurve::distributed::detail {
namespace {

static_assert(NCCL_VERSION_CODE / 100 == 228,
              "LibTorch 2.11.0 was built with NCCL 2.28; with another its classes have other members");

using Work = c10::intrusive_ptr<c10d::Work>;
using Tensors = std::vector<at::Tensor>;

class NcclExchange : public DeviceExchange {
public:
    NcclExchange(const StorePointer& store, int rank, int size) : size_(size) {
        auto options = c10d::ProcessGroupNCCL::Options::create();
        options->timeout = std::chrono::hours(24 * 365);  // heartbeats say who is gone
        nccl_ = c10::make_intrusive<c10d::ProcessGroupNCCL>(
            c10::make_intrusive<c10d::PrefixStore>("nccl", store), rank, size, options);
    }

    void allReduce(const at::Tensor& block) override {
        const c10::DeviceGuard device(block.device());
        Tensors tensors{block};
        begun_.push_back(nccl_->allreduce(tensors));
    }

    void reduceScatter(const at::Tensor& block) override {
        if (dividesEvenly(block)) {
            const c10::DeviceGuard device(block.device());
            at::Tensor own = ownShard(block), whole = block;
            begun_.push_back(nccl_->_reduce_scatter_base(own, whole));
            return;
        }
        together(block, c10d::OpType::REDUCE_SCATTER, [this](Tensors& shard, int rank) {
            c10d::ReduceOptions options;
            options.rootRank = rank;
            nccl_->reduce(shard, options);
        });
    }

    void allGather(const at::Tensor& block) override {
        if (dividesEvenly(block)) {
            const c10::DeviceGuard device(block.device());
            at::Tensor own = ownShard(block), whole = block;
            begun_.push_back(nccl_->_allgather_base(whole, own));
            return;
        }
        together(block, c10d::OpType::ALLGATHER, [this](Tensors& shard, int rank) {
            c10d::BroadcastOptions options;
            options.rootRank = rank;
            nccl_->broadcast(shard, options);
        });
    }

    void broadcast(const at::Tensor& block, int root) override {
        const c10::DeviceGuard device(block.device());
        Tensors tensors{block};
        c10d::BroadcastOptions options;
        options.rootRank = root;
        begun_.push_back(nccl_->broadcast(tensors, options));
    }

    bool ended() override {
        return std::all_of(begun_.begin(), begun_.end(), [](const Work& work) {
            if (!work->isCompleted()) return false;
            // Not isSuccess(), which throws that it is not implemented.
            if (const std::exception_ptr failure = work->exception()) std::rethrow_exception(failure);
            return true;
        });
    }

    void await() override {
        for (const Work& work : begun_) work->wait();
        begun_.clear();
    }

    void abort() override { nccl_->abort(); }

private:
    /// Where shards have one size NCCL has one operation for all, and in place.
    [[nodiscard]] bool dividesEvenly(const at::Tensor& block) const {
        return block.numel() % (size_ * kShardAlignment) == 0;
    }
    [[nodiscard]] at::Tensor ownShard(const at::Tensor& block) const {
        const Shard own = shardOf(block.numel(), nccl_->getRank(), size_);
        return block.view({-1}).narrow(0, own.first, own.count);
    }
    /// One operation for each rank's shard, which differ in size, in one launch.
    template <class Operation>
    void together(const at::Tensor& block, c10d::OpType type, const Operation& operation) {
        const c10::DeviceGuard device(block.device());
        nccl_->startCoalescing();
        for (int rank = 0; rank < size_; ++rank) {
            const Shard shard = shardOf(block.numel(), rank, size_);
            Tensors tensors{block.view({-1}).narrow(0, shard.first, shard.count)};
            if (shard.count > 0) operation(tensors, rank);
        }
        begun_.push_back(nccl_->endCoalescing(type));
    }

    int size_;
    c10::intrusive_ptr<c10d::ProcessGroupNCCL> nccl_;
    std::vector<Work> begun_;
};

}  // namespace
}  // namespace kurve::distributed::detail

extern "C" __attribute__((visibility("default"))) kurve::distributed::detail::DeviceExchange*
kurveMakeNcclExchange(const kurve::distributed::detail::StorePointer& store, int rank, int size) {
    // Its threads would end the process where a rank is lost, before a checkpoint is saved.
    ::setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0", /*replace=*/0);
    ::setenv("TORCH_NCCL_ENABLE_MONITORING", "0", /*replace=*/0);
    return new kurve::distributed::detail::NcclExchange(store, rank, size);
}
