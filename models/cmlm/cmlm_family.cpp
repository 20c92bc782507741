#include "models/cmlm/cmlm_family.h"

#include "models/cmlm/cmlm_fields.h"
#include "models/cmlm/cmlm_model.h"

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
    return schema;
}

Result<std::unique_ptr<train::SequenceModel>> CmlmFamily::create(const RunConfig& config,
                                                                 const train::TextShape& shape,
                                                                 c10::Device device) const {
    KURVE_CHECKED(checkModel(config, shape));
    CmlmNet net(config, shape);
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor&) {
                   return initializer(config, shape.special.pad, name);
               });
    net->to(device);
    return std::make_unique<CmlmModel>(config, std::move(net));
}

}  // namespace kurve::models::cmlm
