#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/train/adam.h"
#include "core/train/bucketed_reduction.h"
#include "core/train/device_batch.h"
#include "core/train/flat_parameters.h"
#include "core/train/model_family.h"
#include "core/train/replica_pool.h"
#include "core/train/step_exchange.h"

namespace kurve::train {

/// What one step gave. Tensors are scalars on the device; reading one is the only sync.
struct StepReport {
    std::int64_t step = 0;  ///< its number, from 1
    double learningRate = 0;
    std::int64_t targetTokens = 0;
    at::Tensor loss, gradientNorm;  ///< before clipping
    at::Tensor updateRatio;         ///< |change of the weights| / |weights|; undefined unless requested
    std::map<std::string, at::Tensor> parts;  ///< weighted like the loss
    std::vector<std::pair<at::Tensor, at::Tensor>>
        noiseLoss;    ///< (log-SNR, row loss), [B] each, in the order of the rows, of all ranks
    RankTimes times;  ///< empty in one process
};

/// model.loss() of a training step, with train.precision and train.activation_checkpointing. The backward
/// pass is the caller's, and outside.
[[nodiscard]] LossReport trainingLoss(SequenceModel& model, const DeviceBatch& batch,
                                      const StepRandom& random, const RunConfig& config);

/// Optimizer steps over models it was given. Alone it does no input or output and reads no clock; the same
/// inputs give the same weights, on a CPU bit for bit for a fixed number of models, threads and ranks. Used
/// from one thread.
///
/// Replicas: each model computes a part of every batch on its own thread; values are shared, gradients are
/// summed in the order of the replicas. A step whose loss or gradient is not finite changes nothing, and
/// neither do later ones.
///
/// Ranks: with a group every process has such a trainer and computes its parts of every batch; gradients and
/// losses are summed over all, and each updates its own copy of everything alike. Gradients are summed during
/// the backward pass where the group can, a process has one replica, and train.activation_checkpointing is
/// off. Rank 0's tells the others what to do (rank_commands.h): they step after it,
/// and wait until it ends or leaves the group: after an error of its own inside a step the caller does that.
/// A rank that is lost is a RankLost, and nothing has changed, unless the state is sharded(); nor has it
/// after another exception of step(), where steps() has not grown.
///
/// train.shard_optimizer: each rank has the moments and the averaged values of its shard alone, updates that,
/// and gets the values of the others' (ZeRO stage 1, Rajbhandari et al. 2020, section 5.1): the same bits. A
/// shard is a part of each bucket of the gradients, so that all ranks have as much to do of the sum of one.
class Trainer {
public:
    /// All models come from the same config and seed (makeModel()); the first one's values are used.
    /// threadsEach: for one operation. maybeGroup: all its ranks have as many models.
    Trainer(std::vector<std::unique_ptr<SequenceModel>> models, RunConfig config, c10::Device device,
            int threadsEach = 1, std::shared_ptr<distributed::ProcessGroup> maybeGroup = nullptr);
    /// Rank 0's lets the others end.
    ~Trainer();
    /// Once, by all ranks: they take everything of rank 0 that a checkpoint holds. From now on rank 0's
    /// sends commands.
    void shareState();
    /// Those of the module's buffers that rank 0 has changed, where its command says that some follow.
    void receiveBuffers();
    /// Whether every rank holds the optimizer's state of a shard alone: a lost rank takes it along.
    [[nodiscard]] bool sharded() const { return sharded_; }
    /// The averaged values (undefined if off) and both moments, laid out like the values. Of a sharded state
    /// rank 0 collects them while the others call the same function; they get nothing.
    [[nodiscard]] at::Tensor wholeAverage();
    [[nodiscard]] std::pair<at::Tensor, at::Tensor> wholeMoments();

    StepReport step(const std::vector<text::Batch>& batches, double learningRate, bool measureUpdate = false);

    /// The step that was not finite and the first offending tensor ("loss_diff", "gradient of
    /// decoder.out.weight"; or why it is not known), if there was one since construction. Syncs; at least
    /// every 64 steps, for the batches since are kept for it.
    struct NonFinite {
        std::int64_t step = 0;
        std::string tensor;
    };
    std::optional<NonFinite> nonFinite();
    /// Clears it: training continues with the next batch and the number of the step that failed.
    void clearNonFinite();

    [[nodiscard]] std::int64_t steps() const { return steps_; }
    /// Whether an update failed amid its work: what a checkpoint holds is of no step.
    [[nodiscard]] bool halfUpdated() const { return updating_; }
    void setSteps(std::int64_t steps);  ///< after loading a checkpoint
    [[nodiscard]] const RunConfig& config() const { return config_; }
    void setConfig(RunConfig config);  ///< live changes of the optimizer's fields

    [[nodiscard]] SequenceModel& model() { return *models_.front(); }
    [[nodiscard]] const FlatParameters& parameters() const { return parameters_.front(); }
    /// Of the last step, clipped; of a sharded state in this rank's shard alone, unless keepGradients().
    [[nodiscard]] const at::Tensor& gradients() const { return gradients_; }
    void keepGradients(bool on) { keepsGradients_ = on; }
    /// Whether the next steps keep the activations of the first replica's layers, in the last part of a step.
    void keepActivations(bool on);
    [[nodiscard]] const Activations& activations() const { return activations_; }
    [[nodiscard]] FlatAdam& optimizer() { return *optimizer_; }
    /// EMA of the values that optimizer().held() names; undefined if off.
    [[nodiscard]] at::Tensor& averaged() { return averaged_; }
    [[nodiscard]] int replicas() const { return static_cast<int>(models_.size()); }  ///< of this process
    [[nodiscard]] int ranks() const { return maybeGroup_ ? maybeGroup_->size() : 1; }

    /// While it lives the model holds the averaged weights (if there are any) and is in evaluation mode.
    class Evaluation {
    public:
        explicit Evaluation(Trainer& trainer);
        ~Evaluation();
        Evaluation(const Evaluation&) = delete;
        Evaluation& operator=(const Evaluation&) = delete;

    private:
        Trainer& trainer_;
        at::Tensor trained_;
    };

private:
    /// The parts that a replica computes: every stride-th.
    struct Share {
        std::size_t first = 0, stride = 1;
        BucketedReduction* maybeReduction = nullptr;  // of the gradients, during the last one
    };
    [[nodiscard]] Share shareOf(int replica) const;
    [[nodiscard]] BucketedReduction* reductionDuringBackward() const;
    [[nodiscard]] bool leads() const { return shared_ && maybeGroup_->rank() == 0; }
    void commandStep(const std::vector<text::Batch>& batches, double learningRate);
    [[nodiscard]] StepRandom randomOf(const BatchPart& part) const;
    [[nodiscard]] std::vector<BatchPart> partsOf(const std::vector<text::Batch>& batches) const;
    void computeReplica(int replica, const std::vector<BatchPart>& parts, Share share, StepSums& result);
    StepSums computeParts(const std::vector<BatchPart>& parts);
    StepSums computeWithRanks(const std::vector<BatchPart>& parts);
    void makeChunks();
    void allGather(const at::Tensor& block);
    [[nodiscard]] at::Tensor squareOfShard() const;
    [[nodiscard]] FlatParts shardOf(int rank) const;
    [[nodiscard]] at::Tensor shared(const at::Tensor& held);
    [[nodiscard]] at::Tensor collected(const at::Tensor& held);
    void gatherGradients(int replica);
    [[nodiscard]] at::Tensor gradientNorm();
    void applyUpdate(int replica, double learningRate, const at::Tensor& scale);
    void observe(const StepSums& sums);
    /// All that an update needs memory for, and what it says of the step.
    struct Update {
        at::Tensor scale;               // of the gradient: see FlatAdam::update()
        at::Tensor failed, failedStep;  // failed_ and failedStep_ with this step
        at::Tensor before;              // the values; undefined unless measured
    };
    [[nodiscard]] StepReport reportOf(const std::vector<BatchPart>& parts, StepSums sums);
    [[nodiscard]] Update updateFor(const StepReport& report, bool measured) const;
    void update(StepReport& report, const Update& next);
    void average();
    void storeBatches(const std::vector<text::Batch>& batches);
    std::string nameOfOffending(const std::vector<text::Batch>& batches, std::int64_t stepIndex);
    /// steps() is stepIndex afterwards.
    std::string offendingTensor(const std::vector<text::Batch>& batches, std::int64_t stepIndex);

    std::vector<std::unique_ptr<SequenceModel>> models_;
    /// What one replica gathers and updates of the block.
    struct Chunk {
        std::size_t firstEntry = 0, endEntry = 0;
        FlatAdam::Part part;                  // the entries'
        std::vector<FlatAdam::Group> groups;  // train.parameter_groups; of the part, or of some of the shard
    };
    std::vector<FlatParameters> parameters_;  // one per model, all on the first one's values
    at::Tensor gradients_;                    // sum over the replicas, laid out like the values
    std::vector<Chunk> chunks_;               // one per model
    std::unique_ptr<FlatAdam> optimizer_;
    RunConfig config_;
    c10::Device device_;
    ReplicaPool pool_;
    std::shared_ptr<distributed::ProcessGroup> maybeGroup_;
    std::unique_ptr<StepExchange> exchange_;  // with a group
    std::unique_ptr<BucketedReduction> maybeReduction_;
    std::vector<FlatAdam::Part> buckets_;  // gradientBuckets(), with a group
    FlatParts shard_;                      // this rank's
    bool sharded_ = false, keepsGradients_ = false, shared_ = false, updating_ = false;
    std::vector<std::int64_t> sharedBuffers_;  // the versions of rank 0's that all have
    at::Tensor averaged_;
    Activations activations_;
    at::Tensor failed_, failedStep_;  // scalars on the device: 1 once a step was not finite, and which
    std::int64_t steps_ = 0;
    std::vector<std::pair<std::int64_t, std::vector<text::Batch>>> recent_;  // since the last nonFinite()
};

}  // namespace kurve::train
