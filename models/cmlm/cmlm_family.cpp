#include "models/cmlm/cmlm_family.h"

#include "models/cmlm/cmlm_fields.h"
#include "models/cmlm/cmlm_model.h"
#include "models/common/length_only_watch.h"

namespace kurve::models::cmlm {

Schema CmlmFamily::ownSchema() const {
    Schema schema;
    schema.family = "cmlm";
    schema.title = "CMLM";
    schema.paper =
        "Isotropy-Enhanced Conditional Masked Language Models (Guo et al., EMNLP Findings 2023); CMLM is of "
        "Ghazvininejad et al., 2019";
    schema.fields = modelFields();
    for (FieldSpec& field : samplerFields()) schema.fields.push_back(std::move(field));
    schema.presets = presets();
    schema.scalars = trainingScalars();
    schema.groups = {{"mask", "Masking"},
                     {"length", "Length"},
                     {"contrastive", "Contrastive loss"},
                     {"look_neighbors", "Look Neighbors"},
                     {"self_correction", "Self-correction"}};
    return schema;
}

std::vector<std::unique_ptr<alerts::FamilyWatch>> CmlmFamily::watches(double unigramEntropy) const {
    std::vector<std::unique_ptr<alerts::FamilyWatch>> all;
    all.push_back(std::make_unique<LengthOnlyWatch>("masked_nll", unigramEntropy));
    return all;
}

Result<std::unique_ptr<train::SequenceModel>> CmlmFamily::create(const RunConfig& config,
                                                                 const train::ModelContext& context) const {
    const train::TextShape& shape = context.shape;
    KURVE_CHECKED(checkModel(config, shape));
    CmlmNet net(config, shape);
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor&) {
                   return initializer(config, shape.special.pad, name);
               });
    net->to(context.device);
    return std::make_unique<CmlmModel>(config, std::move(net));
}

}  // namespace kurve::models::cmlm
