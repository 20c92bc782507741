#include "core/distributed/detail/gloo_exchange.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include "core/base/printable.h"

namespace kurve::distributed::detail {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kSlice{1000};  // how often a waiting rank looks whether others still live
constexpr milliseconds kForever = std::chrono::hours(24 * 365);  // beats, not Gloo's clock, say who is gone

class GlooExchange : public Exchange {
public:
    GlooExchange(c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo, RankMonitor& monitor)
        : gloo_(std::move(gloo)), monitor_(monitor) {}
    ~GlooExchange() override {
        // Its destructor waits for operations that wait for the rank that is gone.
        if (monitor_.broken()) (void)gloo_.release();
    }
    GlooExchange(const GlooExchange&) = delete;
    GlooExchange& operator=(const GlooExchange&) = delete;

    void broadcast(const at::Tensor& block, int root) override {
        std::vector<at::Tensor> tensors{block};
        c10d::BroadcastOptions options;
        options.rootRank = root;
        finish(gloo_->broadcast(tensors, options));
    }

    void allGather(const at::Tensor& own, const std::vector<std::int64_t>& counts,
                   const Take& take) override {
        const std::int64_t longest = *std::max_element(counts.begin(), counts.end());
        std::vector<at::Tensor> given{at::zeros({longest}, own.options())};
        given.front().narrow(0, 0, own.numel()).copy_(own);
        std::vector<std::vector<at::Tensor>> all(1);
        for (std::size_t rank = 0; rank < counts.size(); ++rank)
            all.front().push_back(at::empty({longest}, own.options()));
        finish(gloo_->allgather(all, given));
        for (std::size_t rank = 0; rank < counts.size(); ++rank)
            take(static_cast<int>(rank), 0, all.front()[rank].narrow(0, 0, counts[rank]));
    }

    void scatter(const at::Tensor& block, const Take& take) override {
        const int size = gloo_->getSize();
        const std::int64_t count = shardOf(block.numel(), gloo_->getRank(), size).count;
        std::vector<std::int64_t> given, taken(static_cast<std::size_t>(size), count);
        for (int rank = 0; rank < size; ++rank) given.push_back(shardOf(block.numel(), rank, size).count);
        at::Tensor all = at::empty({size * count}, block.options()), from = block;
        finish(gloo_->alltoall_base(all, from, taken, given));
        for (int rank = 0; rank < size; ++rank)
            if (rank != gloo_->getRank()) take(rank, 0, all.narrow(0, rank * count, count));
    }

private:
    void finish(const c10::intrusive_ptr<c10d::Work>& work) {
        for (bool done = false; !done;) {
            try {
                done = work->wait(kSlice);
            } catch (const std::exception& error) {
                const bool slicePassed = !work->isCompleted() || work->isSuccess();
                if (!slicePassed || monitor_.broken()) monitor_.fail(firstLine(error.what()));
            }
        }
    }
    c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo_;
    RankMonitor& monitor_;
};

std::shared_ptr<gloo::transport::Device> networkOf(const RankEnvironment& at) {
    if (const auto interface = environmentVariable("GLOO_SOCKET_IFNAME"))
        return c10d::ProcessGroupGloo::createDeviceForInterface(*interface);
    if (isLoopback(at.host)) return c10d::ProcessGroupGloo::createDeviceForHostname(kLoopback);
    return c10d::ProcessGroupGloo::createDefaultDevice();
}

}  // namespace

std::unique_ptr<Exchange> makeGlooExchange(const JoinRequest& request, const StorePointer& store,
                                           RankMonitor& monitor) {
    const RankEnvironment& at = request.environment;
    auto options = c10d::ProcessGroupGloo::Options::create(
        std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>(request.seconds)));
    options->devices.push_back(networkOf(at));
    auto gloo = c10::make_intrusive<c10d::ProcessGroupGloo>(
        c10::make_intrusive<c10d::PrefixStore>("gloo", store), at.rank, at.size, options);
    gloo->setTimeout(kForever);
    return std::make_unique<GlooExchange>(std::move(gloo), monitor);
}

}  // namespace kurve::distributed::detail
