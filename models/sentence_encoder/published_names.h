#pragma once

#include "core/train/published_format.h"

namespace kurve::models::sentence_encoder {

/// BERT as Hugging Face's BertModel stores it, alone or below "bert."; beside it modules.json and the
/// pooling's config.json of Sentence-Transformers, if they are there: without them the mean, not scaled.
class EncoderFormat final : public train::PublishedFormat {
public:
    [[nodiscard]] bool recognises(const nlohmann::json& config) const override;
    [[nodiscard]] Result<train::PublishedModel> read(const nlohmann::json& config,
                                                     const std::set<std::string>& tensors,
                                                     const std::filesystem::path& folder) const override;
};

}  // namespace kurve::models::sentence_encoder
