#include "models/diffusia/diffusia_init.h"

#include <torch/torch.h>

#include <cmath>

namespace kurve::models::diffusia {
namespace {

/// [I, 0]: the first half of what is read passes through.
Initializer firstHalf() {
    return [](const at::Tensor& p, const StreamId&) { p.copy_(at::eye(p.size(0), p.size(1), p.options())); };
}

bool isKnownWeight(const std::string& name) {
    for (const char* start : {"encoder_layer_", "decoder_layer_", "condition_", "input_projection.",
                              "output_projection.", "time_projection.", "mix.", "length_head."})
        if (name.rfind(start, 0) == 0) return endsWith(name, ".weight");
    return false;
}

}  // namespace

Initializer initializer(const RunConfig& config, const std::string& name) {
    const Initializer weights = normal(config.real("init.layer_std"));
    const auto is = [&](const char* key, const char* value) { return config.text(key) == value; };
    if (endsWith(name, "norm.weight")) return ones();
    if (endsWith(name, ".bias") || name == "rounding_bias") return zeros();
    if (name == "target_embedding.weight") return normal(config.real("init.embedding_std"));
    if (endsWith(name, "_positions.weight")) {
        const double root = std::sqrt(static_cast<double>(config.integer("model.hidden")));
        return is("init.positions", "sinusoid") ? scaled(1 / root, sinusoid(0, 1)) : weights;
    }
    if (name == "mix.weight" && is("init.self_conditioning", "identity")) return firstHalf();
    if (is("init.cross_attention", "identity")) {
        if (endsWith(name, "cross.query.weight")) return identity();
        if (endsWith(name, "cross.key_value.weight"))
            return stacked(config.integer("model.hidden"), identity(), weights);
    }
    return isKnownWeight(name) ? weights : Initializer();
}

}  // namespace kurve::models::diffusia
