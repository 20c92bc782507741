#include "models/difformer/difformer_fields.h"

#include <fmt/format.h>

#include <iterator>

#include "core/schedule/schedule_file.h"
#include "core/train/reranker.h"
#include "models/common/length_only_watch.h"
#include "models/common/replayed_denoiser.h"
#include "models/common/scalars.h"
#include "models/common/schedule_checks.h"
#include "models/common/size_checks.h"
#include "models/difformer/collapse_watch.h"

namespace kurve::models::difformer {
namespace {

std::vector<FieldSpec> networkFields() {
    return {
        integerField("model.hidden", 512, "width of the hidden states")
            .range(8, 8192)
            .unit("dims")
            .from("Difformer's code, modules.py"),
        integerField("model.latent", 128, "width of embeddings and of the diffused vectors")
            .range(2, 4096)
            .unit("dims")
            .from("Difformer's code, modules.py"),
        integerField("model.encoder_layers", 6, "Transformer layers that read the source")
            .range(1, 64)
            .from("Difformer's code, modules.py"),
        integerField("model.decoder_layers", 6, "Transformer layers that denoise")
            .range(1, 64)
            .from("Difformer's code, modules.py"),
        integerField("model.heads", 8, "attention heads; must divide model.hidden")
            .range(1, 128)
            .from("SCLM, Table 2"),
        integerField("model.ffn", 2048, "inner width of the feed-forward blocks")
            .range(8, 32768)
            .from("SCLM, Table 2"),
        realField("model.dropout", 0.1, "fraction of activations that training zeroes")
            .range(0, 0.9)
            .from("SCLM, Table 2"),
        integerField("model.max_positions", 1024, "longest source or target, BOS and EOS included")
            .range(4, 65536)
            .unit("tokens")
            .from("Difformer's code, modules.py"),
        flagField("model.latent_norm", false,
                  "LayerNorm on z_0 itself, before the projection (variant \"before\")")
            .from("Difformer, embedding normalisation"),
    };
}

std::vector<FieldSpec> processFields() {
    return {
        choiceField("diffusion.schedule", "sqrt", {"sqrt", "linear", "cosine", "edm", "cdcd"},
                    "noise schedule; file:schedules/NAME.toml for one of the project")
            .orPrefixes(schedule::schedulePrefixes())
            .from("Difformer, noise schedule and rescaling"),
        integerField("diffusion.steps", 2000, "steps T of the discrete process")
            .range(2, 100000)
            .from("Difformer, noise schedule and rescaling"),
        realField("diffusion.noise_factor", 4.0, "F: scales the noise of the schedule")
            .range(0.1, 100)
            .from("Difformer, noise schedule and rescaling"),
        flagField("diffusion.vp_rf", false, "apply F to the schedule, not to the noise")
            .from("Difformer, noise schedule and rescaling"),
        realField("diffusion.self_conditioning", 0.5,
                  "probability that a batch is denoised from its own first estimate; 0: a network without it")
            .range(0, 1)
            .from("Difformer, training objective"),
        realField("loss.label_smoothing", 0.1, "weight of the uniform distribution in the token loss")
            .range(0, 0.9)
            .from("Difformer, training objective"),
        realField("loss.length_weight", 0.1, "weight of the length predictor's loss")
            .range(0, 10)
            .from("Difformer, training objective"),
    };
}

std::vector<FieldSpec> initialFields() {
    return {
        realField("init.embedding_std", 0.02,
                  "standard deviation of the embeddings; 0.12 at 64 dims makes std(z_0) about 1")
            .range(1e-4, 10)
            .from("Kurve: initial values that let small models learn in minutes"),
        choiceField(
            "init.positions", "normal", {"normal", "sinusoid"},
            "initial values of both position tables; sinusoids align source and target from the first step")
            .from("Kurve: initial values that let small models learn in minutes"),
        realField("init.decoder_std", 0.02,
                  "standard deviation of the decoder layers' weights; 0 = 1/sqrt(model.hidden)")
            .range(0, 10)
            .from("Kurve: initial values that let small models learn in minutes"),
        choiceField("init.cross_attention", "normal", {"normal", "identity"},
                    "initial values of the cross-attention's query and key projections")
            .from("Kurve: initial values that let small models learn in minutes"),
    };
}

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

using Values = std::map<std::string, FieldValue>;

Values tinyValues() {
    return {{"model.hidden", std::int64_t{128}},
            {"model.latent", std::int64_t{64}},
            {"model.encoder_layers", std::int64_t{1}},
            {"model.decoder_layers", std::int64_t{2}},
            {"model.heads", std::int64_t{4}},
            {"model.ffn", std::int64_t{256}},
            {"model.dropout", 0.0},
            {"model.max_positions", std::int64_t{128}},
            {"init.embedding_std", 0.12},
            {"init.positions", std::string("sinusoid")},
            {"init.decoder_std", 0.0},
            {"init.cross_attention", std::string("identity")},
            {"train.lr", 1.8e-3},
            {"train.schedule", std::string("linear")},
            {"train.warmup_steps", std::int64_t{100}},
            {"train.batch_tokens", std::int64_t{320}},
            {"sampler.steps", std::int64_t{10}}};
}

struct PaperRun {
    std::int64_t ffn, heads, batchTokens, warmupSteps, skippedSteps, lengthBeam, noiseBeam;
    double dropout, noiseFactor, maxGradNorm;
    const char* selection;
};

Values paperValues(const PaperRun& run) {
    return {{"model.ffn", run.ffn},
            {"model.heads", run.heads},
            {"model.dropout", run.dropout},
            {"diffusion.noise_factor", run.noiseFactor},
            {"train.steps", std::int64_t{300000}},
            {"train.batch_tokens", run.batchTokens},
            {"train.warmup_steps", run.warmupSteps},
            {"train.max_grad_norm", run.maxGradNorm},
            {"checkpoint.keep_best", std::int64_t{5}},
            {"sampler.skip_last_steps", run.skippedSteps},
            {"sampler.length_beam", run.lengthBeam},
            {"sampler.noise_beam", run.noiseBeam},
            {"sampler.selection", std::string(run.selection)}};
}

// SCLM, Table 2, for both models; which MBR it decodes with is not said.
constexpr PaperRun kIwslt{1024, 4, 8192, 10000, 0, 5, 2, 0.3, 4.0, 0.0, train::kMbrSelection},
    kWmt{2048, 8, 32768, 4000, 0, 7, 3, 0.1, 3.5, 1.0, train::kMbrSelection};
// Difformer's scripts, scripts/*/train.sh and evaluate.sh.
constexpr PaperRun kIwsltScripts{1024, 4, 8192, 10000, 5, 7, 3, 0.3, 4.0, 1.0, train::kPplSelection},
    kWmtScripts{2048, 8, 65536, 10000, 5, 7, 3, 0.1, 3.5, 1.0, train::kPplSelection};

}  // namespace

std::vector<FieldSpec> modelFields() {
    std::vector<FieldSpec> fields = networkFields();
    append(fields, processFields());
    append(fields, initialFields());
    return fields;
}

std::vector<FieldSpec> samplerFields() {
    return {
        integerField("sampler.steps", 20, "reverse steps of the respaced chain")
            .range(1, 100000)
            .from("Difformer's code, generator.py"),
        integerField("sampler.skip_last_steps", 0, "number of last reverse steps to skip")
            .range(0, 99999)
            .from("Difformer's code, generator.py"),
        realField("sampler.noise_factor", 1.0, "noise while decoding, in the schedule's units")
            .range(0, 100)
            .from("Difformer's code, generator.py"),
        choiceField("sampler.schedule", kTrained, {kTrained, "sqrt", "linear", "cosine", "edm", "cdcd"},
                    "noise levels of the reverse steps; the network gets the time at which training had "
                    "the level")
            .orPrefixes(schedule::schedulePrefixes())
            .from("Kurve: another schedule at test time"),
        choiceField("sampler.spacing", "time", {"time", "log-snr", "rho7"}, "spacing of the reverse steps")
            .from("Lu et al. 2022 (log-SNR), Karras et al. 2022 (rho = 7)"),
        flagField("sampler.clamp", false, "replace each estimate by its nearest embedding")
            .from("Difformer's code, generator.py"),
        integerField("sampler.length_beam", 1, "lengths tried around the predicted one")
            .range(1, 64)
            .from("Difformer's code, generator.py"),
        integerField("sampler.noise_beam", 1, "noise samples for each length")
            .range(1, 64)
            .from("Difformer's code, generator.py"),
        choiceField(
            "sampler.selection", "likelihood",
            {"likelihood", train::kMbrSelection, kMbrTokens, train::kPplSelection},
            "selection among the candidates: mean log-probability, minimum Bayes risk by BLEU of words or "
            "of tokens (Difformer's code), or the least perplexity under sampler.scorer")
            .from("Difformer, candidate selection"),
        train::scorerField(),
        integerField("sampler.batch_size", 128,
                     "candidates decoded at the same time; at most 8 on a CPU, where fewer are faster")
            .range(1, 65536)
            .reportingOnly(),
        cudaGraphsField(),
    };
}

std::vector<Preset> basePresets() {
    return {
        {"tiny", "learns the sample tasks on a CPU in minutes; initial values that suit small models",
         tinyValues()},
        {"iwslt14", "IWSLT14 En-De as the SCLM paper trains and decodes it, Table 2", paperValues(kIwslt)},
        {"wmt14", "WMT14 En-De as the SCLM paper trains and decodes it, Table 2", paperValues(kWmt)}};
}

std::vector<Preset> scriptPresets() {
    return {{"iwslt14-scripts", "IWSLT14 En-De as Difformer's scripts; needs sampler.scorer",
             paperValues(kIwsltScripts)},
            {"wmt14-scripts", "WMT14 En-De as Difformer's scripts; needs sampler.scorer",
             paperValues(kWmtScripts)}};
}

Status checkModel(const RunConfig& config, const train::TextShape& shape) {
    KURVE_CHECKED(checkSizes(config, shape));
    const std::int64_t hidden = config.integer("model.hidden");
    if (hidden % 2 != 0)
        return requestError("model.hidden", fmt::format("model.hidden {} is odd", hidden))
            .at("model.hidden")
            .fix("choose an even number: the timestep embedding is sines and cosines");
    if (config.integer("sampler.steps") > config.integer("diffusion.steps"))
        return requestError("sampler.steps",
                            fmt::format("{} reverse steps, but the process has {}",
                                        config.integer("sampler.steps"), config.integer("diffusion.steps")))
            .at("sampler.steps")
            .fix("set sampler.steps to at most diffusion.steps");
    KURVE_CHECKED(checkSchedule(config, "diffusion.schedule"));
    return config.text("sampler.schedule") == kTrained ? Status() : checkSchedule(config, "sampler.schedule");
}

std::vector<ScalarSpec> trainingScalars() {
    std::vector<ScalarSpec> all =
        withValidation({{"loss_diff", "Diffusion loss", "",
                         "mean squared error of the estimated clean embeddings", false, true},
                        {"loss_anchor", "Anchor loss", "nats",
                         "label-smoothed cross entropy of the tokens at the estimate", false, true},
                        lengthLossScalar(),
                        {"rounding_nll", "Rounding NLL", "nats",
                         "negative log-probability of the token when the estimate is rounded to a word; no "
                         "likelihood of the text",
                         false, true, "rounding_nll"}});
    all.push_back(embeddingDeviationScalar());
    return all;
}

std::vector<std::unique_ptr<alerts::FamilyWatch>> embeddingWatches(double unigramEntropy) {
    std::vector<std::unique_ptr<alerts::FamilyWatch>> all;
    all.push_back(std::make_unique<CollapseWatch>());
    all.push_back(std::make_unique<LengthOnlyWatch>("rounding_nll", unigramEntropy));
    return all;
}

}  // namespace kurve::models::difformer
