#include "models/mdlm/mdlm_fields.h"

#include <fmt/format.h>

#include <iterator>

#include "core/schedule/schedule_file.h"
#include "models/common/scalars.h"
#include "models/mdlm/sampler_settings.h"

namespace kurve::models::mdlm {
namespace {

constexpr const char *kPaper = "Sahoo et al. 2024", *kCode = "MDLM's code", *kReMdm = "Wang et al. 2025";
constexpr double kFewMasked = 0.1, kMostMasked = 0.9;  // of a schedule's ends
constexpr const char* kTiny = "Kurve: lets small models learn in a minute";

std::vector<FieldSpec> networkFields() {
    return {
        integerField("model.hidden", 768, "width of the hidden states and of the embeddings")
            .range(8, 8192)
            .unit("dims")
            .from(kPaper),
        integerField("model.layers", 12, "Transformer blocks").range(1, 64).from(kPaper),
        integerField("model.heads", 12, "attention heads; must divide model.hidden into even widths")
            .range(1, 128)
            .from(kPaper),
        integerField("model.ffn", 3072, "inner width of the feed-forward blocks")
            .range(8, 32768)
            .from(kPaper),
        realField("model.dropout", 0.1, "fraction of activations that training zeroes")
            .range(0, 0.9)
            .from(kPaper),
        integerField("model.conditioning", 128, "width of adaLN's condition; 0: blocks without adaLN")
            .range(0, 4096)
            .unit("dims")
            .from(kCode),
        flagField("model.time_conditioning", false, "the network sees the noise level; needs adaLN")
            .from(kCode),
        flagField("model.tied", false, "the output projection is the embedding table").from(kCode),
        flagField("model.smooth_input", false,
                  "mix each input embedding with its neighbours, 1/4 1/2 1/4, before the first block")
            .from("Kurve: a control that has no curve"),
        flagField("model.anchor", true, "<s> at the text's start is never masked").from(kTiny),
        choiceField(
            "model.length", "learned", {"learned", "fixed"},
            "learned: the length of a text has a distribution of its own and is drawn first. fixed: texts "
            "are filled with <pad> to the longest length, and </s> is a token like others")
            .from("Kurve; fixed as in MDLM's code"),
    };
}

std::vector<FieldSpec> diffusionFields() {
    return {
        choiceField("diffusion.schedule", "log-linear", {"log-linear", "cosine-mask", "linear-mask"},
                    "mask schedule; file:schedules/NAME.toml for one of the project")
            .orPrefixes(schedule::schedulePrefixes())
            .from(kPaper),
        integerField("diffusion.steps", 0, "T of the discrete-time bound; 0 = continuous time")
            .range(0, 100000)
            .from("Sahoo et al. 2024, equations 8 and 10"),
        realField("diffusion.t_min", 1e-3, "least time that training draws; the bound keeps the whole range")
            .range(1e-6, 0.9)
            .from(kCode),
        realField("diffusion.t_max", 1.0, "greatest time that training draws").range(0.1, 1).from(kCode),
        choiceField(
            "diffusion.bound", "exact-count", {"exact-count", "official"},
            "how evaluation estimates the NELBO: k of a text's tokens masked, k uniform, or one time per "
            "text as MDLM's code does (0.1 % too low, several times noisier)")
            .from("Ou et al. 2024; MDLM's code")
            .reportingOnly(),
        realField("loss.length_weight", 0.1, "weight of the length's loss; only model.length = learned")
            .range(0, 10)
            .from("Kurve"),
        choiceField(
            "init.output", "zero", {"zero", "default"},
            "initial values of the output projection: zero, so that all tokens are equally probable at "
            "first, or PyTorch's")
            .from(kCode),
    };
}

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

using Values = std::map<std::string, FieldValue>;

Values tinyValues() {
    return {{"model.hidden", std::int64_t{64}},
            {"model.layers", std::int64_t{2}},
            {"model.heads", std::int64_t{4}},
            {"model.ffn", std::int64_t{256}},
            {"model.dropout", 0.0},
            {"model.conditioning", std::int64_t{0}},
            {"model.smooth_input", true},
            {"diffusion.t_min", 0.08},
            {"diffusion.t_max", 0.95},
            {"checkpoint.metric", std::string("valid_nelbo")},
            {"sampler.steps", std::int64_t{16}},
            {"sampler.rule", std::string("budget")},
            {"sampler.order", std::string("margin")},
            {"sampler.temperature", 0.7},
            {"train.lr", 4e-3},
            {"train.warmup_steps", std::int64_t{50}},
            {"train.schedule", std::string("linear")},
            {"train.weight_decay", 0.0},
            {"train.batch_tokens", std::int64_t{512}}};
}

Values paperValues() {
    return {{"model.anchor", false},
            {"model.length", std::string("fixed")},
            {"train.lr", 3e-4},
            {"train.beta2", 0.999},
            {"train.weight_decay", 0.0},
            {"train.schedule", std::string("constant")},
            {"train.warmup_steps", std::int64_t{2500}},
            {"train.ema_decay", 0.9999},
            {"checkpoint.metric", std::string("valid_nelbo")},
            {"sampler.steps", std::int64_t{1000}}};
}

Values with(Values values, const Values& more) {
    for (const auto& [key, value] : more) values[key] = value;
    return values;
}

// 512 rows of 128 tokens, of shorter lines more; WikiText-2 in blocks, as MDLM's code wraps it.
const Values kLm1b{{"data.kind", std::string("text")},
                   {"data.max_length", std::int64_t{128}},
                   {"train.batch_tokens", std::int64_t{65536}},
                   {"train.steps", std::int64_t{1000000}}};
const Values kWikiText{{"data.kind", std::string("text")},
                       {"data.format", std::string("running")},
                       {"data.block", std::int64_t{128}},
                       {"train.batch_tokens", std::int64_t{65536}},
                       {"train.steps", std::int64_t{200000}}};
const Values kBase{{"model.hidden", std::int64_t{1024}},
                   {"model.layers", std::int64_t{24}},
                   {"model.heads", std::int64_t{16}},
                   {"model.ffn", std::int64_t{4096}}};

}  // namespace

std::vector<FieldSpec> modelFields() {
    std::vector<FieldSpec> fields = networkFields();
    append(fields, diffusionFields());
    return fields;
}

std::vector<FieldSpec> samplerFields() {
    return {
        integerField("sampler.steps", 128, "denoising steps; what is masked after the last is filled in then")
            .range(1, 100000)
            .from(kPaper),
        choiceField(
            "sampler.rule", "ancestral", {"ancestral", "budget", "threshold", "entropy-bounded"},
            "which tokens a step unmasks: each with the schedule's probability; equally many per step; "
            "all that are certain enough; as many as keep the joint error below sampler.gamma")
            .from("Sahoo et al. 2024; Kim et al. 2025; Ben-Hamu et al. 2025"),
        choiceField(
            "sampler.order", "confidence", {"confidence", "margin", "entropy", "random"},
            "of rule budget and threshold: the most certain first, by the largest probability, its margin "
            "to the second, or the entropy; or in random order")
            .from("Chang et al. 2022; Kim et al. 2025"),
        realField(
            "sampler.threshold", 0.9,
            "of rule threshold: least probability or margin, greatest entropy in nats; one token at least")
            .range(0, 20)
            .from("Kurve"),
        realField("sampler.gamma", 1.0, "of rule entropy-bounded: bound of the step's joint error")
            .range(0, 100)
            .unit("nats")
            .from("Ben-Hamu et al. 2025"),
        integerField("sampler.block", 0,
                     "block-wise from left to right, this many tokens each; 0 = all at once")
            .range(0, 65536)
            .unit("tokens")
            .from("Nie et al. 2025"),
        choiceField("sampler.remasking", "none", {"none", "cap", "rescale", "confidence", "loop"},
                    "tokens that are masked again; only rule ancestral, not block-wise")
            .from(kReMdm),
        realField("sampler.eta", 0.05, "strength of the remasking").range(0, 1).from(kReMdm),
        realField("sampler.temperature", 1.0, "logits are divided by it; 0 takes the most probable token")
            .range(0, 100)
            .from("Kurve"),
        realField("sampler.top_p", 1.0,
                  "draw from the smallest set of tokens with this cumulative probability")
            .range(0.01, 1)
            .from("Holtzman et al. 2020"),
        choiceField(
            "sampler.precision", "float64", {"float64", "float32"},
            "of the categorical draw; float32 as in MDLM's code, whose truncated Gumbel noise acts like a "
            "lower temperature")
            .from("Zheng et al. 2024"),
        integerField("sampler.length", 0, "tokens of a text, <s> and </s> included; 0: drawn, or as trained")
            .range(0, 65536)
            .unit("tokens")
            .from("Kurve"),
        flagField("sampler.ban_specials", true,
                  "never write <s>, <pad> or the mask, nor </s> where the length is known")
            .from("Kurve"),
        integerField("sampler.batch_size", 64, "texts generated at the same time")
            .range(1, 65536)
            .reportingOnly(),
    };
}

std::vector<Preset> presets() {
    return {{"tiny", "sentences that fill in blanks after a minute on a CPU", tinyValues()},
            {"small", "the paper's 110M sizes; set the data", paperValues()},
            {"small-lm1b", "the paper's LM1B run: lines of 128 tokens", with(paperValues(), kLm1b)},
            {"small-wikitext2", "WikiText-2 in blocks of 128, as the SCLM paper compares it",
             with(paperValues(), kWikiText)},
            {"base", "24 blocks of width 1024; set the data", with(paperValues(), kBase)}};
}

decltype(Schema::prompts) prompts() {
    return {{"pairs", {"source"}}, {"text", {"nothing", "prefix", "infill"}}};
}

Status checkModel(const RunConfig& config, const train::TextShape& shape) {
    const auto refuse = [](const char* field, std::string what, std::string remedy) {
        return requestError(field, std::move(what)).at(field).fix(std::move(remedy));
    };
    const std::int64_t hidden = config.integer("model.hidden"), heads = config.integer("model.heads");
    if (hidden % heads != 0 || hidden / heads % 2 != 0)
        return refuse("model.heads", fmt::format("{} heads do not divide {} into even widths", heads, hidden),
                      "choose heads so that model.hidden / model.heads is even");
    if (config.flag("model.time_conditioning") && config.integer("model.conditioning") == 0)
        return refuse("model.time_conditioning", "the network has no adaLN to see the time with",
                      "set model.conditioning, or model.time_conditioning to false");
    if (shape.hasSource && !shape.jointVocabulary)
        return refuse("data.tokenizer.joint", "source and text are one sequence and need one tokenizer",
                      "set data.tokenizer.joint to true");
    if (shape.hasSource && config.text("model.length") == "fixed")
        return refuse("model.length", "a text with a source has its own length",
                      "set model.length to \"learned\", or data.kind to \"text\"");
    if (config.real("diffusion.t_min") >= config.real("diffusion.t_max"))
        return refuse("diffusion.t_min", "the range of times is empty",
                      "choose diffusion.t_min below diffusion.t_max");
    KURVE_CHECKED(checkSampler(config));
    KURVE_CHECKED(maskSchedule(config));
    return {};
}

MdlmSizes sizesOf(const RunConfig& config, const train::TextShape& shape) {
    MdlmSizes sizes;
    sizes.vocabulary = shape.targetVocabulary;
    sizes.hidden = config.integer("model.hidden");
    sizes.layers = config.integer("model.layers");
    sizes.heads = config.integer("model.heads");
    sizes.ffn = config.integer("model.ffn");
    sizes.conditioning = config.integer("model.conditioning");
    sizes.tied = config.flag("model.tied");
    sizes.timeConditioning = config.flag("model.time_conditioning");
    sizes.smoothInput = config.has("model.smooth_input") && config.flag("model.smooth_input");
    return sizes;
}

CanvasRules canvasRules(const RunConfig& config, const train::TextShape& shape) {
    const bool fixed = config.text("model.length") == "fixed";
    return {config.flag("model.anchor"), fixed, fixed && config.text("data.format") == "lines",
            shape.maxLength, shape.special};
}

Result<std::shared_ptr<const schedule::NoiseSchedule>> maskSchedule(const RunConfig& config) {
    KURVE_TRY(auto made, schedule::makeSchedule(config.text("diffusion.schedule")));
    std::shared_ptr<const schedule::NoiseSchedule> found = std::move(made);
    if (!found->maskProbability(0.5))
        return requestError("model.schedule", "a schedule of Gaussian noise; this model masks tokens")
            .at("diffusion.schedule")
            .fix("choose a mask schedule: kurve describe schedules");
    // Sampling begins with every token masked and ends with none: training must have seen both.
    const double least = *found->maskProbability(0), most = *found->maskProbability(1);
    if (least <= kFewMasked && most >= kMostMasked) return found;
    return requestError("model.schedule",
                        fmt::format("masks {:.3g} % to {:.3g} % of the tokens", 100 * least, 100 * most))
        .at("diffusion.schedule")
        .fix(fmt::format("let it go from at most {:.3g} % to at least {:.3g} %", 100 * kFewMasked,
                         100 * kMostMasked));
}

std::vector<ScalarSpec> trainingScalars() {
    std::vector<ScalarSpec> all = withValidation(
        {{"loss_token", "Token loss", "nats",
          "cross entropy of the masked tokens, weighted by the noise level: an estimate of the NELBO", false,
          true},
         maskedNllScalar(),
         lengthLossScalar()});
    all.push_back(embeddingDeviationScalar());
    return all;
}

}  // namespace kurve::models::mdlm
