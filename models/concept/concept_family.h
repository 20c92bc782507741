#pragma once

#include "core/train/model_family.h"

namespace kurve::models::sentence_concept {

class ConceptFamily final : public train::ModelFamily {
public:
    [[nodiscard]] Schema ownSchema() const override;
    [[nodiscard]] Result<std::unique_ptr<train::SequenceModel>> create(
        const RunConfig& config, const train::ModelContext& context) const override;
};

}  // namespace kurve::models::sentence_concept
