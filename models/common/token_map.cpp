#include "models/common/token_map.h"

#include "models/common/curve_layout.h"
#include "models/common/neighbour_mixing.h"

namespace kurve::models {
namespace {

/// A word is a token that has seen its neighbours.
class SmoothLayout final : public TokenLayout {
public:
    using TokenLayout::TokenLayout;
    [[nodiscard]] at::Tensor tokensFromWords(const at::Tensor& words) const override {
        return mixNeighbours(words, mask());
    }
};

}  // namespace

TokenMap::TokenMap(const RunConfig& config, c10::Device device)
    : config_(config),
      device_(device),
      smooth_(config.text("map.kind") == "smooth"),
      atGreville_(config.text("map.positions") == "greville"),
      curves_(config.integer("map.curves")),
      liftLayer_(static_cast<std::size_t>(config.integer("map.lift_layer"))) {
    if (!smooth_ && config.text("map.kind") != "identity")
        maps_ = std::make_unique<CurveMaps>(config, device);
}

std::shared_ptr<const TokenLayout> TokenMap::layout(std::span<const std::int32_t> lengths, std::int64_t width,
                                                    bool trained) {
    if (smooth_) return std::make_shared<SmoothLayout>(lengths, width, device_);
    if (!maps_) return std::make_shared<TokenLayout>(lengths, width, device_);
    return std::make_shared<CurveLayout>(maps_->batch(lengths, width, trained), width, atGreville_, device_);
}

std::int64_t TokenMap::tokens(std::int64_t words) const {
    return maps_ ? pointsFor(config_, static_cast<int>(words)) : words;
}

}  // namespace kurve::models
