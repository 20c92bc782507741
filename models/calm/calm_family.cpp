#include "models/calm/calm_family.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/base/check.h"
#include "core/train/run_reference.h"
#include "models/calm/calm_fields.h"
#include "models/calm/calm_model.h"
#include "models/calm/published_names.h"

namespace kurve::models::calm {

Schema CalmFamily::ownSchema() const {
    Schema schema;
    schema.family = "calm";
    schema.title = "CALM";
    schema.paper = "Continuous Autoregressive Language Models (Shao et al., 2025)";
    schema.fields = modelFields();
    for (FieldSpec& field : samplerFields()) schema.fields.push_back(std::move(field));
    schema.presets = presets();
    schema.scalars = trainingScalars();
    schema.groups = {{"head", "Head"}};
    schema.prompts = {{"text", {"nothing", "prefix"}}};
    return schema;
}

Result<std::unique_ptr<train::SequenceModel>> CalmFamily::create(const RunConfig& config,
                                                                 const train::ModelContext& context) const {
    KURVE_CHECK(!context.shape.hasSource, "the family has texts without a source alone");
    KURVE_CHECKED(checkModel(config));
    KURVE_TRY(const auto run, train::referencedRun(context, config, kAutoencoder));
    KURVE_CHECKED(train::checkSameTokenizer(context, *run));
    CalmParts parts;
    KURVE_TRY(parts.autoencoder, run->frozenModel(context.device));
    auto codec = parts.codec();
    const CalmSizes sizes = sizesOf(config, context.shape, codec->sizes());
    if (sizes.chunk >= context.shape.maxLength)
        return requestError("model.chunk",
                            fmt::format("the autoencoder's chunks of {} tokens are longer than a "
                                        "text of {}",
                                        sizes.chunk, context.shape.maxLength - 1))
            .at(kAutoencoder)
            .fix("choose an autoencoder of shorter chunks, or longer texts");
    parts.net = CalmNet(sizes);
    parts.head = headOf(config, sizes.latent);
    parts.net->register_module("head", parts.head);
    const bool published = config.text("init.kind") == "published";
    constexpr std::string_view kHead = "head.";
    initialise(*parts.net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor& parameter) {
                   return name.starts_with(kHead)
                              ? parts.head->initializer({published, config.text("init.output") == "zero"},
                                                        name.substr(kHead.size()), parameter)
                              : calmInitializer(sizes, published, name, parameter);
               });
    parts.net->to(context.device);
    return std::make_unique<CalmModel>(std::move(parts));
}

const train::PublishedFormat* CalmFamily::maybePublishedFormat() const {
    static const CalmFormat format;
    return &format;
}

}  // namespace kurve::models::calm
