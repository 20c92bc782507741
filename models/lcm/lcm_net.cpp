#include "models/lcm/lcm_net.h"

#include <cmath>

#include "core/base/check.h"
#include "models/lcm/base_net.h"
#include "models/lcm/one_tower_net.h"
#include "models/lcm/two_tower_net.h"

namespace kurve::models::lcm {

PreNormSizes llamaBlock(const LcmSizes& sizes) {
    return {.hidden = sizes.hidden,
            .heads = sizes.heads,
            .ffn = sizes.ffn,
            .direction = AttentionDirection::Causal,
            .norm = kRmsNorm,
            .activation = MlpActivation::SwiGlu,
            .attentionBias = true};
}

std::shared_ptr<LcmNetImpl> makeNet(const LcmSizes& sizes) {
    switch (sizes.kind) {
        case LcmKind::Base:
            return std::make_shared<BaseNetImpl>(sizes);
        case LcmKind::TwoTower:
            return std::make_shared<TwoTowerNetImpl>(sizes);
        case LcmKind::OneTower:
        case LcmKind::QuantC:
        case LcmKind::QuantD:
            return std::make_shared<OneTowerNetImpl>(sizes);
    }
    KURVE_CHECK(false, "kind {}", static_cast<int>(sizes.kind));
}

Initializer lcmInitializer(bool zeroModulations, const std::string& name, const at::Tensor& parameter) {
    constexpr double kPublished = 0.02;  // of embeddings
    if (endsWith(name, "norm.weight")) return ones();
    if (endsWith(name, ".bias") || (zeroModulations && endsWith(name, "modulation.weight"))) return zeros();
    if (name.starts_with("time.") || name == "positions.weight" || name == "steps.weight")
        return normal(kPublished);
    return normal(1 / std::sqrt(static_cast<double>(parameter.size(1))));
}

}  // namespace kurve::models::lcm
