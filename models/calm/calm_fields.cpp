#include "models/calm/calm_fields.h"

#include <fmt/format.h>

#include "core/sampling/temperature.h"
#include "models/calm/denoising_head.h"
#include "models/calm/energy_head.h"
#include "models/common/size_checks.h"

namespace kurve::models::calm {
namespace {

constexpr const char *kPaper = "CALM, section 3", *kSizes = "CALM, section 6.1",
                     *kCode = "CALM's code, configuration_calm.py", *kSampling = "CALM, section 5";

using Values = std::map<std::string, FieldValue>;

Values tinyValues() {
    return {{"model.hidden", std::int64_t{128}},
            {"model.ffn", std::int64_t{320}},
            {"model.layers", std::int64_t{4}},
            {"model.heads", std::int64_t{4}},
            {"head.blocks", std::int64_t{1}},
            {"head.noise", std::int64_t{32}},
            {"head.targets", std::int64_t{32}},
            {"init.kind", std::string("fan-in")},
            {"sampler.draws", std::int64_t{64}},
            {"sampler.head_steps", std::int64_t{20}},
            {"train.lr", 2e-3},
            {"train.schedule", std::string("linear")},
            {"train.warmup_steps", std::int64_t{50}},
            {"train.batch_tokens", std::int64_t{1024}},
            {"train.weight_decay", 0.1},
            {"train.beta2", 0.95},
            {"checkpoint.metric", std::string("valid_loss")}};
}

/// train_energy.sh: blocks of 8,192 tokens without documents' borders.
Values paperValues(std::int64_t hidden, std::int64_t ffn, std::int64_t layers, std::int64_t heads,
                   std::int64_t blocks) {
    return {{"model.hidden", hidden},
            {"model.ffn", ffn},
            {"model.layers", layers},
            {"model.heads", heads},
            {"head.blocks", blocks},
            {"data.format", std::string("running")},
            {"data.block", std::int64_t{8192}},
            {"train.lr", 3e-4},
            {"train.schedule", std::string("constant")},
            {"train.warmup_steps", std::int64_t{2000}},
            {"train.beta2", 0.95},
            {"train.weight_decay", 0.1},
            {"train.batch_tokens", std::int64_t{2097152}},
            {"train.steps", std::int64_t{250000}},
            {"checkpoint.metric", std::string("valid_loss")}};
}

FieldSpec autoencoderField() {
    return runField(kAutoencoder, "the run whose autoencoder turns chunks into vectors and back; frozen")
        .fits({"calm_autoencoder"})
        .from("CALM, section 2");
}

}  // namespace

std::vector<FieldSpec> modelFields() {
    return {
        autoencoderField(),
        integerField("model.hidden", 1024, "width of the hidden states and the embedding")
            .range(8, 8192)
            .unit("dims")
            .from(kSizes),
        integerField("model.ffn", 2752, "inner width of the feed-forward blocks")
            .range(8, 32768)
            .from(kSizes),
        integerField("model.layers", 16, "Transformer blocks").range(1, 128).from(kSizes),
        integerField("model.heads", 16, "attention heads; must divide model.hidden into even widths")
            .range(1, 128)
            .from(kSizes),
        choiceField("model.input", "discrete", {"discrete", "continuous", "both"},
                    "what is read of a chunk: its tokens, its vector, or both")
            .from("CALM, Table 5"),
        choiceField("head.kind", "energy", {"energy", "diffusion", "flow"},
                    "what draws a chunk's vector: one step trained by the energy score, or denoising")
            .from("CALM, section 6.4"),
        integerField("head.blocks", 4, "blocks of the head; a quarter of model.layers")
            .range(1, 64)
            .from(kPaper),
        integerField("head.noise", 64, "width of the energy head's noise")
            .range(1, 4096)
            .unit("dims")
            .from(kCode),
        integerField("head.samples", 8, "vectors drawn in the loss for each chunk, N")
            .range(2, 64)
            .from(kSizes),
        integerField("head.targets", 100, "vectors of the true chunk in the energy loss, M")
            .range(1, 1024)
            .from(kSizes),
        realField("head.alpha", 1.0, "power of the distances in the energy loss")
            .range(0.05, 2)
            .from("CALM, eq. 9"),
        choiceField("init.kind", "published", {"published", "fan-in"},
                    "initial weights: N(0, 0.02^2), or N(0, 1 / inputs)")
            .from("published: CALM's code; fan-in: Kurve"),
        choiceField("init.output", "zero", {"zero", "default"},
                    "initial weights of the head's last Linear and of its adaptive norms")
            .from("CALM's code; default: as the others"),
    };
}

std::vector<FieldSpec> samplerFields() {
    return {
        choiceField(
            "sampler.algorithm", "plain", {"plain", "batch", "exact"},
            "one draw a chunk; or temperature by sampler.draws draws; or exactly, by as many as it takes")
            .from(kSampling),
        realField("sampler.temperature", 0.5, "not with plain; batch takes 1/2, 1/3, ...")
            .range(1e-3, 1)
            .from(kSampling),
        integerField("sampler.draws", 200, "draws a chunk, N, of the algorithm batch")
            .range(1, 100000)
            .from(kSampling),
        integerField("sampler.max_draws", 100000,
                     "draws a chunk after which the algorithm exact ends the text")
            .range(1, 100000000)
            .from("Kurve"),
        integerField("sampler.max_tokens", 2048, "tokens after which a text ends")
            .range(1, 1048576)
            .from(kCode),
        integerField("sampler.head_steps", 100, "denoising steps of a diffusion or flow head")
            .range(2, 1000)
            .from("CALM, appendix D.2"),
        choiceField("sampler.solver", "midpoint", {"euler", "midpoint"}, "of a flow head")
            .from("CALM, appendix D.2"),
        integerField("sampler.batch_size", 64, "texts generated at the same time")
            .range(1, 65536)
            .reportingOnly(),
    };
}

std::vector<Preset> presets() {
    return {
        {"tiny", "pieces of words after two minutes on a CPU; set model.autoencoder", tinyValues()},
        {"calm-s", "CALM-S, of the ablations; set autoencoder and data", paperValues(768, 2048, 12, 12, 3)},
        {"calm-m", "CALM-M", paperValues(1024, 2752, 16, 16, 4)},
        {"calm-l", "CALM-L", paperValues(1536, 4096, 16, 16, 4)},
        {"calm-xl", "CALM-XL", paperValues(2560, 6880, 16, 16, 4)}};
}

std::vector<ScalarSpec> trainingScalars() {
    std::vector<ScalarSpec> all = withValidation(
        {{"energy_fidelity", "Fidelity", "", "mean distance of drawn vectors from the true chunk's"},
         {"energy_diversity", "Diversity", "", "mean distance between drawn vectors", true},
         {"noise_mse", "Noise MSE", "", "squared error of the predicted noise"},
         {"variance_bound", "Variance bound", "bits", "what the learned range of variances is trained by"}});
    all.push_back({"valid_energy_known_chunk", "Energy of the true chunk", "",
                   "validation loss of a model that knew the chunk: the least there is", false, false,
                   "valid_loss"});
    all.push_back({"valid_energy_random_chunk", "Energy of random chunks", "",
                   "validation loss of a model that draws chunks of the texts at random", false, false,
                   "valid_loss"});
    for (int n = 1; n <= 4; ++n)
        all.push_back({fmt::format("valid_brier_{}", n), fmt::format("Validation Brier-{}", n), "",
                       fmt::format("100 x Brier score of the first {} tokens of chunks, from draws; 0 is no "
                                   "better than nothing",
                                   n),
                       true, false, n == 1 ? "valid_brier_1" : ""});
    all.push_back({"valid_brierlm", "Validation BrierLM", "",
                   "100 x geometric mean of Brier-1 to Brier-4; 0 where one of them is not above 0", true,
                   false, "valid_brier_1"});
    return all;
}

Status checkModel(const RunConfig& config) {
    KURVE_CHECKED(checkRotaryHeads(config));
    if (config.text(kAutoencoder).empty())
        return requestError("model.autoencoder", "the model has no autoencoder")
            .at(kAutoencoder)
            .fix("train one (family calm_autoencoder) and name its run");
    if (config.text("sampler.algorithm") == "batch")
        KURVE_CHECKED(sampling::reciprocal(config.real("sampler.temperature")));
    return {};
}

CalmSizes sizesOf(const RunConfig& config, const train::TextShape& shape,
                  const calm_autoencoder::AutoencoderSizes& autoencoder) {
    CalmSizes sizes;
    sizes.vocabulary = shape.targetVocabulary;
    sizes.hidden = config.integer("model.hidden");
    sizes.ffn = config.integer("model.ffn");
    sizes.layers = config.integer("model.layers");
    sizes.heads = config.integer("model.heads");
    sizes.chunk = autoencoder.chunk;
    sizes.latent = autoencoder.latent;
    const std::string& input = config.text("model.input");
    sizes.input = input == "discrete"     ? ChunkInput::Discrete
                  : input == "continuous" ? ChunkInput::Continuous
                                          : ChunkInput::Both;
    sizes.maxChunks = (shape.maxLength + sizes.chunk - 1) / sizes.chunk + 1;
    sizes.special = shape.special;
    return sizes;
}

std::shared_ptr<ChunkHead> headOf(const RunConfig& config, std::int64_t latent) {
    const std::int64_t hidden = config.integer("model.hidden"), blocks = config.integer("head.blocks"),
                       samples = config.integer("head.samples");
    const std::string& kind = config.text("head.kind");
    if (kind == "energy")
        return std::make_shared<EnergyHead>(EnergyHeadSizes{hidden, latent, config.integer("head.noise"),
                                                            blocks, samples, config.integer("head.targets"),
                                                            config.real("head.alpha")});
    return std::make_shared<DenoisingHead>(
        DenoisingHeadSizes{hidden, latent, blocks, samples, kind == "flow"});
}

HeadSampling headSampling(const RunConfig& sampler) {
    return {sampler.integer("sampler.head_steps"), sampler.text("sampler.solver") == "midpoint"};
}

}  // namespace kurve::models::calm
