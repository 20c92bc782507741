#include "models/cmlm/cmlm_fields.h"

#include <fmt/format.h>

#include <iterator>

#include "core/text/tokenizer.h"
#include "core/train/reranker.h"
#include "models/common/size_checks.h"

namespace kurve::models::cmlm {
namespace {

constexpr const char* kPaper = "Guo et al. 2023";
constexpr const char* kCode = "Isotropy-Enhanced-CMLM's code";
constexpr const char* kKurve = "Kurve: initial values that let small models learn in minutes";

std::vector<FieldSpec> networkFields() {
    return {
        integerField("model.hidden", 512, "width of the hidden states and of the embeddings")
            .range(8, 8192)
            .unit("dims")
            .from(kPaper),
        integerField("model.encoder_layers", 6, "Transformer layers that read the source")
            .range(1, 64)
            .from(kPaper),
        integerField("model.decoder_layers", 6, "Transformer layers that predict the masked tokens")
            .range(1, 64)
            .from(kPaper),
        integerField("model.heads", 8, "attention heads; must divide model.hidden")
            .range(1, 128)
            .from(kPaper),
        integerField("model.ffn", 2048, "inner width of the feed-forward blocks")
            .range(8, 32768)
            .from(kPaper),
        realField("model.dropout", 0.2, "fraction of activations that training zeroes")
            .range(0, 0.9)
            .from(kPaper),
        integerField("model.max_positions", 1024, "longest source or target, BOS and EOS included")
            .range(4, 65536)
            .unit("tokens")
            .from(kCode),
        choiceField("length.kind", "meanpool", {"meanpool", "token"},
                    "length predicted from the mean state of the source, or by a [LENGTH] symbol before it, "
                    "whose loss counts like a masked token's")
            .from("mean-pooling in the code, the symbol in the paper"),
        choiceField("mask.rule", "isotropy", {"isotropy", "mask-predict"},
                    "how many tokens training masks: 1 to all of them, or, with EOS maskable, never all")
            .from("Guo et al. 2023; Ghazvininejad et al. 2019"),
        flagField("mask.is_unk", false, "masked tokens are read as <unk>, as in the published code")
            .from(kCode),
    };
}

std::vector<FieldSpec> lossFields() {
    return {
        realField("loss.label_smoothing", 0.1, "weight of the uniform distribution in the token loss")
            .range(0, 0.9)
            .from(kPaper),
        realField("loss.length_weight", 0.1,
                  "weight of the length predictor's loss (length.kind = meanpool); at 1 small models learn "
                  "lengths only")
            .range(0, 10)
            .from(kCode),
        realField("contrastive.weight", 0.0,
                  "weight of the contrastive loss, which separates positions; 0 = off")
            .range(0, 100)
            .from("Guo et al. 2023, equation 7"),
        realField("contrastive.margin", 0.4, "margin of the hinge")
            .range(0, 1)
            .from("Guo et al. 2023, figure 5"),
        choiceField("contrastive.form", "official", {"official", "paper"},
                    "hinge at 1 - margin as in the code, or at the margin as in the paper")
            .from("Guo et al. 2023, equations 5 and 6"),
        choiceField("contrastive.sites", "both", {"logits", "features", "both"}, "states that are separated")
            .from(kCode),
        choiceField("contrastive.positions", "nonpad", {"nonpad", "ordinary", "masked"},
                    "positions in the loss: all, all but BOS and EOS, or the masked ones")
            .from(kCode),
        choiceField("contrastive.reduce", "micro", {"micro", "macro"},
                    "mean over all pairs, or of the sentences' means")
            .from(kCode),
        choiceField(
            "contrastive.center", "none", {"none", "row"},
            "logits unchanged, or minus their mean over the vocabulary, to which softmax is invariant")
            .from("Kurve: raw logits carry a constant"),
    };
}

std::vector<FieldSpec> variantFields() {
    return {
        flagField("look_neighbors.attention", false,
                  "Look Neighbors: in each layer a second self-attention over the neighbours only")
            .from("Guo et al. 2023, equations 8 to 10"),
        integerField("look_neighbors.window", 1, "neighbours to either side in that attention")
            .range(1, 64)
            .from(kPaper),
        choiceField(
            "look_neighbors.top", "none", {"none", "official", "paper"},
            "Look Neighbors: adds the two neighbours to each last state, by two layers or by one matrix")
            .from("Guo et al. 2023, equation 11"),
        integerField("look_neighbors.hidden", 0, "inner width of the official top; 0 = model.ffn")
            .range(0, 65536)
            .from(kCode),
        choiceField(
            "look_neighbors.edges", "ordinary", {"ordinary", "official"},
            "unchanged by the top: each sentence's BOS and EOS, or only the batch's first and last column")
            .from("Kurve: as published, EOS depends on the other sentences of the batch"),
        choiceField("self_correction.rule", "off", {"off", "isotropy", "cmlmc"},
                    "self-correction: half of the token loss each, or the mean of the losses that occur")
            .from("Huang et al. 2022; Guo et al. 2023"),
        realField("self_correction.rate", 0.3,
                  "fraction of the revealed tokens that the model's own predictions replace")
            .range(0, 1)
            .from("Huang et al. 2022"),
        integerField("self_correction.start_update", 0,
                     "updates before self-correction begins; with 0, fast schedules collapse")
            .atLeast(0)
            .unit("steps")
            .from("Huang et al. 2022"),
    };
}

std::vector<FieldSpec> initialFields() {
    return {
        realField("init.embedding_std", 0.02,
                  "standard deviation of the embeddings; small models: 1/sqrt(model.hidden)")
            .range(1e-4, 10)
            .from(kKurve),
        choiceField(
            "init.positions", "normal", {"normal", "sinusoid"},
            "initial values of both position tables; sinusoids align source and target from the first step")
            .from(kKurve),
        realField("init.layer_std", 0.02, "standard deviation of all layers' weights")
            .range(1e-4, 10)
            .from(kCode),
        choiceField("init.cross_attention", "normal", {"normal", "identity"},
                    "initial values of the cross-attention's query and key projections")
            .from(kKurve),
    };
}

template <class T>
void append(std::vector<T>& all, std::vector<T> more) {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

using Values = std::map<std::string, FieldValue>;

Values text(std::initializer_list<std::pair<const char*, const char*>> pairs) {
    Values values;
    for (const auto& [key, value] : pairs) values[key] = std::string(value);
    return values;
}

Values paperValues() {
    return {{"train.lr", 7e-4},
            {"train.warmup_steps", std::int64_t{40000}},
            {"train.max_grad_norm", 0.0},
            {"train.batch_tokens", std::int64_t{8192}},
            {"train.accumulate", std::int64_t{8}},
            {"train.steps", std::int64_t{300000}},
            {"checkpoint.keep_best", std::int64_t{5}},
            {"sampler.length_beam", std::int64_t{5}}};
}

Values enRoValues() {
    Values values = paperValues();
    values["model.dropout"] = 0.3;
    values["train.lr"] = 5e-4;
    values["train.warmup_steps"] = std::int64_t{15000};
    values["train.steps"] = std::int64_t{100000};
    return values;
}

Values tinyValues() {
    Values values = text(
        {{"init.positions", "sinusoid"}, {"init.cross_attention", "identity"}, {"train.schedule", "linear"}});
    values.insert({{"model.hidden", std::int64_t{128}},
                   {"model.encoder_layers", std::int64_t{2}},
                   {"model.decoder_layers", std::int64_t{2}},
                   {"model.heads", std::int64_t{4}},
                   {"model.ffn", std::int64_t{256}},
                   {"model.dropout", 0.0},
                   {"model.max_positions", std::int64_t{128}},
                   {"init.embedding_std", 0.09},
                   {"train.lr", 2e-3},
                   {"train.warmup_steps", std::int64_t{100}},
                   {"train.batch_tokens", std::int64_t{200}}});
    return values;
}

const Values kContrast{{"contrastive.weight", 1.0}};
const Values kNeighbours{{"look_neighbors.attention", true}, {"look_neighbors.top", std::string("official")}};
const Values kCorrect{{"self_correction.rule", std::string("isotropy")}};

Values joined(Values values, std::initializer_list<const Values*> more) {
    for (const Values* one : more) values.insert(one->begin(), one->end());
    return values;
}

void addVariants(std::vector<Preset>& all, const std::string& plain, const std::string& prefix,
                 const std::string& doc, const Values& base) {
    Values correct = kCorrect;
    if (plain == "tiny") correct["self_correction.start_update"] = std::int64_t{1200};
    const std::string corr = prefix + "corr", dash = plain + "-";
    all.push_back({plain, doc, base});
    all.push_back({dash + "cl", doc + "; with the contrastive loss", joined(base, {&kContrast})});
    all.push_back({dash + "ln", doc + "; with Look Neighbors", joined(base, {&kNeighbours})});
    all.push_back({dash + "cl-ln", doc + "; with both", joined(base, {&kContrast, &kNeighbours})});
    all.push_back({corr, doc + "; with self-correction", joined(base, {&correct})});
    all.push_back(
        {corr + "-cl-ln", doc + "; with all three", joined(base, {&correct, &kContrast, &kNeighbours})});
}

}  // namespace

std::vector<FieldSpec> modelFields() {
    std::vector<FieldSpec> fields = networkFields();
    append(fields, lossFields());
    append(fields, variantFields());
    append(fields, initialFields());
    return fields;
}

std::vector<FieldSpec> samplerFields() {
    return {
        integerField("sampler.steps", 10, "passes T of the decoder; the published command runs 11")
            .range(1, 1000)
            .from("Ghazvininejad et al. 2019"),
        integerField("sampler.length_beam", 1, "lengths tried for each sentence").range(1, 1024).from(kPaper),
        choiceField("sampler.length_beam_kind", "window", {"window", "topk"},
                    "lengths around the predicted one, or the most probable ones")
            .from("Guo et al. 2023; Ghazvininejad et al. 2019"),
        integerField("sampler.shortest", 3,
                     "shortest target, BOS and EOS included; 2 as published, where the empty one wins")
            .range(2, 3)
            .from("Kurve: an empty candidate scores 0, all others less"),
        choiceField("sampler.selection", "likelihood", {"likelihood", train::kPplSelection},
                    "selection among several lengths: mean log-probability, or the least perplexity "
                    "under sampler.scorer")
            .from("Guo et al. 2023; Difformer, candidate selection"),
        train::scorerField(),
        choiceField("sampler.rule", "isotropy", {"isotropy", "mask-predict"},
                    "mask-predict masks at least one token again, and scores by the length without BOS")
            .from("Guo et al. 2023; Ghazvininejad et al. 2019"),
        choiceField("sampler.overwrite", "auto", {"auto", "masked", "all"},
                    "which tokens a pass may change; auto: all if the model was trained with self-correction")
            .from("Huang et al. 2022"),
        flagField("sampler.ban_specials", true, "never predict BOS, PAD, EOS or the mask").from("Kurve"),
        choiceField("sampler.stop", "never", {"never", "unchanged"},
                    "run all passes, or stop a sentence after a pass that changes nothing")
            .from("fairseq's iterative decoder"),
        integerField("sampler.batch_size", 128,
                     "candidates decoded at the same time; at most 32 on a CPU, where fewer are faster")
            .range(1, 65536)
            .reportingOnly(),
    };
}

std::vector<Preset> presets() {
    std::vector<Preset> all;
    addVariants(all, "tiny", "tiny-", "learns the sample tasks on a CPU in minutes", tinyValues());
    addVariants(all, "cmlm", "", "WMT14 En-De sizes of the paper", paperValues());
    addVariants(all, "cmlm-en-ro", "en-ro-", "WMT16 En-Ro sizes of the paper", enRoValues());
    return all;
}

Status checkLengthBeam(const RunConfig& config) {
    const std::int64_t beam = config.integer("sampler.length_beam");
    const std::int64_t lengths = std::min(lengthClasses(config), config.integer("model.max_positions") -
                                                                     config.integer("sampler.shortest") + 1);
    if (beam <= lengths) return {};
    return requestError("sample.length_beam",
                        fmt::format("{} lengths requested, the model has {}", beam, lengths))
        .at("sampler.length_beam")
        .fix(fmt::format("set sampler.length_beam to at most {}", lengths));
}

Status checkModel(const RunConfig& config, const train::TextShape& shape) {
    KURVE_CHECKED(checkSizes(config, shape));
    if (maskId(config, shape.special) == text::SpecialIds::kNone)
        return requestError("mask.is_unk", "the tokenizer has no token for unknown words")
            .at("mask.is_unk")
            .fix("set mask.is_unk to false");
    return checkLengthBeam(config);
}

sampling::MaskRule ruleOf(const RunConfig& config, const char* key) {
    return config.text(key) == "isotropy" ? sampling::MaskRule::Isotropy : sampling::MaskRule::MaskPredict;
}

ContrastiveForm contrastiveOf(const RunConfig& config) {
    return {config.real("contrastive.margin"), config.text("contrastive.form") == "paper",
            config.text("contrastive.reduce") == "macro"};
}

bool corrects(const RunConfig& config) {
    return config.text("self_correction.rule") != "off";
}

std::int32_t maskId(const RunConfig& config, const text::SpecialIds& special) {
    return config.flag("mask.is_unk") ? special.unk : special.mask;
}

std::int64_t lengthClasses(const RunConfig& config) {
    constexpr std::int64_t kPooledClasses = 256;
    return config.text("length.kind") == "token" ? config.integer("model.max_positions") : kPooledClasses;
}

}  // namespace kurve::models::cmlm
