#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "core/distributed/process_group.h"
#include "core/train/flat_parameters.h"

namespace kurve::train {

/// Sums the gradients of all ranks while the backward pass goes on: the block is divided into buckets of
/// whole parameters, and the reduction of one begins when no gradient of it can change any more, from the
/// last bucket to the first, as the backward pass goes (Li et al. 2020, "PyTorch Distributed", section 3.2).
/// For models whose backward pass writes each gradient at most once: not for activation checkpointing. Each
/// rank gets the sums whole: not for a sharded optimizer, which needs a part of them.
/// Used from the thread that trains; all ranks alike.
class BucketedReduction {
public:
    /// `gradients`: laid out like the parameters' values; takes the sums. All three outlive it.
    BucketedReduction(distributed::ProcessGroup& group, FlatParameters& parameters,
                      const at::Tensor& gradients);
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
    std::vector<Bucket> buckets_;        // in the order of their reductions
    std::vector<std::size_t> bucketOf_;  // of an entry
    std::unordered_map<const c10::TensorImpl*, std::size_t> entryOf_;
    std::size_t next_ = 0;  // bucket to reduce
    bool armed_ = false;
};

}  // namespace kurve::train
