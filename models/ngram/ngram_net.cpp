#include "models/ngram/ngram_net.h"

#include <torch/torch.h>

#include "models/common/padding.h"
#include "models/ngram/block_decoder.h"

namespace kurve::models::ngram {
namespace {

using transformer::TeacherForced;

constexpr std::string_view kHead = "head.";

/// For every position of a text of `length`, the position whose state predicts the token after it, where n
/// tokens are predicted at once from position `first` on.
std::vector<std::int64_t> predictingPositions(std::int64_t length, std::int64_t first, std::int64_t n) {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < length; ++i) all.push_back(i < first ? i : first + (i - first) / n * n);
    return all;
}

}  // namespace

NgramNetImpl::NgramNetImpl(const NgramSizes& sizes)
    : DecoderOnlyNetImpl(sizes.backbone), head(register_module("head", NgramHead(sizes.head))) {}

at::Tensor NgramNetImpl::states(const TeacherForced& batch, const ForwardPass& pass) {
    const at::Tensor all = DecoderOnlyNetImpl::states(batch, pass);
    return head(all.reshape({-1, all.size(2)}), pass)[0].view(all.sizes());
}

at::Tensor NgramNetImpl::decodingStates(const TeacherForced& text, std::int64_t known,
                                        const ForwardPass& pass) {
    const at::Tensor all = DecoderOnlyNetImpl::states(text, pass)[0];
    const std::int64_t length = all.size(0), first = known - 1, n = tokensPerState();
    const at::Tensor predicting =
        toDevice(std::span<const std::int64_t>(predictingPositions(length, first, n)), device());
    if (pass.maybeCapture != nullptr)
        for (auto& [name, value] : pass.maybeCapture->tensors) value = value.index_select(-2, predicting);
    ForwardPass decoding;
    decoding.decoding = true;
    const at::Tensor starts = at::arange(first, length, n, predicting.options());
    const at::Tensor vectors = head(all.index_select(0, starts), decoding)
                                   .transpose(0, 1)
                                   .reshape({-1, all.size(1)})
                                   .narrow(0, 0, length - first);
    return at::cat({all.narrow(0, 0, first), vectors}).unsqueeze(0);
}

std::unique_ptr<transformer::IncrementalDecoder> NgramNetImpl::begin(const transformer::TextGroup& group) {
    return std::make_unique<BlockDecoder>(*this, group);
}

Initializer ngramInitializer(const NgramSizes& sizes, const std::string& name, const at::Tensor& parameter) {
    if (name.starts_with(kHead)) return headInitializer(sizes.head, name.substr(kHead.size()));
    return transformer::decoderOnlyInitializer(sizes.backbone, name, parameter);
}

}  // namespace kurve::models::ngram
