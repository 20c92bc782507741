#include "models/concept/concept_fields.h"

#include <fmt/format.h>

#include "models/common/quantizer.h"
#include "models/concept/codebooks.h"

namespace kurve::models::sentence_concept {
namespace {

constexpr const char *kKurve = "Kurve", *kSonar = "SONAR, section 3", *kQuantized = "LCM, section 2.3.5";

}  // namespace

std::vector<FieldSpec> modelFields() {
    return {
        runField(kEncoder,
                 "the run whose vectors of sentences are written again; frozen. Empty: an encoder of its own")
            .fits({"sentence_encoder"})
            .neutralByDefault()
            .from("LCM, section 2.1"),
        integerField("concept.width", 64,
                     "width of a sentence's vector, with model.encoder that encoder's; SONAR: 1,024")
            .range(2, 4096)
            .unit("dims")
            .from(kSonar),
        choiceField("concept.pooling", "slots", {"slots", "mean"},
                    "into the vector and out of it: a matrix for each position, or the mean of all")
            .from("mean: SONAR, section 3; slots: Kurve"),
        realField(
            "concept.noise", 0.6,
            "training adds noise to a vector, of a deviation drawn from 0 to this; the vector's own is 1")
            .range(0, 10)
            .from("LCM, section 2.4.2: a decoder that bears noise"),
        runField(kCodebooks,
                 "a Quant-LCM run: in training the decoder reads vectors as sums of its centroids. Its "
                 "autoencoder is where training begins (train.init_from), and the encoder is frozen. Empty: "
                 "the vectors themselves")
            .fits({"lcm"})
            .neutralByDefault()
            .from(kQuantized),
        realField("concept.truncated", 0.3,
                  "with concept.codebooks: fraction of the vectors of which the first codebooks alone are "
                  "read")
            .range(0, 1)
            .neutralByDefault()
            .from(kQuantized),
        realField("concept.least_books", 0.67,
                  "of such a vector: the least fraction of the codebooks; their number is drawn")
            .range(0, 1)
            .neutralByDefault()
            .from(kQuantized),
        integerField("model.hidden", 64, "width of the hidden states and the embedding")
            .range(8, 8192)
            .unit("dims")
            .from(kSonar),
        integerField("model.ffn", 256, "inner width of the feed-forward blocks").range(8, 32768).from(kSonar),
        integerField("model.heads", 4, "attention heads; must divide model.hidden")
            .range(1, 128)
            .from(kSonar),
        integerField("model.encoder_layers", 1, "blocks of its own encoder").range(1, 128).from(kSonar),
        integerField("model.decoder_layers", 1, "blocks of the decoder").range(1, 128).from(kSonar),
    };
}

std::vector<FieldSpec> samplerFields() {
    return {realField("sampler.noise", 0.0, "standard deviation of noise added to a sentence's vector")
                .atLeast(0)
                .from(kKurve),
            integerField("sampler.books", 0,
                         "of concept.codebooks: codebooks whose centroids a sentence's vector is the sum of; "
                         "0 = the vector itself")
                .range(0, 128)
                .neutralByDefault()
                .from(kQuantized)};
}

std::vector<Preset> presets() {
    return {{"minilm",
             "vectors of all-MiniLM-L6-v2 written again, some minutes on a CPU; set model.encoder",
             {{"concept.width", std::int64_t{384}},
              {"concept.noise", 0.5},
              {"train.lr", 4e-3},
              {"train.schedule", std::string("linear")},
              {"train.warmup_steps", std::int64_t{50}},
              {"train.expected_steps", std::int64_t{3000}},
              {"train.batch_tokens", std::int64_t{512}},
              {"checkpoint.metric", std::string("valid_loss")}}},
            {"tiny",
             "simple sentences exactly, after half a minute on a CPU",
             {{"train.lr", 4e-3},
              {"train.schedule", std::string("linear")},
              {"train.warmup_steps", std::int64_t{20}},
              {"train.expected_steps", std::int64_t{1500}},
              {"train.batch_tokens", std::int64_t{400}},
              {"checkpoint.metric", std::string("valid_loss")}}}};
}

std::string noisySentences(int hundredths) {
    return fmt::format("reconstructed_sentences_noise_{}", hundredths);
}

std::string quantizedSentences(std::int64_t books) {
    return fmt::format("reconstructed_sentences_books_{}", books);
}

std::vector<ScalarSpec> trainingScalars() {
    std::vector<ScalarSpec> all =
        withValidation({{"loss_token", "Token loss", "nats",
                         "cross entropy of a sentence's tokens from its vector", false, true, "loss_token"}});
    const auto add = [&](std::string id, std::string title, std::string doc, std::string chart = {}) {
        all.push_back({"valid_" + id, std::move(title), "", std::move(doc), true, false, std::move(chart)});
    };
    add("token_accuracy", "Tokens reconstructed", "of the validation split, each from those before it",
        "valid_token_accuracy");
    add("reconstructed_sentences", "Sentences reconstructed", "letter for letter, written greedily",
        "valid_token_accuracy");
    for (const int noise : kNoises)
        add(noisySentences(noise), fmt::format("Sentences at noise {:.1f}", noise / 100.0),
            "reconstructed where noise of this standard deviation is added to the vector");
    const std::string chart = "valid_reconstructed_sentences_books";
    add("reconstructed_sentences_books", "Sentences from all codebooks",
        "reconstructed from the sum of a centroid of each codebook", chart);
    for (const std::int64_t books : kMeasuredBooks)
        add(quantizedSentences(books), fmt::format("Sentences from {} codebooks", books),
            "reconstructed from the sum of the centroids of the first codebooks", chart);
    return all;
}

Status checkModel(const RunConfig& config) {
    const std::int64_t hidden = config.integer("model.hidden"), heads = config.integer("model.heads");
    if (hidden % heads == 0) return {};
    return requestError("model.heads", fmt::format("{} heads do not divide {}", heads, hidden))
        .at("model.heads")
        .fix("choose heads that divide model.hidden");
}

ConceptSizes sizesOf(const RunConfig& config, const train::TextShape& shape) {
    ConceptSizes sizes;
    sizes.vocabulary = shape.targetVocabulary;
    sizes.hidden = config.integer("model.hidden");
    sizes.ffn = config.integer("model.ffn");
    sizes.heads = config.integer("model.heads");
    sizes.ownEncoder = config.text(kEncoder).empty();
    sizes.encoderLayers = sizes.ownEncoder ? config.integer("model.encoder_layers") : 0;
    sizes.decoderLayers = config.integer("model.decoder_layers");
    sizes.width = config.integer("concept.width");
    sizes.maxTokens = shape.maxLength - 1;
    sizes.slots = config.text("concept.pooling") == "slots";
    sizes.special = shape.special;
    return sizes;
}

}  // namespace kurve::models::sentence_concept
