#pragma once

#include "core/train/published_format.h"

namespace kurve::models::mdlm {

/// MDLM as its authors publish it (kuleshov-group/mdlm: models/dit.py, and its config.json on Hugging Face).
class MdlmFormat final : public train::PublishedFormat {
public:
    [[nodiscard]] bool recognises(const nlohmann::json& config) const override;
    [[nodiscard]] Result<train::PublishedModel> read(const nlohmann::json& config,
                                                     const std::set<std::string>& tensors,
                                                     const std::filesystem::path& folder) const override;
};

}  // namespace kurve::models::mdlm
