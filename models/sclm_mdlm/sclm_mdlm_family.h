#pragma once

#include "core/train/model_family.h"

namespace kurve::models::sclm_mdlm {

/// Sentence curve language model on MDLM (arXiv 2602.01807, sec. 4.2 and App. B.2): MDLM whose blocks work on
/// the control points of the masked text, with the controls that separate the curve's coupling from its
/// compute. map.kind = identity is MDLM.
class SclmMdlmFamily final : public train::ModelFamily {
public:
    [[nodiscard]] Schema ownSchema() const override;
    [[nodiscard]] std::vector<std::unique_ptr<alerts::FamilyWatch>> watches(
        double unigramEntropy) const override;
    [[nodiscard]] Result<std::unique_ptr<train::SequenceModel>> create(
        const RunConfig& config, const train::ModelContext& context) const override;
};

}  // namespace kurve::models::sclm_mdlm
