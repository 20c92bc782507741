#include "models/concept/concept_family.h"

#include "core/base/check.h"
#include "models/concept/concept_fields.h"
#include "models/concept/concept_model.h"

namespace kurve::models::sentence_concept {

Schema ConceptFamily::ownSchema() const {
    Schema schema;
    schema.family = "concept";
    schema.title = "Sentence autoencoder";
    schema.paper = "in place of SONAR (Duquenne et al., 2023), for LCM";
    schema.fields = modelFields();
    for (FieldSpec& field : samplerFields()) schema.fields.push_back(std::move(field));
    schema.presets = presets();
    schema.scalars = trainingScalars();
    schema.groups = {{"concept", "Sentence vector"}};
    schema.prompts = {{"text", {"source"}}};
    return schema;
}

Result<std::unique_ptr<train::SequenceModel>> ConceptFamily::create(
    const RunConfig& config, const train::ModelContext& context) const {
    KURVE_CHECK(!context.shape.hasSource, "the family has texts without a source alone");
    KURVE_CHECKED(checkModel(config));
    const ConceptSizes sizes = sizesOf(config, context.shape);
    ConceptNet net(sizes);
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor& parameter) {
                   return conceptInitializer(sizes, name, parameter);
               });
    net->to(context.device);
    return std::make_unique<ConceptModel>(config, net);
}

}  // namespace kurve::models::sentence_concept
