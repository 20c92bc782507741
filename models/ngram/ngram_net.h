#pragma once

#include "models/ngram/ngram_head.h"
#include "models/transformer/decoder_only_net.h"

namespace kurve::models::ngram {

struct NgramSizes {
    transformer::DecoderOnlySizes backbone;
    HeadSizes head;
};

/// Semi-autoregressive n-gram model (SCLM, sec. 5.4 and App. B.3): the decoder-only Transformer, of whose
/// last hidden state at every position a head predicts the next n tokens at once. Output tied to the
/// embedding. Works in float32 and float64. Not to be used by two threads at once.
class NgramNetImpl final : public transformer::DecoderOnlyNetImpl {
public:
    explicit NgramNetImpl(const NgramSizes& sizes);

    /// Those of the next token alone, the first of the n.
    at::Tensor states(const transformer::TeacherForced& batch, const ForwardPass& pass) override;
    [[nodiscard]] std::int64_t tokensPerState() const override { return head->tokens(); }
    [[nodiscard]] at::Tensor decodingStates(const transformer::TeacherForced& text, std::int64_t known,
                                            const ForwardPass& pass) override;
    std::unique_ptr<transformer::IncrementalDecoder> begin(const transformer::TextGroup& group) override;

    NgramHead head{nullptr};
};
TORCH_MODULE(NgramNet);

/// The backbone's as the Transformer's of texts, and headInitializer().
[[nodiscard]] Initializer ngramInitializer(const NgramSizes& sizes, const std::string& name,
                                           const at::Tensor& parameter);

}  // namespace kurve::models::ngram
