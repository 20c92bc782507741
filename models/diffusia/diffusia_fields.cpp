#include "models/diffusia/diffusia_fields.h"

#include <fmt/format.h>

#include <iterator>

#include "core/base/check.h"
#include "core/schedule/schedule_file.h"
#include "core/train/reranker.h"
#include "models/common/replayed_denoiser.h"
#include "models/common/schedule_checks.h"
#include "models/common/size_checks.h"

namespace kurve::models::diffusia {
namespace {

constexpr const char *kPaper = "DiffuSIA, section 3", *kSettings = "DiffuSIA, section 4.1",
                     *kCode = "DiffuSeq's code",
                     *kTiny = "Kurve: initial values that let small models learn in minutes";

constexpr std::int64_t kLengthClasses = 256;

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::vector<FieldSpec> networkFields() {
    return {
        choiceField(
            "model.network", "diffusia", {"diffusia", "diffused", "without-si", "diffuseq"},
            "encoder and decoder in turns, each reads the other; encoder that knows no noise, computed "
            "once a sentence; all of the encoder before the decoder; or one tower over both")
            .from("DiffuSIA, section 3.2; DiffuSeq"),
        integerField("model.hidden", 768, "width of the hidden states")
            .range(8, 8192)
            .unit("dims")
            .from(kSettings),
        integerField("model.latent", 128, "width of the target's embeddings and of the diffused vectors")
            .range(2, 4096)
            .unit("dims")
            .from(kSettings),
        integerField("model.encoder_layers", 6,
                     "layers of the condition; of diffuseq the tower has both counts")
            .range(1, 64)
            .from(kSettings),
        integerField("model.decoder_layers", 6, "layers of the target").range(1, 64).from(kSettings),
        integerField("model.heads", 12, "attention heads; must divide model.hidden")
            .range(1, 128)
            .from(kSettings),
        integerField("model.ffn", 3072, "inner width of the feed-forward blocks")
            .range(8, 32768)
            .from(kSettings),
        realField("model.dropout", 0.1, "fraction of activations that training zeroes")
            .range(0, 0.9)
            .from(kSettings),
        integerField("model.max_positions", 512, "longest source, and target where its padding is masked")
            .range(4, 65536)
            .unit("tokens")
            .from(kSettings),
        integerField("model.target_length", 0,
                     "tokens that every target is padded to where padding is a token; 0 = data.max_length")
            .range(0, 65536)
            .unit("tokens")
            .from("DiffuSIA, table 1"),
        choiceField("model.self_conditioning", "c", {"none", "a", "c", "fused"},
                    "how the estimate before enters: not; added (A-type); by a linear map of both (C-type); "
                    "or with the projection to the hidden width")
            .from("DiffuSIA, section 3.4; fused: SeqDiffuSeq's code"),
        flagField("model.shared_embeddings", false,
                  "the source's embeddings are a linear map of the target's; small models need it")
            .from("Kurve; two tables in the paper"),
        choiceField(
            "length.kind", "padding", {"padding", "meanpool"},
            "padding is a token like any other and so tells the length; or it is masked, and the length "
            "is predicted from the mean state of the source")
            .from("DiffuSeq's code; meanpool: Kurve"),
    };
}

std::vector<FieldSpec> processFields() {
    return {
        choiceField("diffusion.schedule", "sqrt", {"sqrt", "linear", "cosine", "edm", "cdcd"},
                    "noise schedule; file:schedules/NAME.toml for one of the project")
            .orPrefixes(schedule::schedulePrefixes())
            .from(kSettings),
        integerField("diffusion.steps", 2000, "steps T of the discrete process")
            .range(2, 100000)
            .from(kSettings),
        realField("diffusion.noise_factor", 1.0,
                  "F: scales the noise in training only, so that the source is needed; small models: 3")
            .range(0.1, 100)
            .from("Difformer, noise schedule and rescaling; 1 in the paper"),
        realField("diffusion.self_conditioning", 0.5,
                  "probability that a batch is denoised from its own first estimate; 0: a network without it")
            .range(0, 1)
            .from("DiffuSIA, section 3.4"),
        choiceField("diffusion.step_sampler", "loss-aware", {"uniform", "loss-aware"},
                    "which steps training draws: all alike, or by the root mean square of their last losses")
            .from("Nichol and Dhariwal 2021, section 3.3"),
        integerField("diffusion.step_buckets", 0,
                     "of loss-aware: groups of neighbouring steps with one history each; must divide "
                     "diffusion.steps; 0 = one for each step, which takes thousands of steps to fill")
            .range(0, 100000)
            .from("Kurve; one for each step in the code"),
        integerField("diffusion.step_history", 10,
                     "of loss-aware: losses of a history; until all are full, steps are drawn uniformly")
            .range(1, 1000)
            .from(kCode),
        choiceField(
            "loss.form", "code", {"code", "paper"},
            "means over positions and dimensions, plus the prior; or the sums of equation 3, the error "
            "times T")
            .from("DiffuSeq's code; DiffuSIA, equation 3"),
        realField("loss.length_weight", 0.005,
                  "weight of the length predictor's loss (length.kind = meanpool); at 0.1 small models learn "
                  "lengths only")
            .range(0, 10)
            .from("Kurve"),
    };
}

std::vector<FieldSpec> initialFields() {
    return {
        realField("init.embedding_std", 1.0, "standard deviation of the target's embeddings; the noise has 1")
            .range(1e-4, 10)
            .from(kCode),
        realField("init.layer_std", 0.02, "standard deviation of all other weights")
            .range(1e-4, 10)
            .from("BERT"),
        choiceField(
            "init.positions", "normal", {"normal", "sinusoid"},
            "initial values of the position tables; sinusoids align source and target from the first step")
            .from(kTiny),
        choiceField("init.cross_attention", "normal", {"normal", "identity"},
                    "initial values of the cross-attention's query and key projections")
            .from(kTiny),
        choiceField("init.self_conditioning", "normal", {"normal", "identity"},
                    "initial values of the C-type's map: random, or as if there were no estimate")
            .from(kTiny),
    };
}

bool isTower(const RunConfig& config) {
    return config.text("model.network") == "diffuseq";
}

Status checkVocabularies(const RunConfig& config, const train::TextShape& shape) {
    if (shape.jointVocabulary) return {};
    if (isTower(config))
        return requestError("model.network",
                            "one tower embeds both sides alike, but each has its own tokenizer")
            .at("model.network")
            .fix("choose another network, or one tokenizer for both sides (data.same_language)");
    if (config.flag("model.shared_embeddings"))
        return requestError("model.shared_embeddings",
                            "each side has its own tokenizer: nothing can be shared")
            .at("model.shared_embeddings")
            .fix("set model.shared_embeddings to false, or use one tokenizer (data.same_language)");
    return {};
}

Status checkLengths(const RunConfig& config, const train::TextShape& shape) {
    if (!paddingIsToken(config)) {
        if (isTower(config))
            return requestError("length.kind", "a single tower has no state of the source alone")
                .at("length.kind")
                .fix("set length.kind to padding");
        return {};
    }
    const std::int64_t width = targetLength(config, shape);
    if (width < shape.maxLength)
        return requestError("model.target_length",
                            fmt::format("the data has sentences of {} tokens, targets are padded to {}",
                                        shape.maxLength, width))
            .at("model.target_length")
            .fix(fmt::format("set model.target_length to {} or data.max_length lower", shape.maxLength));
    return checkLengthBeam(config);
}

Status checkSteps(const RunConfig& config) {
    const std::int64_t steps = config.integer("diffusion.steps"),
                       buckets = config.integer("diffusion.step_buckets");
    if (buckets > 0 && steps % buckets != 0)
        return requestError("diffusion.step_buckets",
                            fmt::format("{} do not divide {} steps", buckets, steps))
            .at("diffusion.step_buckets")
            .fix("choose a divisor of diffusion.steps");
    if (config.integer("sampler.steps") > steps)
        return requestError("sampler.steps", fmt::format("{} reverse steps, but the process has {}",
                                                         config.integer("sampler.steps"), steps))
            .at("sampler.steps")
            .fix("set sampler.steps to at most diffusion.steps");
    return checkSchedule(config, "diffusion.schedule");
}

}  // namespace

std::vector<FieldSpec> modelFields() {
    std::vector<FieldSpec> fields = networkFields();
    append(fields, processFields());
    append(fields, initialFields());
    return fields;
}

std::vector<FieldSpec> samplerFields() {
    return {
        choiceField("sampler.solver", "ddpm", {"ddpm", "ddim", "dpm-solver"},
                    "reverse steps: ancestral, deterministic, or DPM-Solver++ of second order")
            .from("Ho et al. 2020; Song et al. 2021; Lu et al. 2022"),
        integerField("sampler.steps", 20, "reverse steps of the respaced chain")
            .range(1, 100000)
            .from(kSettings),
        choiceField("sampler.variance", "posterior", {"posterior", "large"},
                    "of ddpm: noise of a step; large (beta, as published) is too wide for a respaced chain")
            .from("Ho et al. 2020, section 3.2"),
        flagField("sampler.lower_order_final", false,
                  "of dpm-solver: the step before the last is of first order")
            .from("Lu et al. 2022"),
        flagField("sampler.clamp", false, "replace each estimate by its nearest embedding").from(kCode),
        choiceField(
            "sampler.feed", "raw", {"raw", "clamped"},
            "the estimate that the next step is conditioned on: the network's, or with sampler.clamp the "
            "clamped one")
            .from("SeqDiffuSeq's code"),
        integerField("sampler.length_beam", 1,
                     "lengths tried around the predicted one (length.kind = meanpool)")
            .range(1, 64)
            .from("Difformer's code, generator.py"),
        integerField("sampler.noise_beam", 1, "noise samples for each length").range(1, 64).from(kSettings),
        choiceField(
            "sampler.selection", "likelihood",
            {"likelihood", train::kMbrSelection, kMbrTokens, train::kPplSelection},
            "selection among the candidates: mean log-probability, minimum Bayes risk by BLEU of words or "
            "of tokens, or the least perplexity under sampler.scorer")
            .from(kSettings),
        train::scorerField(),
        integerField("sampler.batch_size", 128, "candidates decoded at the same time")
            .range(1, 65536)
            .reportingOnly(),
        cudaGraphsField(),
    };
}

bool paddingIsToken(const RunConfig& config) {
    return config.text("length.kind") == "padding";
}

std::int64_t targetLength(const RunConfig& config, const train::TextShape& shape) {
    const std::int64_t chosen = config.integer("model.target_length");
    return chosen > 0 ? chosen : shape.maxLength;
}

Status checkModel(const RunConfig& config, const train::TextShape& shape) {
    KURVE_CHECKED(checkSizes(config, shape));
    KURVE_CHECKED(checkVocabularies(config, shape));
    KURVE_CHECKED(checkLengths(config, shape));
    return checkSteps(config);
}

NetSizes sizesOf(const RunConfig& config, const train::TextShape& shape) {
    const std::string &network = config.text("model.network"), &form = config.text("model.self_conditioning");
    NetSizes sizes;
    sizes.kind = network == "diffused"     ? NetworkKind::Diffused
                 : network == "diffusia"   ? NetworkKind::Diffusia
                 : network == "without-si" ? NetworkKind::WithoutSi
                                           : NetworkKind::Diffuseq;
    sizes.selfConditioning = form == "none" || config.real("diffusion.self_conditioning") == 0
                                 ? SelfConditioning::None
                             : form == "a" ? SelfConditioning::Sum
                             : form == "c" ? SelfConditioning::Concatenation
                                           : SelfConditioning::Fused;
    sizes.sourceVocabulary = shape.sourceVocabulary;
    sizes.targetVocabulary = shape.targetVocabulary;
    sizes.hidden = config.integer("model.hidden");
    sizes.latent = config.integer("model.latent");
    sizes.heads = config.integer("model.heads");
    sizes.ffn = config.integer("model.ffn");
    sizes.encoderLayers = config.integer("model.encoder_layers");
    sizes.decoderLayers = config.integer("model.decoder_layers");
    if (isTower(config)) sizes.encoderLayers += std::exchange(sizes.decoderLayers, 0);
    sizes.conditionLength = config.integer("model.max_positions");
    sizes.targetLength = paddingIsToken(config) ? targetLength(config, shape) : sizes.conditionLength;
    sizes.lengthClasses = paddingIsToken(config) ? 0 : kLengthClasses;
    sizes.sharedEmbeddings = config.flag("model.shared_embeddings");
    sizes.special = shape.special;
    return sizes;
}

Status checkLengthBeam(const RunConfig& sampler) {
    if (!paddingIsToken(sampler) || sampler.integer("sampler.length_beam") == 1) return {};
    return requestError("sampler.length_beam", "padding tells the length: there are no others to try")
        .at("sampler.length_beam")
        .fix("set sampler.length_beam to 1 and sampler.noise_beam higher");
}

LossForm lossFormOf(const RunConfig& config) {
    return config.text("loss.form") == "paper" ? LossForm::Paper : LossForm::Code;
}

diffusion::StepSamplerImpl::Sizes stepSamplerSizes(const RunConfig& config) {
    const std::int64_t steps = config.integer("diffusion.steps"),
                       buckets = config.integer("diffusion.step_buckets");
    return {steps, buckets > 0 ? buckets : steps, config.integer("diffusion.step_history")};
}

std::shared_ptr<const schedule::NoiseSchedule> scheduleOf(const RunConfig& config) {
    auto made = schedule::makeSchedule(config.text("diffusion.schedule"),
                                       {{"steps", std::to_string(config.integer("diffusion.steps"))}});
    KURVE_CHECK(made.has_value(), "schedule {}: {}", config.text("diffusion.schedule"), made.error().text());
    return std::move(*made);
}

diffusion::SolverSettings solverOf(const RunConfig& sampler) {
    const std::string& solver = sampler.text("sampler.solver");
    return {solver == "ddpm"   ? diffusion::Solver::Ddpm
            : solver == "ddim" ? diffusion::Solver::Ddim
                               : diffusion::Solver::DpmSolver,
            sampler.text("sampler.variance") == "large", sampler.flag("sampler.lower_order_final")};
}

}  // namespace kurve::models::diffusia
