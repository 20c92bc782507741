// What a trainer does with those of other processes.
#include <nlohmann/json.hpp>

#include "core/tensor/ops/sum_of_squares.h"
#include "core/train/rank_commands.h"
#include "core/train/session_link.h"
#include "core/train/trainer.h"

namespace kurve::train {
namespace {

/// By buffer; changes with every write to it.
std::vector<std::int64_t> versionsOfBuffers(torch::nn::Module& module) {
    std::vector<std::int64_t> versions;
    for (const at::Tensor& buffer : module.buffers())
        versions.push_back(static_cast<std::int64_t>(buffer._version()));
    return versions;
}

}  // namespace

// Rank 0 says first which of them have changed: a mean that every loss moves must not take tables along. It
// has at least as many parts of a step as any other, so no other changes one that it leaves as it is.
void Trainer::receiveBuffers() {
    const torch::NoGradGuard noGrad;
    const std::vector<at::Tensor> buffers = model().module().buffers();
    const std::vector<std::int64_t> versions = versionsOfBuffers(model().module());
    const at::Tensor changed = at::ones({static_cast<std::int64_t>(buffers.size())}, at::kByte);
    auto* const flags = changed.data_ptr<std::uint8_t>();
    for (std::size_t i = 0; i < sharedBuffers_.size(); ++i)
        flags[i] = versions[i] == sharedBuffers_[i] ? 0 : 1;
    maybeGroup_->broadcast(changed);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        if (flags[i] != 0) maybeGroup_->broadcast(buffers[i]);
    sharedBuffers_ = versionsOfBuffers(model().module());
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
    const bool buffers = versionsOfBuffers(model().module()) != sharedBuffers_;
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
