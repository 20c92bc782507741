#pragma once

#include "models/ngram/ngram_net.h"

namespace kurve::models::ngram {

/// Texts that grow by n tokens per pass of the network: it reads the last n at once and predicts the next n,
/// which have not seen each other. Refers to the network.
class BlockDecoder final : public transformer::IncrementalDecoder {
public:
    BlockDecoder(NgramNetImpl& net, const transformer::TextGroup& group);
    at::Tensor extend(const at::Tensor& tokens) override;
    void select(const at::Tensor& index) override;

private:
    NgramNetImpl& net_;
    at::Tensor unread_;      ///< [R, k] i64: tokens that the network has not read yet; undefined if none
    at::Tensor predicted_;   ///< [n, R, H] of the tokens after the last pass
    std::int64_t next_ = 0;  ///< which of them comes next
};

}  // namespace kurve::models::ngram
