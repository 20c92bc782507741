#pragma once

#include "core/train/model_family.h"

namespace kurve::models::ngram {

/// Semi-autoregressive n-gram model of texts without a source (SCLM, arXiv 2602.01807, sec. 5.4 and App.
/// B.3): a causal Transformer whose LSTM head predicts the next n tokens from every state, one vector each or
/// as points of sentence curves.
class NgramFamily final : public train::ModelFamily {
public:
    [[nodiscard]] Schema ownSchema() const override;
    [[nodiscard]] Result<std::unique_ptr<train::SequenceModel>> create(
        const RunConfig& config, const train::ModelContext& context) const override;
};

}  // namespace kurve::models::ngram
