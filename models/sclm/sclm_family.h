#pragma once

#include "core/train/model_family.h"

namespace kurve::models::sclm {

/// Sentence curve language model on the Difformer (arXiv 2602.01807), with the controls
/// that separate its coupling from its compute.
class SclmFamily final : public train::ModelFamily {
public:
    [[nodiscard]] Schema ownSchema() const override;
    [[nodiscard]] std::vector<std::unique_ptr<alerts::FamilyWatch>> watches(
        double unigramEntropy) const override;
    [[nodiscard]] Result<std::unique_ptr<train::SequenceModel>> create(
        const RunConfig& config, const train::ModelContext& context) const override;
};

}  // namespace kurve::models::sclm
