#include "models/calm_autoencoder/autoencoder_fields.h"

#include <fmt/format.h>

namespace kurve::models::calm_autoencoder {
namespace {

constexpr const char *kPaper = "CALM, section 2", *kSizes = "CALM, section 6.1",
                     *kCode = "CALM's code, configuration_autoencoder.py";

std::map<std::string, FieldValue> tinyValues() {
    return {{"model.hidden", std::int64_t{128}},
            {"model.ffn", std::int64_t{320}},
            {"chunk.latent", std::int64_t{64}},
            {"init.kind", std::string("fan-in")},
            {"train.lr", 3e-3},
            {"train.schedule", std::string("linear")},
            {"train.warmup_steps", std::int64_t{50}},
            {"train.batch_tokens", std::int64_t{1024}},
            {"train.expected_steps", std::int64_t{1500}},
            {"checkpoint.metric", std::string("valid_loss")}};
}

/// train_autoencoder.sh; the paper warms up for 2,000 steps.
std::map<std::string, FieldValue> paperValues() {
    return {{"train.lr", 3e-4},
            {"train.schedule", std::string("constant")},
            {"train.warmup_steps", std::int64_t{1000}},
            {"train.beta2", 0.95},
            {"train.weight_decay", 0.1},
            {"train.batch_tokens", std::int64_t{524288}},
            {"train.steps", std::int64_t{30000}},
            {"data.format", std::string("running")},
            {"data.block", std::int64_t{2048}},
            {"checkpoint.metric", std::string("valid_loss")}};
}

}  // namespace

std::vector<FieldSpec> modelFields() {
    return {
        integerField("chunk.tokens", 4, "tokens of a chunk, K").range(1, 64).unit("tokens").from(kSizes),
        integerField("chunk.latent", 128, "width of a chunk's vector; 32 K in the paper, 16 K suffices here")
            .range(1, 4096)
            .unit("dims")
            .from(kSizes),
        integerField("model.hidden", 512, "width of the hidden states and the embedding")
            .range(8, 8192)
            .unit("dims")
            .from(kCode),
        integerField("model.ffn", 1280, "inner width of the feed-forward blocks").range(8, 32768).from(kCode),
        integerField("model.encoder_layers", 2, "blocks of the encoder, half of them on tokens; even")
            .range(2, 64)
            .from(kCode),
        integerField("model.decoder_layers", 2, "blocks of the decoder, half of them on tokens; even")
            .range(2, 64)
            .from(kCode),
        flagField("model.variational", true, "a chunk is a distribution of vectors; false: one vector")
            .from(kPaper),
        realField("model.drop_tokens", 0.15,
                  "fraction of a chunk's tokens that training masks for the encoder")
            .range(0, 0.9)
            .from("CALM, section 2.2"),
        realField("model.drop_latent", 0.15, "fraction of a vector's elements that training zeroes")
            .range(0, 0.9)
            .from("CALM, section 2.2"),
        realField("loss.kl_weight", 0.001, "weight of the KL divergence to N(0, I)")
            .atLeast(0)
            .from("CALM, eq. 2"),
        realField("loss.kl_clip", 0.5, "a dimension's KL below this costs as much as this; 0 = no floor")
            .atLeast(0)
            .unit("nats")
            .from("CALM, eq. 4"),
        choiceField("init.kind", "published", {"published", "fan-in"},
                    "initial weights: N(0, 0.02^2); or N(0, 1 / inputs), which learns in seconds")
            .from("published: CALM's code; fan-in: Kurve"),
    };
}

std::vector<FieldSpec> samplerFields() {
    return {choiceField("sampler.latent", "mean", {"mean", "sampled"},
                        "the vector that is decoded: the mean, or one drawn from the chunk's distribution")
                .from("Kurve"),
            realField("sampler.noise", 0.0, "standard deviation of noise added to the vector")
                .atLeast(0)
                .from("Kurve")};
}

std::vector<Preset> presets() {
    return {{"tiny", "99.9 % of tokens after half a minute on a CPU", tinyValues()},
            {"paper", "the paper's 75M sizes; set the data", paperValues()}};
}

std::string noisyAccuracy(int hundredths) {
    return fmt::format("token_accuracy_noise_{}", hundredths);
}

std::vector<ScalarSpec> trainingScalars() {
    std::vector<ScalarSpec> all = withValidation(
        {{"loss_token", "Token loss", "nats", "cross entropy of a chunk's tokens from its vector", false,
          true, "loss_token"},
         {"kl", "KL", "nats", "divergence of a chunk's distribution from N(0, I), summed over dimensions"},
         {"kl_clipped", "KL with its floor", "nats",
          "the same with every dimension's floor: what is trained"}});
    const auto add = [&](const char* id, const char* title, const char* unit, std::string doc, bool higher) {
        all.push_back({std::string("valid_") + id, title, unit, std::move(doc), higher});
    };
    add("token_accuracy", "Tokens reconstructed", "", "of the validation split, from a drawn vector", true);
    add("chunk_accuracy", "Chunks reconstructed", "", "whole chunks, from a drawn vector", true);
    add("token_accuracy_mean", "Tokens reconstructed from the mean", "", "of the validation split", true);
    add("chunk_accuracy_mean", "Chunks reconstructed from the mean", "", "whole chunks", true);
    add("latent_std", "Posterior deviation", "", "mean standard deviation of a chunk's distribution", false);
    add("active_dimensions", "Active dimensions", "",
        "dimensions whose mean varies over chunks with more than 0.01 (Burda et al. 2016)", true);
    for (const int noise : kNoises)
        all.push_back({"valid_" + noisyAccuracy(noise), fmt::format("Tokens at noise {:.1f}", noise / 100.0),
                       "", "reconstructed where noise of this standard deviation is added to the mean",
                       true});
    return all;
}

Status checkModel(const RunConfig& config, const train::TextShape& shape) {
    for (const char* field : {"model.encoder_layers", "model.decoder_layers"})
        if (config.integer(field) % 2 != 0)
            return requestError("model.layers",
                                fmt::format("{} layers cannot be halved", config.integer(field)))
                .at(field)
                .fix("choose an even number");
    if (config.integer("chunk.tokens") >= shape.maxLength)
        return requestError("model.chunk", fmt::format("a chunk of {} tokens is longer than a text of {}",
                                                       config.integer("chunk.tokens"), shape.maxLength - 1))
            .at("chunk.tokens")
            .fix("choose shorter chunks or longer texts (data.max_length, data.block)");
    return {};
}

AutoencoderSizes sizesOf(const RunConfig& config, const train::TextShape& shape) {
    AutoencoderSizes sizes;
    sizes.vocabulary = shape.targetVocabulary;
    sizes.hidden = config.integer("model.hidden");
    sizes.ffn = config.integer("model.ffn");
    sizes.chunk = config.integer("chunk.tokens");
    sizes.latent = config.integer("chunk.latent");
    sizes.encoderLayers = config.integer("model.encoder_layers");
    sizes.decoderLayers = config.integer("model.decoder_layers");
    sizes.variational = config.flag("model.variational");
    sizes.special = shape.special;
    return sizes;
}

}  // namespace kurve::models::calm_autoencoder
