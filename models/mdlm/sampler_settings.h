#pragma once

#include "core/config/run_config.h"
#include "core/sampling/remasking.h"
#include "core/sampling/unmasking.h"

namespace kurve::models::mdlm {

enum class UnmaskingRule { Ancestral, Budget, Threshold, EntropyBounded };

/// The sampler.* fields, read once.
struct SamplerSettings {
    explicit SamplerSettings(const RunConfig& config);

    int steps, block;
    UnmaskingRule rule;
    sampling::UnmaskingOrder order;
    sampling::Remasking remasking;
    double threshold, gamma, temperature, topP;
    bool float32, banSpecials;
    std::int64_t length;
    std::size_t batchSize;

    /// Which positions open is known before the network is asked.
    [[nodiscard]] bool opensBlindly() const {
        return rule == UnmaskingRule::Ancestral ||
               (rule == UnmaskingRule::Budget && order == sampling::UnmaskingOrder::Random);
    }
};

/// Whether the sampler.* fields go together; those of a decoding may be others than the training's. Errors:
/// sampler.remasking.
[[nodiscard]] Status checkSampler(const RunConfig& config);

}  // namespace kurve::models::mdlm
