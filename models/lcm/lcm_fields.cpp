#include "models/lcm/lcm_fields.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "core/schedule/noise_schedule.h"
#include "core/schedule/schedule_file.h"
#include "models/common/size_checks.h"
#include "models/lcm/quantizer_scores.h"

namespace kurve::models::lcm {
namespace {

constexpr const char *kPaper = "LCM, section 2.3", *kNoise = "LCM, section 2.3.2",
                     *kSettings = "LCM, table 4", *kQuant = "LCM, section 2.3.5", *kCode = "LCM's code";

using Values = std::map<std::string, FieldValue>;

Values tinyValues(const std::string& kind) {
    return {{"model.kind", kind},
            {"model.hidden", std::int64_t{96}},
            {"model.ffn", std::int64_t{256}},
            {"model.heads", std::int64_t{4}},
            {"model.layers", std::int64_t{kind == "two-tower" || kind == "base" ? 2 : 4}},
            {"model.denoiser_layers", std::int64_t{2}},
            {"quantizer.books", std::int64_t{8}},
            {"quantizer.centroids", std::int64_t{256}},
            {"sampler.guidance", 1.5},
            {"sampler.start", 1.0},
            {"sampler.steps", std::int64_t{10}},
            {"train.lr", 2e-3},
            {"train.beta2", 0.95},
            {"train.schedule", std::string("linear")},
            {"train.warmup_steps", std::int64_t{40}},
            {"train.expected_steps", std::int64_t{2000}},
            {"train.max_grad_norm", 10.0},
            {"train.batch_tokens", std::int64_t{4000}},
            {"data.kind", std::string("documents")},
            {"checkpoint.metric", std::string("valid_loss")}};
}

/// Section 2.4: the 1.6B models of the ablations, with the code's recipes.
Values paperValues(const std::string& kind) {
    Values values{{"model.kind", kind},
                  {"model.hidden", std::int64_t{2048}},
                  {"model.ffn", std::int64_t{5632}},
                  {"model.heads", std::int64_t{16}},
                  {"model.layers", std::int64_t{32}},
                  {"train.lr", 4e-4},
                  {"train.beta2", 0.95},
                  {"train.weight_decay", 0.1},
                  {"train.schedule", std::string("cosine")},
                  {"train.warmup_steps", std::int64_t{10000}},
                  {"train.steps", std::int64_t{250000}},
                  {"train.max_grad_norm", 25.0},
                  {"data.kind", std::string("documents")},
                  {"checkpoint.metric", std::string("valid_loss")}};
    if (kind == "two-tower") {
        values["model.layers"] = std::int64_t{5};
        values["model.denoiser_layers"] = std::int64_t{13};
    } else if (kind != "base") {
        values["model.heads"] = std::int64_t{32};
        values["model.ffn"] = std::int64_t{8192};
    }
    return values;
}

/// Quant's scores by the number of codebooks (quantizer_scores.h), one chart each.
std::vector<ScalarSpec> quantizerScalars() {
    struct Score {
        const char *id, *title, *each, *doc;
        bool higher;
    };
    std::vector<ScalarSpec> all;
    for (const Score& score :
         {Score{"quantizer_error", "Error of the quantizer", "Error after codebook {}",
                "squared distance of vectors from the sum of that many centroids, over their squared norm",
                false},
          Score{"quantizer_exact", "Sentences kept by the quantizer", "Sentences kept after codebook {}",
                "share of the sentences that the autoencoder writes letter for letter from the sum of that "
                "many centroids",
                true},
          Score{"quantizer_used", "Centroids used", "Centroids used of codebook {}",
                "distinct centroids in an evaluation's batch, over the most that its sentences can use; mean "
                "of the codebooks, or of one",
                true},
          Score{
              "quantizer_entropy", "Entropy of the centroids", "Entropy of codebook {}",
              "of the centroids' frequencies in an evaluation's batch, over its greatest value; mean of the "
              "codebooks, or of one",
              true}}) {
        const std::string id = std::string("valid_") + score.id;
        all.push_back({id, score.title, "", score.doc, score.higher, false, id});
        for (const std::int64_t k : kMeasuredBooks)
            all.push_back({fmt::format("{}_{}", id, k), fmt::format(fmt::runtime(score.each), k), "",
                           score.doc, score.higher, false, id});
    }
    return all;
}

std::vector<FieldSpec> diffusionFields() {
    return {
        choiceField("diffusion.schedule", "cosine", {"cosine", "sigmoid", "quadratic"},
                    "noise schedule, rescaled to zero signal at its end; file:schedules/NAME.toml for one of "
                    "the project")
            .orPrefixes(schedule::schedulePrefixes())
            .from(kNoise),
        integerField("diffusion.steps", 100, "steps T of the discrete process").range(2, 10000).from(kNoise),
        realField("diffusion.slope", 1.5, "of the sigmoid schedule: how wide its log-SNRs are")
            .range(0.01, 20)
            .from("LCM, eq. 14"),
        realField("diffusion.centre", -1, "of the sigmoid schedule: the middle log-SNR")
            .range(-20, 20)
            .from("LCM, eq. 14"),
        realField("diffusion.beta_first", 0.001, "of the quadratic schedule: noise of the first step")
            .range(1e-6, 0.9)
            .from("LCM, eq. 13"),
        realField("diffusion.beta_last", 0.0012, "of the quadratic schedule: noise of the last step")
            .range(1e-6, 0.9)
            .from("LCM, eq. 13"),
        choiceField("diffusion.target", "x0", {"x0", "epsilon", "v"}, "what the network predicts")
            .from(kNoise),
        choiceField(
            "loss.weight", "none", {"none", "clamped-snr", "fragility"},
            "weight of a denoised sentence's loss: 1; its signal-to-noise ratio between two bounds; or "
            "the less, the more its reconstruction suffers under noise")
            .from("LCM, section 2.3.2"),
        realField("loss.snr_min", 0.001, "lower bound of the weight clamped-snr").atLeast(0).from(kSettings),
        realField("loss.snr_max", 5, "upper bound of the weight clamped-snr").atLeast(0).from(kSettings),
        realField("loss.fragility_slope", -4, "a of the weight sigmoid(a fragility + b)")
            .range(-100, 0)
            .from("LCM, eq. 19"),
        realField("loss.fragility_offset", 3.5, "b of the weight sigmoid(a fragility + b)")
            .range(-100, 100)
            .from("LCM, eq. 19"),
        integerField("loss.fragility_draws", 3,
                     "noisy copies of a sentence that its fragility is measured by in a step; 9: one of each "
                     "level")
            .range(1, 64)
            .from("LCM, section 2.5.2; a network that was taught it"),
        realField("train.drop_context", 0.15,
                  "fraction of the sentences that are denoised without their context, for guidance")
            .range(0, 1)
            .from(kPaper),
    };
}

}  // namespace

std::vector<FieldSpec> modelFields() {
    std::vector<FieldSpec> all{
        runField(kConcepts, "the run whose sentence vectors the model reads and writes; frozen")
            .fits({"concept"})
            .from("LCM, section 2.1"),
        choiceField("model.kind", "two-tower", {"base", "one-tower", "two-tower", "quant-c", "quant-d"},
                    "predicts the next vector; denoises it with one network or two; or adds centroids to it, "
                    "by their vector or their probability")
            .from(kPaper),
        integerField("model.hidden", 2048, "width of the hidden states")
            .range(8, 16384)
            .unit("dims")
            .from(kPaper),
        integerField("model.ffn", 5632, "inner width of the feed-forward blocks").range(8, 65536).from(kCode),
        integerField("model.layers", 5, "blocks; of two-tower those of the contextualizer")
            .range(1, 128)
            .from(kPaper),
        integerField("model.denoiser_layers", 13, "of two-tower: blocks of the denoiser")
            .range(1, 128)
            .from(kPaper),
        integerField("model.heads", 16, "attention heads; must divide model.hidden into even widths")
            .range(1, 128)
            .from(kCode),
        integerField("quantizer.books", 64, "of quant: codebooks, each of what those before it left")
            .range(1, 128)
            .from(kQuant),
        integerField("quantizer.centroids", 8192, "of quant: vectors of a codebook")
            .range(2, 65536)
            .from(kQuant),
        integerField("quantizer.updates", 400,
                     "of quant: updates of training in which the codebooks still learn")
            .range(1, 10000000)
            .from("Kurve; k-means beforehand in the paper"),
    };
    all.push_back(choiceField("init.output", "zero", {"zero", "default"},
                              "initial weights of the denoiser's adaptive norms")
                      .from("LCM's code; default: as the others"));
    for (FieldSpec& field : diffusionFields()) all.push_back(std::move(field));
    return all;
}

std::vector<FieldSpec> samplerFields() {
    return {
        integerField("sampler.steps", 40, "denoising steps of a sentence")
            .range(1, 10000)
            .from("LCM, section 2.4.2"),
        choiceField("sampler.timesteps", "paper", {"paper", "code"},
                    "as the paper spaces them; or as its code does, which cuts T / steps to a whole number "
                    "and so takes more steps")
            .from(kCode),
        realField("sampler.guidance", 3, "classifier-free guidance; 1 = none").range(0, 100).from(kSettings),
        realField("sampler.guidance_rescale", 0.7, "brings the guided noise back to its size; 0 = no")
            .range(0, 1)
            .from(kSettings),
        realField("sampler.start", 0.6, "standard deviation of the first noise (sigma_init)")
            .range(0, 10)
            .from(kSettings),
        realField("sampler.epsilon_scaling", 1.00045, "divides the predicted noise; 1 = none")
            .range(0.5, 2)
            .from(kSettings),
        realField("sampler.eta", 0, "0 = DDIM, 1 = ancestral sampling").range(0, 1).from("Song et al. 2021"),
        realField("sampler.temperature", 1, "of quant: of the centroids' probabilities; of quant-c 1 / beta")
            .range(0, 1000)
            .from("LCM, eq. 23"),
        integerField("sampler.top_k", 1, "of quant: the centroids that are drawn from")
            .range(1, 65536)
            .from(kQuant),
        realField("sampler.top_p", 1, "of quant-d: their least total probability").range(0, 1).from(kQuant),
        integerField("sampler.max_sentences", 16,
                     "sentences after which a document ends, the prompt's counted")
            .range(1, 100000)
            .from(kCode),
        realField("sampler.end_similarity", 0.9,
                  "a document ends with a sentence that is so like the last ones of the training documents "
                  "(cosine); 0 = never")
            .range(0, 1)
            .from("LCM, section 2.3.6"),
        realField("sampler.repeat_similarity", 0,
                  "a document ends with a sentence that is so like the one before (cosine); 0 = never")
            .range(0, 1)
            .from("LCM, section 2.3.6; off in its code"),
        integerField("sampler.batch_size", 64, "documents generated at the same time")
            .range(1, 65536)
            .reportingOnly(),
    };
}

std::vector<Preset> presets() {
    std::vector<Preset> all;
    const char* const tiny = "minutes on a CPU, for simple stories; set model.concepts";
    all.push_back({"tiny", tiny, tinyValues("two-tower")});
    for (const char* kind : {"base", "one-tower", "quant-c", "quant-d"})
        all.push_back({std::string("tiny-") + kind, tiny, tinyValues(kind)});
    for (const char* kind : {"two-tower", "base", "one-tower", "quant-c", "quant-d"})
        all.push_back(
            {std::string("1.6b-") + kind, "the paper's ablations; set the data", paperValues(kind)});
    Values seven = paperValues("two-tower");
    seven["model.hidden"] = std::int64_t{4096};
    seven["model.ffn"] = std::int64_t{11008};
    seven["model.heads"] = std::int64_t{32};
    seven["model.denoiser_layers"] = std::int64_t{14};
    seven["train.lr"] = 3e-4;
    seven["train.max_grad_norm"] = 10.0;
    all.push_back({"7b", "the paper's largest model; set the data", std::move(seven)});
    return all;
}

std::vector<ScalarSpec> trainingScalars() {
    std::vector<ScalarSpec> all = withValidation(
        {{"fragility", "Fragility", "",
          "of the weight fragility: share of the tokens that the sentence autoencoder loses under noise"}});
    const auto add = [&](const char* id, const char* title, const char* doc, bool higher, const char* chart) {
        all.push_back({std::string("valid_") + id, title, "", doc, higher, false, chart});
    };
    add("l2", "Distance of the next sentence",
        "predicted from the true ones before it; Euclidean, of vectors", false, "valid_l2");
    add("l2_round_trip", "Distance, written and read again",
        "the same of the sentence that is written from the prediction", false, "valid_l2");
    add("l2_mean_vector", "Distance of the mean vector", "what a model that knows nothing reaches", false,
        "valid_l2");
    add("l2_other_document", "Distance of another document's sentence", "at the same place", false,
        "valid_l2");
    add("contrastive_accuracy", "Contrastive accuracy",
        "share of other documents' sentences that are farther from the prediction than the true one; chance "
        "0.5",
        true, "valid_contrastive_accuracy");
    add("paraphrase_ratio", "Paraphrase ratio",
        "likeness of the prediction to a sentence before it, over that of the true one (PAR); above 1 it "
        "repeats",
        false, "");
    add("exact_sentences", "Next sentences met", "letter for letter", true, "valid_contrastive_accuracy");
    for (ScalarSpec& spec : quantizerScalars()) all.push_back(std::move(spec));
    return all;
}

Status checkModel(const RunConfig& config) {
    KURVE_CHECKED(checkRotaryHeads(config));
    if (config.text(kConcepts).empty())
        return requestError("model.concepts", "the model has no sentence vectors")
            .at(kConcepts)
            .fix("train a run of the family concept and name it");
    const std::string& kind = config.text("model.kind");
    if (const std::string& weight = config.text("loss.weight");
        weight != "none" && kind != "one-tower" && kind != "two-tower")
        return requestError("loss.weight", fmt::format("{} denoises nothing that could be weighted", kind))
            .at("loss.weight")
            .fix("set it to \"none\", or model.kind to \"one-tower\" or \"two-tower\"");
    if (config.integer("sampler.steps") > config.integer("diffusion.steps"))
        return requestError("sampler.steps",
                            fmt::format("{} sampling steps of {} training steps",
                                        config.integer("sampler.steps"), config.integer("diffusion.steps")))
            .at("sampler.steps")
            .fix("take at most diffusion.steps");
    const std::string& id = config.text("diffusion.schedule");
    if (auto made = schedule::makeSchedule(id); !made || (*made)->maskProbability(0.5))
        return made ? requestError("model.schedule", "a mask schedule; this model diffuses vectors")
                          .at("diffusion.schedule")
                          .fix("choose one of kind = \"gaussian\"")
                    : std::move(made.error()).at("diffusion.schedule");
    return {};
}

LcmSizes sizesOf(const RunConfig& config, std::int64_t width) {
    const std::string& kind = config.text("model.kind");
    LcmSizes sizes;
    sizes.kind = kind == "base"        ? LcmKind::Base
                 : kind == "one-tower" ? LcmKind::OneTower
                 : kind == "two-tower" ? LcmKind::TwoTower
                 : kind == "quant-c"   ? LcmKind::QuantC
                                       : LcmKind::QuantD;
    sizes.width = width;
    sizes.hidden = config.integer("model.hidden");
    sizes.ffn = config.integer("model.ffn");
    sizes.heads = config.integer("model.heads");
    sizes.layers = config.integer("model.layers");
    sizes.denoiserLayers = config.integer("model.denoiser_layers");
    sizes.steps = config.integer("diffusion.steps");
    sizes.maxSentences = config.integer("data.max_sentences");
    sizes.books = config.integer("quantizer.books");
    sizes.centroids = config.integer("quantizer.centroids");
    return sizes;
}

std::vector<double> alphaBarsOf(const RunConfig& config) {
    const std::string& id = config.text("diffusion.schedule");
    std::map<std::string, std::string> values{{"steps", std::to_string(config.integer("diffusion.steps"))}};
    if (id.find(':') == std::string::npos) values["zero_terminal"] = "true";
    const auto give = [&](const char* kind, const char* key, const char* field) {
        if (id == kind) values[key] = fmt::format("{:.17g}", config.real(field));
    };
    give("sigmoid", "slope", "diffusion.slope");
    give("sigmoid", "centre", "diffusion.centre");
    give("quadratic", "beta_first", "diffusion.beta_first");
    give("quadratic", "beta_last", "diffusion.beta_last");
    const auto made = schedule::makeSchedule(id, values);
    KURVE_CHECK(made.has_value(), "{}", made.error().text());
    const auto bars = (*made)->alphaBars();
    return {bars.begin(), bars.end()};
}

diffusion::Target targetOf(const RunConfig& config) {
    const std::string& target = config.text("diffusion.target");
    return target == "x0"        ? diffusion::Target::X0
           : target == "epsilon" ? diffusion::Target::Epsilon
                                 : diffusion::Target::V;
}

Result<DenoisingSettings> denoisingOf(const RunConfig& sampler, std::span<const double> alphaBars,
                                      diffusion::Target target) {
    const auto all = static_cast<std::int64_t>(alphaBars.size());
    const std::int64_t steps = sampler.integer("sampler.steps");
    if (steps > all)
        return requestError("sampler.steps",
                            fmt::format("{} sampling steps of {} training steps", steps, all))
            .at("sampler.steps")
            .fix("take at most diffusion.steps");
    const bool truncated = sampler.text("sampler.timesteps") == "code";
    DenoisingSettings settings;
    settings.steps = denoisingSteps(alphaBars, denoisingIndices(all, steps, truncated), truncated);
    settings.target = target;
    settings.guidance = sampler.real("sampler.guidance");
    settings.rescale = sampler.real("sampler.guidance_rescale");
    settings.start = sampler.real("sampler.start");
    settings.epsilonScaling = sampler.real("sampler.epsilon_scaling");
    settings.eta = sampler.real("sampler.eta");
    return settings;
}

}  // namespace kurve::models::lcm
