#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/distributed/process_group.h"
#include "core/train/flat_parameters.h"

namespace kurve::train {

/// The parts of a block laid out like the parameters' values in which its gradients are summed: whole
/// parameters, from the last part to the first, as a backward pass finishes them.
[[nodiscard]] std::vector<distributed::Shard> gradientBuckets(const FlatParameters& parameters);

/// What a rank needs of the sum of a bucket.
enum class ReducedPart : std::uint8_t { Whole, OwnShard };

/// Sums the gradients of all ranks while the backward pass goes on: the reduction of a bucket begins when no
/// gradient of it can change any more, in the buckets' order (Li et al. 2020, "PyTorch Distributed",
/// section 3.2). For models whose backward pass writes each gradient at most once: not for activation
/// checkpointing. Used from the thread that trains; all ranks alike.
class BucketedReduction {
public:
    /// `gradients`: laid out like the parameters' values; takes the sums. `buckets`: gradientBuckets(). Group
    /// and parameters outlive it.
    BucketedReduction(distributed::ProcessGroup& group, FlatParameters& parameters,
                      const at::Tensor& gradients, const std::vector<distributed::Shard>& buckets,
                      ReducedPart part);
    ~BucketedReduction();
    BucketedReduction(const BucketedReduction&) = delete;
    BucketedReduction& operator=(const BucketedReduction&) = delete;

    /// loss.backward(), the last one of this rank's step.
    void backward(const at::Tensor& loss);
    /// After it; of a rank that had no rows without it. Throws RankLost.
    void finish();

private:
    struct Bucket {
        std::size_t firstEntry = 0, endEntry = 0;
        at::Tensor block;            // of the gradients
        std::size_t unfinished = 0;  // gradients that the last backward pass still writes
    };
    class Hook;
    void finished(std::size_t entry);
    void startFinished();
    void start(const Bucket& bucket);

    distributed::ProcessGroup& group_;
    FlatParameters& parameters_;
    at::Tensor gradients_;
    ReducedPart part_;
    std::vector<Bucket> buckets_;        // in the order of their reductions
    std::vector<std::size_t> bucketOf_;  // of an entry
    std::unordered_map<const c10::TensorImpl*, std::size_t> entryOf_;
    std::size_t next_ = 0;  // bucket to reduce
    bool armed_ = false;
};

}  // namespace kurve::train
