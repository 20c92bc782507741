#pragma once

#include "core/train/model_family.h"

namespace kurve::models::diffusia {

/// DiffuSIA (Tan et al. 2023): Gaussian diffusion over word embeddings with an encoder and a decoder that
/// read each other, its baseline DiffuED, and DiffuSeq (Gong et al. 2023).
class DiffusiaFamily final : public train::ModelFamily {
public:
    [[nodiscard]] Schema ownSchema() const override;
    [[nodiscard]] std::vector<std::unique_ptr<alerts::FamilyWatch>> watches(
        double unigramEntropy) const override;
    [[nodiscard]] Result<std::unique_ptr<train::SequenceModel>> create(
        const RunConfig& config, const train::ModelContext& context) const override;
};

}  // namespace kurve::models::diffusia
