#include "models/sentence_encoder/encoder_family.h"

#include "core/base/check.h"
#include "models/sentence_encoder/encoder_fields.h"
#include "models/sentence_encoder/encoder_model.h"
#include "models/sentence_encoder/published_names.h"

namespace kurve::models::sentence_encoder {

Schema EncoderFamily::ownSchema() const {
    Schema schema;
    schema.family = "sentence_encoder";
    schema.title = "Sentence encoder";
    schema.paper =
        "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks (Reimers and Gurevych, 2019)";
    schema.fields = modelFields();
    schema.presets = presets();
    schema.prompts = {{"text", {"source"}}};
    return schema;
}

Result<std::unique_ptr<train::SequenceModel>> EncoderFamily::create(
    const RunConfig& config, const train::ModelContext& context) const {
    KURVE_CHECK(!context.shape.hasSource, "the family has texts without a source alone");
    KURVE_CHECKED(checkModel(config));
    EncoderNet net(sizesOf(config, context.shape));
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")), encoderInitializer);
    net->to(context.device);
    return std::make_unique<EncoderModel>(config, net);
}

const train::PublishedFormat* EncoderFamily::maybePublishedFormat() const {
    static const EncoderFormat format;
    return &format;
}

}  // namespace kurve::models::sentence_encoder
