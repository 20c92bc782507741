// What a trainer does with those of other processes.
#include <nlohmann/json.hpp>

#include "core/tensor/ops/sum_of_squares.h"
#include "core/train/rank_commands.h"
#include "core/train/session_link.h"
#include "core/train/trainer.h"

namespace kurve::train {
namespace {

/// Changes with every write to one of them.
std::int64_t versionOfBuffers(torch::nn::Module& module) {
    std::int64_t version = 0;
    for (const auto& buffer : module.buffers()) version += static_cast<std::int64_t>(buffer._version());
    return version;
}

}  // namespace

void Trainer::receiveBuffers() {
    const torch::NoGradGuard noGrad;
    for (auto& buffer : model().module().buffers()) maybeGroup_->broadcast(buffer);
    sharedBuffers_ = versionOfBuffers(model().module());
}

void Trainer::shareState() {
    const torch::NoGradGuard noGrad;
    const FlatParameters& all = parameters();
    maybeGroup_->broadcast(all.values());
    const at::Tensor mean = shared(optimizer_->mean()), square = shared(optimizer_->square());
    optimizer_->hold(sharded_ ? shard_ : optimizer_->held(), mean, square);
    if (averaged_.defined()) averaged_ = shared(averaged_);
    for (const auto& [name, tensor] : all.frozen()) maybeGroup_->broadcast(tensor);
    receiveBuffers();
    const nlohmann::json progress =
        nlohmann::json::parse(maybeGroup_->broadcast(nlohmann::json{steps_, model().history()}.dump()));
    if (maybeGroup_->rank() > 0) {
        setSteps(progress.at(0).get<std::int64_t>());
        model().setHistory(progress.at(1).get<std::map<std::string, double>>());
    }
    shared_ = true;
}

// Without a group it is all.
FlatParts Trainer::shardOf(int rank) const {
    if (!maybeGroup_) return FlatParts({{0, gradients_.numel()}});
    return FlatParts(distributed::shardsOf(buckets_, rank, ranks()));
}

void Trainer::allGather(const at::Tensor& block) {
    for (const auto& [first, count] : buckets_) maybeGroup_->allGather(block.narrow(0, first, count));
}

at::Tensor Trainer::squareOfShard() const {
    at::Tensor square = at::zeros({}, gradients_.options());
    for (const auto& [first, count] : shard_.parts())
        square += tensor::sumOfSquares(gradients_.narrow(0, first, count));
    return square;
}

// Rank 0 has it whole before, each rank what it is to hold afterwards.
at::Tensor Trainer::shared(const at::Tensor& held) {
    if (!sharded_) {
        maybeGroup_->broadcast(held);
        return held;
    }
    at::Tensor own;
    for (int rank = 0; rank < ranks(); ++rank) {
        const FlatParts parts = shardOf(rank);
        const at::Tensor shard =
            maybeGroup_->rank() == 0 ? parts.gather(held) : at::empty({parts.count()}, held.options());
        maybeGroup_->broadcast(shard);
        if (rank == maybeGroup_->rank()) own = shard;
    }
    return own;
}

// An error of this rank alone ends all: the others are in the middle of it and take no other order.
at::Tensor Trainer::collected(const at::Tensor& held) try {
    const bool takes = maybeGroup_->rank() == 0;
    const at::Tensor whole = takes ? at::empty_like(gradients_) : at::Tensor();
    for (int rank = 0; rank < ranks(); ++rank) {
        const FlatParts parts = shardOf(rank);
        const at::Tensor shard =
            rank == maybeGroup_->rank() ? held : at::empty({parts.count()}, held.options());
        maybeGroup_->broadcast(shard, rank);
        if (takes) parts.scatter(shard, whole);
    }
    return whole;
} catch (const distributed::RankLost&) {
    throw;
} catch (const std::exception& error) {
    const Error reason = errorOf(error);
    maybeGroup_->abort(reason);
    throw distributed::RankLost(reason);
}

at::Tensor Trainer::wholeAverage() {
    if (!sharded_ || !shared_ || !averaged_.defined()) return averaged_;
    const torch::NoGradGuard noGrad;
    if (leads()) sendCommand(*maybeGroup_, {.kind = RankCommand::Kind::GiveAverage});
    return collected(averaged_);
}

std::pair<at::Tensor, at::Tensor> Trainer::wholeMoments() {
    if (!sharded_ || !shared_) return {optimizer_->mean(), optimizer_->square()};
    const torch::NoGradGuard noGrad;
    if (leads()) sendCommand(*maybeGroup_, {.kind = RankCommand::Kind::GiveMoments});
    const at::Tensor mean = collected(optimizer_->mean());
    return {mean, collected(optimizer_->square())};
}

void Trainer::commandStep(const std::vector<text::Batch>& batches, double learningRate) {
    const bool buffers = versionOfBuffers(model().module()) != sharedBuffers_;
    sendCommand(*maybeGroup_, {RankCommand::Kind::Step,
                               learningRate,
                               {batches.front().epoch, batches.front().index},
                               static_cast<std::int64_t>(batches.size()),
                               buffers,
                               keepsGradients_,
                               {}});
    if (buffers) receiveBuffers();
}

void Trainer::setConfig(RunConfig config) {
    config_ = std::move(config);
    if (leads())
        sendCommand(*maybeGroup_, {.kind = RankCommand::Kind::Configure, .config = config_.canonicalText()});
}

BucketedReduction* Trainer::reductionDuringBackward() const {
    // It writes gradients several times, and of parameters that the graph of the loss does not show.
    return config_.flag("train.activation_checkpointing") ? nullptr : maybeReduction_.get();
}

StepSums Trainer::computeWithRanks(const std::vector<BatchPart>& parts) {
    StepSums sums = computeParts(parts);
    exchange_->endComputing();
    const torch::NoGradGuard noGrad;
    if (BucketedReduction* reduction = reductionDuringBackward()) {
        reduction->finish();
    } else if (sharded_) {
        for (const auto& [first, count] : buckets_)
            maybeGroup_->reduceScatter(gradients_.narrow(0, first, count));
    } else {  // each bucket would cost exchanges of its own
        maybeGroup_->reduceScatter(gradients_);
        maybeGroup_->allGather(gradients_);
    }
    sums.gradientSquare = squareOfShard();
    exchange_->combine(sums);
    return sums;
}

}  // namespace kurve::train
