#include "models/transformer/transformer_family.h"

#include <cmath>

#include "core/text/tokenizer.h"
#include "models/common/init.h"
#include "models/transformer/transformer_fields.h"
#include "models/transformer/transformer_model.h"

namespace kurve::models::transformer {
namespace {

Initializer initializer(const RunConfig& config, const std::string& name, const at::Tensor& parameter) {
    const std::int64_t hidden = config.integer("model.hidden");
    const Initializer table = withZeroRow(text::kPad, normal(1 / std::sqrt(static_cast<double>(hidden))));
    if (endsWith(name, "norm.weight")) return ones();
    if (endsWith(name, "norm.bias")) return zeros();
    if (endsWith(name, "embedding.weight") || endsWith(name, "_positions.weight")) return table;
    const Initializer layer = fairseqLayerInitializer(hidden, config.integer("model.ffn"), name, parameter);
    if (config.text("init.cross_attention") == "identity") {
        if (endsWith(name, "cross.query.weight")) return identity();
        if (endsWith(name, "cross.key_value.weight")) return stacked(hidden, identity(), layer);
    }
    return layer;
}

}  // namespace

Schema TransformerFamily::ownSchema() const {
    Schema schema;
    schema.family = "transformer";
    schema.title = "Transformer";
    schema.paper = "Attention Is All You Need (Vaswani et al., 2017)";
    schema.fields = modelFields();
    for (FieldSpec& field : samplerFields()) schema.fields.push_back(std::move(field));
    schema.presets = presets();
    return schema;
}

Result<std::unique_ptr<train::SequenceModel>> TransformerFamily::create(const RunConfig& config,
                                                                        const train::TextShape& shape,
                                                                        c10::Device device) const {
    KURVE_CHECKED(checkModel(config, shape));
    TransformerNet net(config, shape);
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor& parameter) {
                   return initializer(config, name, parameter);
               });
    net->to(device);
    return std::make_unique<TransformerModel>(config, std::move(net));
}

}  // namespace kurve::models::transformer
