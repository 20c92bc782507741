#pragma once

#include <memory>
#include <span>

#include "core/config/run_config.h"
#include "models/common/curve_maps.h"
#include "models/common/token_layout.h"

namespace kurve::models {

/// The fields map.* of a network: how the words of a batch become the tokens of its layers, and back. Not
/// thread-safe.
class TokenMap {
public:
    TokenMap(const RunConfig& config, c10::Device device);
    /// Of words with these lengths, padded to `width`. `trained`: as CurveMaps::batch().
    [[nodiscard]] std::shared_ptr<const TokenLayout> layout(std::span<const std::int32_t> lengths,
                                                            std::int64_t width, bool trained);
    /// Of a sentence of `words`.
    [[nodiscard]] std::int64_t tokens(std::int64_t words) const;

    [[nodiscard]] bool isCurve() const { return maps_ != nullptr; }  ///< else a word is a token
    [[nodiscard]] bool isSmooth() const { return smooth_; }
    [[nodiscard]] bool atGreville() const { return atGreville_; }
    [[nodiscard]] std::int64_t curves() const { return curves_; }
    /// Layers before the map; 0 where a word is a token.
    [[nodiscard]] std::size_t liftLayer() const { return maps_ ? liftLayer_ : 0; }
    [[nodiscard]] double worstInputGain() const { return maps_ ? maps_->worstInputGain() : 1; }
    void setWorstInputGain(double gain) {
        if (maps_) maps_->setWorstInputGain(gain);
    }

private:
    RunConfig config_;
    c10::Device device_;
    bool smooth_, atGreville_;
    std::int64_t curves_;
    std::size_t liftLayer_;
    std::unique_ptr<CurveMaps> maps_;  ///< none where a word is a token
};

}  // namespace kurve::models
