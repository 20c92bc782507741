#include "models/ngram/ngram_family.h"

#include "core/base/check.h"
#include "models/ngram/ngram_fields.h"
#include "models/ngram/ngram_model.h"

namespace kurve::models::ngram {

Schema NgramFamily::ownSchema() const {
    Schema schema;
    schema.family = "ngram";
    schema.title = "Semi-autoregressive n-gram";
    schema.paper = "Sentence Curve Language Models (arXiv 2602.01807), section 5.4 and appendix B.3";
    schema.fields = modelFields();
    for (FieldSpec& field : samplerFields()) schema.fields.push_back(std::move(field));
    schema.presets = presets();
    schema.scalars = trainingScalars();
    schema.groups = {{"ngram", "Prediction"}, {"map", "Sentence curve"}};
    schema.prompts = {{"text", {"nothing", "prefix"}}};
    return schema;
}

Result<std::unique_ptr<train::SequenceModel>> NgramFamily::create(const RunConfig& config,
                                                                  const train::ModelContext& context) const {
    KURVE_CHECK(!context.shape.hasSource, "the family has texts without a source alone");
    KURVE_CHECKED(checkModel(config));
    const NgramSizes sizes = sizesOf(config, context.shape);
    NgramNet net(sizes);
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor& parameter) {
                   return ngramInitializer(sizes, name, parameter);
               });
    net->to(context.device);
    return std::make_unique<NgramModel>(config, net);
}

}  // namespace kurve::models::ngram
