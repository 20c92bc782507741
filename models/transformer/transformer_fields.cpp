#include "models/transformer/transformer_fields.h"

#include <fmt/format.h>

#include "core/text/dataset.h"
#include "models/common/size_checks.h"

namespace kurve::models::transformer {
namespace {

using Values = std::map<std::string, FieldValue>;

Values tinyValues() {
    return {{"model.hidden", std::int64_t{128}},
            {"model.encoder_layers", std::int64_t{2}},
            {"model.decoder_layers", std::int64_t{2}},
            {"model.heads", std::int64_t{4}},
            {"model.ffn", std::int64_t{256}},
            {"model.dropout", 0.0},
            {"model.max_positions", std::int64_t{128}},
            {"init.cross_attention", std::string("identity")},
            {"train.lr", 2e-3},
            {"train.schedule", std::string("linear")},
            {"train.warmup_steps", std::int64_t{100}},
            {"train.batch_tokens", std::int64_t{200}},
            {"sampler.beam", std::int64_t{1}}};
}

Values tinyTextValues() {
    return {{"data.kind", std::string("text")},
            {"model.hidden", std::int64_t{64}},
            {"model.decoder_layers", std::int64_t{2}},
            {"model.heads", std::int64_t{4}},
            {"model.ffn", std::int64_t{256}},
            {"model.dropout", 0.0},
            {"loss.label_smoothing", 0.0},
            {"train.lr", 4e-3},
            {"train.schedule", std::string("linear")},
            {"train.warmup_steps", std::int64_t{50}},
            {"train.weight_decay", 0.0},
            {"train.batch_tokens", std::int64_t{512}},
            {"checkpoint.metric", std::string("valid_loss")},
            {"sampler.method", std::string("sample")},
            {"sampler.beam", std::int64_t{1}}};
}

// The sizes and the optimiser of MDLM's preset "small", whose baseline this is.
Values smallTextValues() {
    return {{"data.kind", std::string("text")},
            {"model.hidden", std::int64_t{768}},
            {"model.decoder_layers", std::int64_t{12}},
            {"model.heads", std::int64_t{12}},
            {"model.ffn", std::int64_t{3072}},
            {"model.dropout", 0.1},
            {"loss.label_smoothing", 0.0},
            {"train.lr", 3e-4},
            {"train.beta2", 0.999},
            {"train.weight_decay", 0.0},
            {"train.schedule", std::string("constant")},
            {"train.warmup_steps", std::int64_t{2500}},
            {"train.ema_decay", 0.9999},
            {"checkpoint.metric", std::string("valid_loss")},
            {"sampler.method", std::string("sample")},
            {"sampler.beam", std::int64_t{1}},
            {"sampler.max_length_b", std::int64_t{1024}}};
}

Values paperValues(double dropout) {
    return {{"model.dropout", dropout},
            {"train.warmup_steps", std::int64_t{4000}},
            {"train.weight_decay", 0.0},
            {"train.max_grad_norm", 0.0},
            {"train.batch_tokens", std::int64_t{32768}}};
}

Values bigValues() {
    Values values = paperValues(0.3);
    values["model.hidden"] = std::int64_t{1024};
    values["model.ffn"] = std::int64_t{4096};
    values["model.heads"] = std::int64_t{16};
    values["sampler.beam"] = std::int64_t{4};
    values["sampler.length_penalty"] = 0.6;
    return values;
}

}  // namespace

std::vector<FieldSpec> modelFields() {
    const char* paper = "Vaswani et al. 2017";
    const char* fairseq = "fairseq's transformer";
    return {
        integerField("model.hidden", 512, "width of the hidden states and of the embedding")
            .range(8, 8192)
            .unit("dims")
            .from(paper),
        integerField("model.encoder_layers", 6, "Transformer layers that read the source; only with sources")
            .range(1, 64)
            .from(paper),
        integerField("model.decoder_layers", 6, "Transformer layers that generate the target")
            .range(1, 64)
            .from(paper),
        integerField("model.heads", 8, "attention heads; must divide model.hidden").range(1, 128).from(paper),
        integerField("model.ffn", 2048, "inner width of the feed-forward blocks").range(8, 32768).from(paper),
        realField("model.dropout", 0.1, "fraction of activations that training zeroes")
            .range(0, 0.9)
            .from(paper),
        integerField("model.max_positions", 1024,
                     "longest source or target, BOS and EOS included; texts without a source are as long as "
                     "the data's")
            .range(4, 65536)
            .unit("tokens")
            .from(fairseq),
        choiceField("model.positions", "sinusoid", {"sinusoid", "learned"},
                    "positional embedding: fixed sines and cosines, or a learned table; without a source "
                    "positions are rotary")
            .from(fairseq),
        flagField("model.source_bos", false, "whether the encoder reads the BOS before a source")
            .from("fairseq's translation task, which has none"),
        realField("loss.label_smoothing", 0.1, "weight of the uniform distribution in the token loss")
            .range(0, 0.9)
            .from(paper),
        choiceField("init.cross_attention", "xavier", {"xavier", "identity"},
                    "initial values of the cross-attention's query and key projections")
            .from("Kurve: initial values that let small models learn in minutes"),
    };
}

std::vector<FieldSpec> samplerFields() {
    const char* fairseq = "fairseq's sequence generator";
    return {
        choiceField("sampler.method", "beam", {"beam", "sample"},
                    "beam search (greedy with a beam of 1), or sampling from the model's distribution")
            .from(fairseq),
        integerField(
            "sampler.beam", 5,
            "beam size; with method = sample: samples for each source, of which the first is the output")
            .range(1, 64)
            .from(fairseq),
        realField("sampler.length_penalty", 1.0,
                  "lambda: a hypothesis scores its log-probability / length^lambda, EOS counted")
            .range(0, 5)
            .from(fairseq),
        integerField("sampler.min_length", 1, "least number of tokens before EOS")
            .range(0, 65536)
            .from(fairseq),
        realField("sampler.max_length_a", 0.0, "a: EOS is forced after a * source length + b tokens")
            .range(0, 100)
            .from(fairseq),
        integerField("sampler.max_length_b", 200,
                     "b of the same; the longest text that the model reads limits both")
            .range(1, 65536)
            .unit("tokens")
            .from(fairseq),
        realField("sampler.temperature", 1.0,
                  "logits are divided by it before sampling; only method = sample")
            .range(0.01, 100)
            .from(fairseq),
        integerField("sampler.top_k", 0, "sample from the k most probable tokens; 0 = all")
            .range(0, 1 << 20)
            .from(fairseq),
        realField("sampler.top_p", 1.0,
                  "sample from the smallest set of tokens with this cumulative probability")
            .range(0.01, 1)
            .from("Holtzman et al. 2020"),
        integerField("sampler.batch_size", 256, "hypotheses extended at the same time")
            .range(1, 65536)
            .reportingOnly(),
    };
}

std::vector<Preset> presets() {
    return {
        {"tiny", "learns the sample tasks on a CPU in a minute", tinyValues()},
        {"base", "Transformer base, the teacher of WMT16 En-Ro", paperValues(0.1)},
        {"big", "Transformer big, the teacher of WMT14 En-De", bigValues()},
        {"tiny-text", "a language model of short texts, after a minute on a CPU", tinyTextValues()},
        {"small-text", "the autoregressive baseline of MDLM's 110M sizes; set the data", smallTextValues()}};
}

Status checkModel(const RunConfig& config, const train::TextShape& shape) {
    if (!shape.hasSource) return checkRotaryHeads(config);
    KURVE_CHECKED(checkSizes(config, shape));
    const std::int64_t hidden = config.integer("model.hidden");
    if (hidden % 2 != 0)
        return requestError("model.hidden", fmt::format("model.hidden {} is odd", hidden))
            .at("model.hidden")
            .fix("choose an even number: positions are sines and cosines");
    return {};
}

DecoderOnlySizes decoderOnlySizes(const RunConfig& config, const train::TextShape& shape) {
    return {.vocabulary = shape.targetVocabulary,
            .hidden = config.integer("model.hidden"),
            .layers = config.integer("model.decoder_layers"),
            .heads = config.integer("model.heads"),
            .ffn = config.integer("model.ffn"),
            .maxPositions = shape.maxLength,
            .running = text::isRunning(config),
            .special = shape.special};
}

}  // namespace kurve::models::transformer
