#include "core/train/bucketed_reduction.h"

#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <unordered_set>

namespace kurve::train {
namespace {

constexpr std::int64_t kBuckets = 8;
constexpr std::int64_t kFewest = 4096,
                       kMost = 6'500'000;  // elements of one: at most 25 MB, as PyTorch has it

/// The parameters whose gradients a backward pass from there writes.
std::vector<const c10::TensorImpl*> leavesOf(const at::Tensor& loss) {
    std::vector<const c10::TensorImpl*> leaves;
    std::vector<torch::autograd::Node*> open{loss.grad_fn().get()};
    std::unordered_set<const torch::autograd::Node*> seen(open.begin(), open.end());
    while (!open.empty()) {
        torch::autograd::Node* node = open.back();
        open.pop_back();
        if (const auto* leaf = dynamic_cast<torch::autograd::AccumulateGrad*>(node))
            leaves.push_back(leaf->variable.unsafeGetTensorImpl());
        for (const torch::autograd::Edge& edge : node->next_edges())
            if (edge.is_valid() && seen.insert(edge.function.get()).second)
                open.push_back(edge.function.get());
    }
    return leaves;
}

}  // namespace

std::vector<distributed::Shard> gradientBuckets(const FlatParameters& parameters) {
    const auto& entries = parameters.entries();
    std::int64_t end = parameters.values().numel();
    const std::int64_t wanted = std::clamp(end / kBuckets, kFewest, kMost);
    std::vector<distributed::Shard> buckets;
    for (std::size_t first = entries.size(); first-- > 0;) {
        const std::int64_t offset = entries[first].offset;
        if (first > 0 && end - offset < wanted) continue;
        buckets.push_back({offset, end - offset});
        end = offset;
    }
    return buckets;
}

class BucketedReduction::Hook : public torch::autograd::PostAccumulateGradHook {
public:
    Hook(BucketedReduction& owner, std::size_t entry) : owner_(owner), entry_(entry) {}
    void operator()(const at::Tensor& /*parameter*/) override { owner_.finished(entry_); }

private:
    BucketedReduction& owner_;
    std::size_t entry_;
};

BucketedReduction::BucketedReduction(distributed::ProcessGroup& group, FlatParameters& parameters,
                                     const at::Tensor& gradients,
                                     const std::vector<distributed::Shard>& buckets, ReducedPart part)
    : group_(group), parameters_(parameters), gradients_(gradients), part_(part) {
    const auto& entries = parameters.entries();
    bucketOf_.resize(entries.size());
    std::size_t end = entries.size();
    for (const auto& [offset, count] : buckets) {
        std::size_t first = end;
        while (first > 0 && entries[first - 1].offset >= offset) bucketOf_[--first] = buckets_.size();
        buckets_.push_back({first, end, gradients.narrow(0, offset, count)});
        end = first;
    }
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const at::Tensor& parameter = parameters.tensors()[i];
        entryOf_[parameter.unsafeGetTensorImpl()] = i;
        torch::autograd::impl::set_post_acc_grad_hooks(parameter, std::make_unique<Hook>(*this, i));
    }
}

BucketedReduction::~BucketedReduction() {
    for (const at::Tensor& parameter : parameters_.tensors())
        torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
}

void BucketedReduction::backward(const at::Tensor& loss) {
    for (Bucket& bucket : buckets_) bucket.unfinished = 0;
    for (const c10::TensorImpl* leaf : leavesOf(loss))
        if (const auto entry = entryOf_.find(leaf); entry != entryOf_.end())
            ++buckets_[bucketOf_[entry->second]].unfinished;
    next_ = 0;
    startFinished();
    armed_ = true;
    try {
        loss.backward();
    } catch (...) {
        armed_ = false;
        throw;
    }
    armed_ = false;
}

void BucketedReduction::finished(std::size_t entry) {
    if (!armed_) return;
    --buckets_[bucketOf_[entry]].unfinished;
    startFinished();
}

// In the same order on all ranks, whichever is finished first.
void BucketedReduction::startFinished() {
    for (; next_ < buckets_.size() && buckets_[next_].unfinished == 0; ++next_) start(buckets_[next_]);
}

void BucketedReduction::start(const Bucket& bucket) {
    const torch::NoGradGuard noGrad;
    for (std::size_t i = bucket.firstEntry; i < bucket.endEntry; ++i) {
        const at::Tensor into = FlatParameters::view(gradients_, parameters_.entries()[i]);
        const at::Tensor& gradient = parameters_.tensors()[i].grad();
        gradient.defined() ? into.copy_(gradient) : into.zero_();
    }
    part_ == ReducedPart::Whole ? group_.startAllReduce(bucket.block)
                                : group_.startReduceScatter(bucket.block);
}

void BucketedReduction::finish() {
    for (; next_ < buckets_.size(); ++next_) start(buckets_[next_]);
    next_ = 0;
    group_.finishReductions();
}

}  // namespace kurve::train
