#include "models/sentence_encoder/encoder_fields.h"

#include <fmt/format.h>

namespace kurve::models::sentence_encoder {
namespace {

constexpr const char *kBert = "BERT, section 3", *kSentenceBert = "Sentence-BERT, section 3";

MlpActivation activationOf(const std::string& name) {
    return name == "relu"        ? MlpActivation::Relu
           : name == "gelu-tanh" ? MlpActivation::GeluTanh
           : name == "silu"      ? MlpActivation::Silu
                                 : MlpActivation::Gelu;
}

}  // namespace

std::vector<FieldSpec> modelFields() {
    return {
        integerField("model.hidden", 384, "width of the hidden states and of a sentence's vector")
            .range(2, 8192)
            .unit("dims")
            .from(kBert),
        integerField("model.ffn", 1536, "inner width of the feed-forward blocks").range(2, 65536).from(kBert),
        integerField("model.heads", 12, "attention heads; must divide model.hidden")
            .range(1, 128)
            .from(kBert),
        integerField("model.layers", 6, "blocks of the encoder").range(1, 128).from(kBert),
        integerField("model.max_positions", 512, "rows of its position table: the longest sentence")
            .range(2, 65536)
            .unit("tokens")
            .from(kBert),
        integerField("model.token_types", 2,
                     "rows of its table of token types, of which a sentence has the first")
            .range(0, 64)
            .from(kBert),
        choiceField("model.activation", "gelu", {"gelu", "gelu-tanh", "relu", "silu"},
                    "of the feed-forward blocks")
            .from(kBert),
        realField("model.norm_epsilon", 1e-12, "of its layer norms")
            .range(0, 1)
            .from("BERT's code, modeling.py"),
        choiceField("model.pooling", "mean", {"mean", "first"},
                    "a sentence's vector: the mean of its tokens' states, or the first one")
            .from(kSentenceBert),
        flagField("model.normalize", true, "vectors are scaled to length 1").from("its modules.json"),
    };
}

std::vector<Preset> presets() {
    return {{"minilm-l6", "all-MiniLM-L6-v2; kurve import-encoder sets what another one has", {}}};
}

Status checkModel(const RunConfig& config) {
    const std::int64_t hidden = config.integer("model.hidden"), heads = config.integer("model.heads");
    if (hidden % heads == 0) return {};
    return requestError("model.heads", fmt::format("{} heads do not divide {}", heads, hidden))
        .at("model.heads")
        .fix("choose heads that divide model.hidden");
}

EncoderSizes sizesOf(const RunConfig& config, const train::TextShape& shape) {
    EncoderSizes sizes;
    sizes.bert.vocabulary = shape.targetVocabulary;
    sizes.bert.maxPositions = config.integer("model.max_positions");
    sizes.bert.tokenTypes = config.integer("model.token_types");
    sizes.bert.layers = config.integer("model.layers");
    sizes.bert.layer = {.hidden = config.integer("model.hidden"),
                        .heads = config.integer("model.heads"),
                        .ffn = config.integer("model.ffn"),
                        .activation = activationOf(config.text("model.activation")),
                        .normEpsilon = config.real("model.norm_epsilon")};
    sizes.pooling = config.text("model.pooling") == "mean" ? Pooling::Mean : Pooling::First;
    sizes.normalize = config.flag("model.normalize");
    return sizes;
}

}  // namespace kurve::models::sentence_encoder
