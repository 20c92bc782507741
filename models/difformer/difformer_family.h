#pragma once

#include "core/train/model_family.h"

namespace kurve::models::difformer {

/// Difformer (Gao et al.): Gaussian diffusion over word embeddings for sequence to sequence
/// (zhjgao/difformer).
class DifformerFamily final : public train::ModelFamily {
public:
    [[nodiscard]] Schema ownSchema() const override;
    [[nodiscard]] std::vector<std::unique_ptr<alerts::FamilyWatch>> watches(
        double unigramEntropy) const override;
    [[nodiscard]] Result<std::unique_ptr<train::SequenceModel>> create(
        const RunConfig& config, const train::ModelContext& context) const override;
};

}  // namespace kurve::models::difformer
