#include "models/difformer/difformer_family.h"

#include "models/difformer/difformer_fields.h"
#include "models/difformer/difformer_init.h"
#include "models/difformer/difformer_model.h"

namespace kurve::models::difformer {

Schema DifformerFamily::ownSchema() const {
    Schema schema;
    schema.family = "difformer";
    schema.title = "Difformer";
    schema.paper =
        "Empowering Diffusion Models on the Embedding Space for Text Generation (Gao et al., 2022)";
    schema.fields = modelFields();
    for (FieldSpec& field : samplerFields()) schema.fields.push_back(std::move(field));
    schema.presets = basePresets();
    for (Preset& preset : scriptPresets()) schema.presets.push_back(std::move(preset));
    schema.scalars = trainingScalars();
    schema.groups = {{"diffusion", "Diffusion"}};
    return schema;
}

std::vector<std::unique_ptr<alerts::FamilyWatch>> DifformerFamily::watches(double unigramEntropy) const {
    return embeddingWatches(unigramEntropy);
}

Result<std::unique_ptr<train::SequenceModel>> DifformerFamily::create(
    const RunConfig& config, const train::ModelContext& context) const {
    const train::TextShape& shape = context.shape;
    KURVE_CHECKED(checkModel(config, shape));
    DifformerNet net(config, shape, config.integer("model.max_positions"));
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor& parameter) {
                   return initializer(config, {shape.special.pad}, name, parameter);
               });
    net->to(context.device);
    return std::make_unique<DifformerModel>(config, std::move(net));
}

}  // namespace kurve::models::difformer
