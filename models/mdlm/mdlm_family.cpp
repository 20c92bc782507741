#include "models/mdlm/mdlm_family.h"

#include "models/mdlm/mdlm_fields.h"
#include "models/mdlm/mdlm_model.h"
#include "models/mdlm/published_names.h"

namespace kurve::models::mdlm {

Schema MdlmFamily::ownSchema() const {
    Schema schema;
    schema.family = "mdlm";
    schema.title = "MDLM";
    schema.paper = "Simple and Effective Masked Diffusion Language Models (Sahoo et al., NeurIPS 2024)";
    schema.fields = modelFields();
    for (FieldSpec& field : samplerFields()) schema.fields.push_back(std::move(field));
    schema.presets = presets();
    schema.scalars = trainingScalars();
    schema.groups = {{"diffusion", "Diffusion"}};
    schema.prompts = prompts();
    return schema;
}

Result<std::unique_ptr<train::SequenceModel>> MdlmFamily::create(const RunConfig& config,
                                                                 const train::ModelContext& context) const {
    return createModel(config, context);
}

Result<std::unique_ptr<train::SequenceModel>> createModel(const RunConfig& config,
                                                          const train::ModelContext& context,
                                                          std::unique_ptr<TokenMap> maybeMap) {
    const train::TextShape& shape = context.shape;
    KURVE_CHECKED(checkModel(config, shape));
    MdlmSizes sizes = sizesOf(config, shape);
    if (maybeMap) sizes.smoothInput = maybeMap->isSmooth();
    MdlmModel::Parts parts{MdlmNet(sizes, std::move(maybeMap)), nullptr, canvasRules(config, shape), nullptr};
    KURVE_TRY(parts.schedule, maskSchedule(config));
    if (!parts.rules.fixed) {
        parts.length = LengthPredictor(sizes.hidden, shape.maxLength, shape.hasSource);
        parts.net->register_module("length", parts.length);
    }
    initialise(*parts.net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor& parameter) {
                   if (name == "length.prior" || name == "length.from_source.bias") return zeros();
                   if (name == "length.from_source.weight") return linearDefault(sizes.hidden);
                   if (name == "output.weight" && config.text("init.output") == "default")
                       return linearDefault(sizes.hidden);
                   return mdlmInitializer(sizes, name, parameter);
               });
    parts.net->to(context.device);
    return std::make_unique<MdlmModel>(config, std::move(parts));
}

const train::PublishedFormat* MdlmFamily::maybePublishedFormat() const {
    static const MdlmFormat format;
    return &format;
}

}  // namespace kurve::models::mdlm
