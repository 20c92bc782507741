#include "models/difformer/difformer_init.h"

#include <cmath>
#include <string_view>

namespace kurve::models::difformer {
namespace {

bool startsWith(std::string_view text, std::string_view start) {
    return text.substr(0, start.size()) == start;
}

Initializer decoderLayerInitializer(const RunConfig& config, const std::string& name) {
    const std::int64_t hidden = config.integer("model.hidden");
    if (endsWith(name, ".bias")) return zeros();
    const double requested = config.real("init.decoder_std");
    const Initializer weights =
        normal(requested > 0 ? requested : 1 / std::sqrt(static_cast<double>(hidden)));
    if (config.text("init.cross_attention") == "identity") {
        if (endsWith(name, "cross.query.weight")) return identity();
        if (endsWith(name, "cross.key_value.weight")) return stacked(hidden, identity(), weights);
    }
    return weights;
}

}  // namespace

Initializer initializer(const RunConfig& config, const Tables& tables, const std::string& name,
                        const at::Tensor& parameter) {
    const double hidden = static_cast<double>(config.integer("model.hidden"));
    const bool sinusoids = config.text("init.positions") == "sinusoid";
    if (endsWith(name, "norm.weight")) return ones();
    if (endsWith(name, "norm.bias")) return zeros();
    if (endsWith(name, "embedding.weight"))
        return withZeroRow(tables.padding, normal(config.real("init.embedding_std")));
    if (name == "encoder_positions.weight")
        return withZeroRow(kPaddingRow,
                           sinusoids ? sinusoid(kFirstPositionRow, 1) : normal(1 / std::sqrt(hidden)));
    if (name == "decoder_positions.weight" || name == "lift_positions.weight")
        return withZeroRow(kPaddingRow,
                           sinusoids ? sinusoid(kFirstPositionRow, tables.stretch) : normal(0.02));
    if (startsWith(name, "encoder_"))
        return fairseqLayerInitializer(config.integer("model.hidden"), config.integer("model.ffn"), name,
                                       parameter);
    if (startsWith(name, "decoder_layer_")) return decoderLayerInitializer(config, name);
    const bool known = startsWith(name, "decoder_project_") || startsWith(name, "self_condition.") ||
                       startsWith(name, "time.") || name == "length.weight";
    if (!known) return {};
    return endsWith(name, ".bias") ? zeros() : normal(0.02);
}

}  // namespace kurve::models::difformer
