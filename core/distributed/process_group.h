#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/distributed/rank_environment.h"
#include "core/distributed/shard.h"

namespace kurve::distributed {

/// Another rank ended, or cannot be reached any more: thrown by every operation of a group.
class RankLost : public std::exception {
public:
    explicit RankLost(Error error) : error_(std::move(error)), text_(error_.text()) {}
    [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }
    [[nodiscard]] const Error& error() const { return error_; }

private:
    Error error_;
    std::string text_;
};

struct JoinRequest {
    RankEnvironment environment;  ///< port 0, of rank 0: take a free one
    double seconds = 300;         ///< to wait for the others
    /// Of rank 0: the port is open, ranks can be started; and while it waits, an error ends that.
    std::function<Status(std::uint16_t port)> onListening = {};
    std::function<Status()> whileWaiting = {};
    bool sharedMemory = true;  ///< of rank 0 and all: false: through the network also on one machine
    bool gpus = false;         ///< of all: blocks are in the memory of a GPU, one for each rank
};

/// Several processes that compute one thing, one operation at a time and in the same order on all. They find
/// each other by LibTorch's TCPStore; blocks of the host go through memory where all are on one machine, else
/// by its Gloo, blocks of GPUs from GPU to GPU by its NCCL. A thread of its own tells the
/// others twice a second that this process lives, so a rank may wait for any time (a paused run), and a
/// process that is killed or suspended, or whose machine is gone, is found and named; one that computes
/// without an end is not. Used from one thread.
class ProcessGroup {
public:
    /// Waits for all ranks. Errors: distributed.port (rank 0's is taken), distributed.unreachable (the store,
    /// or ranks, which are named), distributed.environment (another world size, a rank twice),
    /// distributed.rank_lost (one gave up), distributed.nccl (it cannot be loaded), those of the request's
    /// functions.
    static Result<std::shared_ptr<ProcessGroup>> join(const JoinRequest& request);
    ~ProcessGroup();
    ProcessGroup(const ProcessGroup&) = delete;
    ProcessGroup& operator=(const ProcessGroup&) = delete;

    [[nodiscard]] int rank() const;
    [[nodiscard]] int size() const;
    /// How many of the ranks are on this machine, this one included. Throws RankLost.
    [[nodiscard]] int sizeHere();

    /// Blocks are contiguous, of one size and type on all ranks, and are changed in place. Sums of blocks of
    /// the host are added in the order of the ranks: the same bits in every run of as many, on however many
    /// machines, by whichever operation; on GPUs NCCL chooses the order, by the machines. NaN and infinities
    /// as addition has them.
    ///
    /// The sum over all ranks, on every rank: for few numbers, as each rank receives those of all.
    void allReduce(const at::Tensor& block);
    /// The sum in this rank's shard of the block (shardOf()); the rest is left as it is.
    void reduceScatter(const at::Tensor& block);
    /// Every rank's shard.
    void allGather(const at::Tensor& block);
    /// Begins reduceScatter() of a block and returns: the caller may compute, but touch neither the block nor
    /// this group until finishReductions(). From any thread, on a GPU the one whose stream has computed the
    /// block.
    void startReduceScatter(const at::Tensor& block);
    /// The same, and allGather() behind it: every rank gets the sum.
    void startAllReduce(const at::Tensor& block);
    void finishReductions();
    /// Whether the processor is free while a reduction goes on: not while it copies through shared memory.
    [[nodiscard]] bool reducesInBackground() const;
    /// That of rank `root`.
    void broadcast(const at::Tensor& block, int root = 0);
    /// Rank 0's; what the others give is not read.
    [[nodiscard]] std::string broadcast(const std::string& text);
    /// Everyone's, by rank, on all. One exchange where no text is longer than any before.
    [[nodiscard]] std::vector<std::string> allGather(const std::string& text);

    /// Rank 0 says that something is done, for which the others wait however long it takes.
    void announce(const std::string& what);
    void awaitAnnouncement(const std::string& what);

    /// Tells the others why this rank ends: what their RankLost says. Never throws.
    void abort(const Error& reason) noexcept;
    /// After a RankLost: no operation is possible any more.
    [[nodiscard]] bool broken() const;
    /// Seconds that this rank spent in operations since the last call: waiting for others, and exchanging.
    [[nodiscard]] double takeWaiting();

private:
    struct Connection;
    explicit ProcessGroup(std::unique_ptr<Connection> connection);
    std::unique_ptr<Connection> connection_;
};

}  // namespace kurve::distributed
