#include "models/lcm/lcm_family.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/base/check.h"
#include "core/train/run_reference.h"
#include "models/lcm/lcm_fields.h"
#include "models/lcm/lcm_model.h"

namespace kurve::models::lcm {
namespace {

/// Errors: concept.not_finite, concept.untrained.
Status checkConcepts(const std::string& run, const sentence_concept::ConceptNetImpl& concepts) {
    if (concepts.device().is_meta()) return {};
    for (const auto& all : {concepts.named_parameters(), concepts.named_buffers()})
        for (const auto& item : all)
            if (!item.value().isfinite().all().item<bool>())
                return requestError(
                           "concept.not_finite",
                           fmt::format("the run {} has values that are not finite in {}", run, item.key()))
                    .at(kConcepts)
                    .fix("name another checkpoint of it: RUN@CHECKPOINT");
    if (concepts.seen.item<float>() == 0)
        return requestError("concept.untrained",
                            fmt::format("the run {} has never been trained: nothing says how its vectors are "
                                        "scaled",
                                        run))
            .at(kConcepts)
            .fix("train it first, or name another run");
    return {};
}

}  // namespace

Schema LcmFamily::ownSchema() const {
    Schema schema;
    schema.family = "lcm";
    schema.title = "LCM";
    schema.paper =
        "Large Concept Models: Language Modeling in a Sentence Representation Space (LCM team, 2024)";
    schema.fields = modelFields();
    for (FieldSpec& field : samplerFields()) schema.fields.push_back(std::move(field));
    schema.presets = presets();
    schema.scalars = trainingScalars();
    schema.groups = {{"quantizer", "Quantizer"}};
    schema.prompts = {{"documents", {"nothing", "prefix"}}};
    return schema;
}

Result<std::unique_ptr<train::SequenceModel>> LcmFamily::create(const RunConfig& config,
                                                                const train::ModelContext& context) const {
    KURVE_CHECK(!context.shape.hasSource, "the family has documents alone");
    KURVE_CHECKED(checkModel(config));
    KURVE_TRY(const auto run, train::referencedRun(context, config, kConcepts));
    KURVE_CHECKED(train::checkSameTokenizer(context, *run));
    LcmParts parts;
    KURVE_TRY(parts.autoencoder, run->frozenModel(context.device));
    KURVE_CHECKED(checkConcepts(run->pin.run, *parts.concepts()));
    const LcmSizes sizes = sizesOf(config, parts.concepts()->sizes().width);
    parts.net = makeNet(sizes);
    if (isQuant(sizes.kind))
        parts.quantizer =
            parts.net->register_module("quantizer", Quantizer(sizes.books, sizes.centroids, sizes.width));
    parts.end = parts.net->register_buffer("end", at::zeros({sizes.width}));
    parts.endsSeen = parts.net->register_buffer("ends_seen", at::zeros({}));
    initialise(*parts.net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor& parameter) {
                   return lcmInitializer(config.text("init.output") == "zero", name, parameter);
               });
    parts.net->to(context.device);
    parts.end = parts.net->named_buffers()["end"];
    parts.endsSeen = parts.net->named_buffers()["ends_seen"];
    parts.alphaBars = alphaBarsOf(config);
    parts.target = targetOf(config);
    return std::make_unique<LcmModel>(config, std::move(parts));
}

}  // namespace kurve::models::lcm
