#pragma once

#include <map>
#include <string>

#include "models/calm/calm_net.h"
#include "models/calm_autoencoder/autoencoder_net.h"

namespace kurve::models::calm {

/// Names of CALM's published tensors (shaochenze/calm), without "ae_model." and "generative_head.", and those
/// of our parameters (train::publishedPart()).
[[nodiscard]] std::map<std::string, std::string> autoencoderNames(
    const calm_autoencoder::AutoencoderSizes& sizes);
[[nodiscard]] std::map<std::string, std::string> backboneNames(const CalmSizes& sizes);
[[nodiscard]] std::map<std::string, std::string> energyHeadNames(std::int64_t blocks);
/// Of the diffusion and flow heads, SimpleMLPAdaLN.
[[nodiscard]] std::map<std::string, std::string> denoisingHeadNames(std::int64_t blocks);

}  // namespace kurve::models::calm
