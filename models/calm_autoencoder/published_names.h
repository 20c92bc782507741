#pragma once

#include <map>
#include <string>

#include "core/train/published_format.h"
#include "models/calm_autoencoder/autoencoder_net.h"

namespace kurve::models::calm_autoencoder {

/// Names of CALM's published tensors (shaochenze/calm) and those of our parameters (train::publishedPart()).
[[nodiscard]] std::map<std::string, std::string> autoencoderNames(const AutoencoderSizes& sizes);

/// The autoencoder as its authors publish it (models/modeling_autoencoder.py, AutoencoderConfig).
class AutoencoderFormat final : public train::PublishedFormat {
public:
    [[nodiscard]] bool recognises(const nlohmann::json& config) const override;
    [[nodiscard]] Result<train::PublishedModel> read(const nlohmann::json& config,
                                                     const std::set<std::string>& tensors,
                                                     const std::filesystem::path& folder) const override;
};

}  // namespace kurve::models::calm_autoencoder
