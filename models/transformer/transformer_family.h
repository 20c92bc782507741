#pragma once

#include "core/train/model_family.h"

namespace kurve::models::transformer {

/// The autoregressive Transformer with fairseq's conventions (Vaswani et al. 2017), the teacher of the other
/// families; of texts without a source (data.kind text) a decoder-only language model with the blocks of
/// MDLM, its baseline and scorer.
class TransformerFamily final : public train::ModelFamily {
public:
    [[nodiscard]] Schema ownSchema() const override;
    [[nodiscard]] Result<std::unique_ptr<train::SequenceModel>> create(
        const RunConfig& config, const train::ModelContext& context) const override;
};

}  // namespace kurve::models::transformer
