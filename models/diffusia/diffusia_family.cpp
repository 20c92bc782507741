#include "models/diffusia/diffusia_family.h"

#include "models/common/length_only_watch.h"
#include "models/diffusia/diffusia_fields.h"
#include "models/diffusia/diffusia_init.h"
#include "models/diffusia/diffusia_model.h"
#include "models/diffusia/shrinking_watch.h"

namespace kurve::models::diffusia {

Schema DiffusiaFamily::ownSchema() const {
    Schema schema;
    schema.family = "diffusia";
    schema.title = "DiffuSIA";
    schema.paper =
        "DiffuSIA: A Spiral Interaction Architecture for Encoder-Decoder Text Diffusion (Tan et al., 2023)";
    schema.fields = modelFields();
    for (FieldSpec& field : samplerFields()) schema.fields.push_back(std::move(field));
    schema.presets = presets();
    schema.scalars = trainingScalars();
    schema.groups = {{"diffusion", "Diffusion"}, {"length", "Length"}};
    return schema;
}

std::vector<std::unique_ptr<alerts::FamilyWatch>> DiffusiaFamily::watches(double unigramEntropy) const {
    std::vector<std::unique_ptr<alerts::FamilyWatch>> all;
    all.push_back(std::make_unique<ShrinkingWatch>());
    all.push_back(std::make_unique<LengthOnlyWatch>("rounding_nll", unigramEntropy));
    return all;
}

Result<std::unique_ptr<train::SequenceModel>> DiffusiaFamily::create(
    const RunConfig& config, const train::ModelContext& context) const {
    KURVE_CHECKED(checkModel(config, context.shape));
    DiffusiaNet net(sizesOf(config, context.shape));
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor&) { return initializer(config, name); });
    if (config.text("diffusion.step_sampler") == "loss-aware") net->addStepSampler(stepSamplerSizes(config));
    net->to(context.device);
    return std::make_unique<DiffusiaModel>(config, std::move(net));
}

}  // namespace kurve::models::diffusia
