#include "models/concept/concept_family.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include "core/base/check.h"
#include "core/train/run_reference.h"
#include "models/concept/concept_fields.h"
#include "models/concept/concept_model.h"

namespace kurve::models::sentence_concept {
namespace {

using sentence_encoder::FrozenVectors;

/// Errors: model.encoder.
Status checkEncoder(const FrozenVectors& encoder, const ConceptSizes& sizes) {
    if (encoder.width() != sizes.width)
        return requestError("model.encoder", fmt::format("the encoder's vectors have the width {}, not {}",
                                                         encoder.width(), sizes.width))
            .at("concept.width")
            .fix(fmt::format("concept.width = {}", encoder.width()));
    if (sizes.maxTokens + 1 > encoder.maxTokens())
        return requestError("model.encoder",
                            fmt::format("the encoder reads at most {} tokens, a sentence may have {}",
                                        encoder.maxTokens(), sizes.maxTokens + 1))
            .at("data.max_length")
            .fix(fmt::format("data.max_length = {}", encoder.maxTokens()));
    return {};
}

/// Null where the config names none.
Result<std::shared_ptr<FrozenVectors>> encoderOf(const RunConfig& config,
                                                 const train::ModelContext& context) {
    KURVE_TRY(const auto run, train::referencedRun(context, config, kEncoder));
    if (run == nullptr) return std::shared_ptr<FrozenVectors>();
    KURVE_CHECKED(train::checkSameTokenizer(context, *run));
    return FrozenVectors::of(*run, context.device);
}

/// The encoder reads <s> too.
VectorSource sourceOf(std::shared_ptr<FrozenVectors> encoder, std::int64_t bos) {
    if (encoder == nullptr) return {};
    return [encoder = std::move(encoder), bos](const Sentences& sentences) {
        std::vector<std::int32_t> lengths;
        for (const std::int32_t length : sentences.lengths) lengths.push_back(length + 1);
        const auto withBos = [bos](const at::Tensor& ids) {
            return at::cat({at::full({ids.size(0), 1}, bos, ids.options()), ids}, 1);
        };
        const at::Tensor& host = sentences.maybeHostIds;
        return encoder->of(withBos(sentences.ids), lengths, host.defined() ? withBos(host) : at::Tensor());
    };
}

}  // namespace

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
    KURVE_TRY(const auto encoder, encoderOf(config, context));
    if (encoder != nullptr) KURVE_CHECKED(checkEncoder(*encoder, sizes));
    KURVE_TRY(const auto codebooks, Codebooks::of(config, context, sizes.width));
    ConceptNet net(sizes, sourceOf(encoder, sizes.special.bos));
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor& parameter) {
                   return conceptInitializer(sizes, name, parameter);
               });
    net->to(context.device);
    return std::make_unique<ConceptModel>(config, net, encoder, codebooks);
}

}  // namespace kurve::models::sentence_concept
