#pragma once

#include <map>
#include <string>

#include "core/train/published_format.h"
#include "models/calm/calm_net.h"

namespace kurve::models::calm {

/// Names of CALM's published tensors (shaochenze/calm), without "generative_head.", and those of our
/// parameters (train::publishedPart()).
[[nodiscard]] std::map<std::string, std::string> backboneNames(const CalmSizes& sizes);
[[nodiscard]] std::map<std::string, std::string> energyHeadNames(std::int64_t blocks);
/// Of the diffusion and flow heads, SimpleMLPAdaLN.
[[nodiscard]] std::map<std::string, std::string> denoisingHeadNames(std::int64_t blocks);

/// The language model as its authors publish it (models/modeling_energy.py and its two siblings, CALMConfig).
/// Its blocks of the head are counted in the weights; its autoencoder is a run of its own.
class CalmFormat final : public train::PublishedFormat {
public:
    [[nodiscard]] bool recognises(const nlohmann::json& config) const override;
    [[nodiscard]] Result<train::PublishedModel> read(const nlohmann::json& config,
                                                     const std::set<std::string>& tensors,
                                                     const std::filesystem::path& folder) const override;
    [[nodiscard]] std::optional<train::PublishedCopy> copyIn(train::SequenceModel& model) const override;
};

}  // namespace kurve::models::calm
