#include "models/ngram/block_decoder.h"

#include <torch/torch.h>

#include "core/base/check.h"
#include "models/common/padding.h"

namespace kurve::models::ngram {

BlockDecoder::BlockDecoder(NgramNetImpl& net, const transformer::TextGroup& group)
    : IncrementalDecoder(net.newCache(static_cast<std::int64_t>(group.known.size()))), net_(net) {
    std::vector<std::int64_t> ids;
    const std::size_t width = group.known.front().size();
    for (const auto& known : group.known) {
        KURVE_CHECK(known.size() == width, "prefixes of {} and {} tokens", width, known.size());
        ids.insert(ids.end(), known.begin(), known.end() - 1);
    }
    if (ids.empty()) return;
    unread_ = toDevice(std::span<const std::int64_t>(ids), net.device())
                  .view({static_cast<std::int64_t>(group.known.size()), -1});
}

at::Tensor BlockDecoder::extend(const at::Tensor& tokens) {
    const at::Tensor last = tokens.unsqueeze(1);
    unread_ = unread_.defined() ? at::cat({unread_, last}, 1) : last;
    if (next_ == 0) {
        ForwardPass decoding;
        decoding.decoding = true;
        predicted_ = net_.head(net_.extend(unread_, cache_).select(1, unread_.size(1) - 1), decoding);
        unread_ = at::Tensor();
    }
    const at::Tensor vectors = predicted_[next_];
    next_ = (next_ + 1) % net_.tokensPerState();
    return net_.logits(vectors);
}

void BlockDecoder::select(const at::Tensor& index) {
    IncrementalDecoder::select(index);
    if (unread_.defined()) unread_ = unread_.index_select(0, index);
    if (predicted_.defined()) predicted_ = predicted_.index_select(1, index);
}

}  // namespace kurve::models::ngram
