#include "models/sclm_mdlm/sclm_mdlm_family.h"

#include "models/common/map_fields.h"
#include "models/mdlm/mdlm_family.h"
#include "models/mdlm/mdlm_fields.h"

namespace kurve::models::sclm_mdlm {
namespace {

constexpr const char* kSmoothInput = "model.smooth_input";  // map.kind = smooth here

/// MDLM's, with the map of SCLM's Table 3, whose row labels are lost: read as size ratio r = 0.2, kappa = 0.1
/// and rho = 1 + r.
std::vector<Preset> presets() {
    std::vector<Preset> all;
    for (Preset& preset : mdlm::presets()) {
        const bool tiny = preset.name == "tiny";
        if (!tiny && preset.name != "small-lm1b" && preset.name != "small-wikitext2") continue;
        preset.values.erase(kSmoothInput);
        preset.values["map.rho"] = tiny ? 2.0 : 1.2;
        preset.values["map.kappa"] = tiny ? 0.01 : 0.1;
        if (!tiny) {
            preset.doc = "Table 3, the LM1B column: " + preset.doc;
            preset.values["train.steps"] = std::int64_t{200000};
        }
        all.push_back(std::move(preset));
    }
    return all;
}

}  // namespace

Schema SclmMdlmFamily::ownSchema() const {
    Schema schema;
    schema.family = "sclm_mdlm";
    schema.title = "SCLM on MDLM";
    schema.paper = "Sentence Curve Language Models (arXiv 2602.01807)";
    schema.fields = mdlm::modelFields();
    std::erase_if(schema.fields, [](const FieldSpec& field) { return field.key == kSmoothInput; });
    for (auto* more : {&mapFields, &mdlm::samplerFields})
        for (FieldSpec& field : (*more)()) schema.fields.push_back(std::move(field));
    schema.presets = presets();
    schema.scalars = mdlm::trainingScalars();
    schema.scalars.push_back(inputGainScalar());
    schema.groups = {{"diffusion", "Diffusion"}, {"map", "Sentence curve"}};
    schema.prompts = mdlm::prompts();
    return schema;
}

std::vector<std::unique_ptr<alerts::FamilyWatch>> SclmMdlmFamily::watches(double /*unigramEntropy*/) const {
    std::vector<std::unique_ptr<alerts::FamilyWatch>> all;
    all.push_back(inputGainWatch());
    return all;
}

Result<std::unique_ptr<train::SequenceModel>> SclmMdlmFamily::create(
    const RunConfig& config, const train::ModelContext& context) const {
    KURVE_CHECKED(checkMap(config, context.shape, config.integer("model.layers")));
    return mdlm::createModel(config, context, std::make_unique<TokenMap>(config, context.device));
}

}  // namespace kurve::models::sclm_mdlm
