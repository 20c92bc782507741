#include "models/transformer/transformer_family.h"

#include <cmath>

#include "models/common/init.h"
#include "models/transformer/transformer_fields.h"
#include "models/transformer/transformer_model.h"
#include "models/transformer/transformer_net.h"

namespace kurve::models::transformer {
namespace {

Initializer initializer(const RunConfig& config, std::int64_t padding, const std::string& name,
                        const at::Tensor& parameter) {
    const std::int64_t hidden = config.integer("model.hidden");
    const Initializer table = withZeroRow(padding, normal(1 / std::sqrt(static_cast<double>(hidden))));
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

using Initializers = std::function<Initializer(const std::string& name, const at::Tensor& parameter)>;

std::unique_ptr<train::SequenceModel> modelOf(const RunConfig& config, std::shared_ptr<AutoregressiveNet> net,
                                              const Initializers& initializers, c10::Device device) {
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")), initializers);
    net->to(device);
    return std::make_unique<TransformerModel>(config, std::move(net));
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
    schema.prompts = {{"pairs", {"source"}}, {"text", {"nothing", "prefix"}}};
    schema.provides = {kExactLikelihood};
    return schema;
}

Result<std::unique_ptr<train::SequenceModel>> TransformerFamily::create(
    const RunConfig& config, const train::ModelContext& context) const {
    const train::TextShape& shape = context.shape;
    KURVE_CHECKED(checkModel(config, shape));
    if (!shape.hasSource) {
        const DecoderOnlySizes sizes = decoderOnlySizes(config, shape);
        return modelOf(
            config, DecoderOnlyNet(sizes).ptr(),
            [&](const std::string& name, const at::Tensor& parameter) {
                return decoderOnlyInitializer(sizes, name, parameter);
            },
            context.device);
    }
    return modelOf(
        config, TransformerNet(config, shape).ptr(),
        [&](const std::string& name, const at::Tensor& parameter) {
            return initializer(config, shape.special.pad, name, parameter);
        },
        context.device);
}

}  // namespace kurve::models::transformer
