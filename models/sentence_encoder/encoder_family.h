#pragma once

#include "core/train/model_family.h"

namespace kurve::models::sentence_encoder {

/// Published encoders of sentences. They are imported and frozen: other runs name them (model.encoder).
class EncoderFamily final : public train::ModelFamily {
public:
    [[nodiscard]] Schema ownSchema() const override;
    [[nodiscard]] Result<std::unique_ptr<train::SequenceModel>> create(
        const RunConfig& config, const train::ModelContext& context) const override;
    [[nodiscard]] bool trains() const override { return false; }
    [[nodiscard]] const train::PublishedFormat* maybePublishedFormat() const override;
};

}  // namespace kurve::models::sentence_encoder
