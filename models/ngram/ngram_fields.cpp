#include "models/ngram/ngram_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/metrics/future_perplexity.h"
#include "core/text/dataset.h"
#include "models/common/curve_maps.h"
#include "models/common/map_fields.h"
#include "models/common/size_checks.h"
#include "models/transformer/transformer_fields.h"

namespace kurve::models::ngram {
namespace {

constexpr const char* kPaper = "SCLM, appendix B.3";
constexpr std::int64_t kTableTokens[] = {3, 4, 5};

std::vector<FieldSpec> networkFields() {
    return {
        integerField("model.hidden", 512, "width of the hidden states, the embedding and the LSTM")
            .range(8, 8192)
            .unit("dims")
            .from(kPaper),
        integerField("model.layers", 6, "Transformer blocks").range(1, 64).from(kPaper),
        integerField("model.heads", 4, "attention heads; must divide model.hidden into even widths")
            .range(1, 128)
            .from(kPaper),
        integerField("model.ffn", 1024, "inner width of the feed-forward blocks")
            .range(8, 32768)
            .from(kPaper),
        realField("model.dropout", 0.3, "fraction of the blocks' activations that training zeroes")
            .range(0, 0.9)
            .from(kPaper),
        integerField("ngram.n", 3, "tokens predicted at once from each state")
            .range(1, static_cast<double>(kMostTokens))
            .unit("tokens")
            .from("SCLM, section 5.4"),
    };
}

/// map.*: without those of maps whose layers work on control points, and of the inverse. "smooth" mixes
/// inputs, of which a head has none.
std::vector<FieldSpec> curveFields() {
    std::vector<FieldSpec> kept;
    for (FieldSpec& field : mapFields()) {
        if (field.key == "map.kind")
            field = choiceField(
                        "map.kind", "identity", {"identity", "spline", "repeat", "band"},
                        "what the LSTM's steps are: the vectors of the tokens; control points of a curve, of "
                        "which those are points; or in its place means of consecutive steps, or random "
                        "weights in the curve's band")
                        .from("SCLM, section 5.4; controls by Kurve");
        if (field.key == "map.rho")
            field = realField("map.rho", 2.0, "steps of the LSTM per token, M / n; not with kind = identity")
                        .range(0.05, 16)
                        .from("SCLM, Table 5");
        static const std::set<std::string> kKept{"map.kind",   "map.rho",    "map.kappa",
                                                 "map.degree", "map.margin", "map.adaptive_margin",
                                                 "map.knots",  "map.curves"};
        if (kKept.contains(field.key)) kept.push_back(std::move(field));
    }
    return kept;
}

using Values = std::map<std::string, FieldValue>;

Values with(Values values, const Values& more) {
    for (const auto& [key, value] : more) values[key] = value;
    return values;
}

Values tinyValues() {
    return {{"model.hidden", std::int64_t{64}},
            {"model.layers", std::int64_t{2}},
            {"model.heads", std::int64_t{4}},
            {"model.ffn", std::int64_t{256}},
            {"model.dropout", 0.0},
            {"train.lr", 4e-3},
            {"train.schedule", std::string("linear")},
            {"train.warmup_steps", std::int64_t{50}},
            {"train.weight_decay", 0.0},
            {"train.batch_tokens", std::int64_t{512}},
            {"checkpoint.metric", std::string("valid_loss")}};
}

Values tinyCurveValues() {
    return {{"map.kind", std::string("spline")}, {"map.rho", 2.0}, {"map.degree", std::int64_t{3}}};
}

/// WikiText-2 in words, 33,278 with <eos>; the optimiser, which the paper leaves open, is fairseq's of the
/// backbone.
Values wikiTextValues(std::int64_t tokens) {
    return {{"ngram.n", tokens},
            {"data.format", std::string("running")},
            {"data.block", std::int64_t{128}},
            {"data.tokenizer.kind", std::string("whitespace")},
            {"data.tokenizer.vocabulary", std::int64_t{33278}},
            {"train.optimizer", std::string("adam")},
            {"train.lr", 5e-4},
            {"train.warmup_steps", std::int64_t{4000}},
            {"train.weight_decay", 0.0},
            {"train.batch_tokens", std::int64_t{8192}},
            {"checkpoint.metric", std::string("valid_loss")}};
}

/// SCLM, Table 5, whose row labels are lost: read as control points M, degree k, curves N. M is given exactly
/// by rho = M / n.
Values tableFive(std::int64_t tokens) {
    struct Column {
        std::int64_t tokens, points, degree, curves;
    };
    static constexpr Column kColumns[] = {{3, 18, 6, 4}, {4, 20, 13, 4}, {5, 20, 7, 6}};
    const Column& column = *std::find_if(std::begin(kColumns), std::end(kColumns),
                                         [&](const Column& one) { return one.tokens == tokens; });
    return {{"map.kind", std::string("spline")},
            {"map.rho", static_cast<double>(column.points) / static_cast<double>(tokens)},
            {"map.degree", column.degree},
            {"map.curves", column.curves}};
}

}  // namespace

std::vector<FieldSpec> modelFields() {
    std::vector<FieldSpec> fields = networkFields();
    for (FieldSpec& field : curveFields()) fields.push_back(std::move(field));
    return fields;
}

std::vector<FieldSpec> samplerFields() {
    std::vector<FieldSpec> fields = transformer::samplerFields();
    std::erase_if(fields, [](const FieldSpec& field) { return field.key == "sampler.max_length_a"; });
    for (FieldSpec& field : fields) {
        if (field.key == "sampler.method") field.fallback = std::string("sample");
        if (field.key == "sampler.beam") field.fallback = std::int64_t{1};
        if (field.key == "sampler.max_length_b") field.doc = "tokens after which a text ends";
    }
    return fields;
}

std::vector<Preset> presets() {
    std::vector<Preset> all{
        {"tiny", "three tokens at once, after a minute on a CPU", tinyValues()},
        {"tiny-curve", "the same by a sentence curve", with(tinyValues(), tinyCurveValues())}};
    for (const std::int64_t n : kTableTokens) {
        all.push_back({fmt::format("wikitext2-{}", n),
                       fmt::format("appendix B.3: {} words of WikiText-2 at once; set the data", n),
                       wikiTextValues(n)});
        all.push_back({fmt::format("wikitext2-{}-curve", n), "Table 5: the same by sentence curves",
                       with(wikiTextValues(n), tableFive(n))});
    }
    return all;
}

std::string futureNllAt(std::int64_t position) {
    return fmt::format("future_nll_{}", position);
}

std::vector<ScalarSpec> trainingScalars() {
    std::vector<ScalarSpec> parts, all;
    for (std::int64_t j = 1; j <= kMostTokens; ++j)
        parts.push_back({futureNllAt(j), fmt::format("NLL {} ahead", j), "nats",
                         j == 1 ? std::string("negative log-likelihood of the next token")
                                : fmt::format("negative log-likelihood of token {} after a position, given "
                                              "the text up to it alone",
                                              j),
                         false, true, j == 1 ? futureNllAt(1) : ""});
    all = withValidation(parts);
    for (std::int64_t j = 1; j <= kMostTokens; ++j)
        all.push_back(
            {"valid_" + metrics::futurePerplexityAt(static_cast<std::size_t>(j)),
             fmt::format("Validation perplexity {} ahead", j), "",
             j == 1
                 ? std::string("exact perplexity of the next token; of several curves that of their mixture, "
                               "while sampling follows the likeliest")
                 : fmt::format("exp of the NLL of token {} ahead; not the perplexity of a text", j),
             false, true});
    return all;
}

Status checkModel(const RunConfig& config) {
    KURVE_CHECKED(checkRotaryHeads(config));
    const std::string& kind = config.text("map.kind");
    const double steps = config.real("map.rho") * static_cast<double>(config.integer("ngram.n"));
    if (kind == "repeat" && config.real("map.rho") < 1)
        return requestError("map.control_points", "a token has one step of the LSTM at least")
            .at("map.rho")
            .fix("set map.rho to 1 or more");
    // Below three control points the rule's minimum applies and rho has no effect.
    if ((kind == "spline" || kind == "band") && steps + 0.5 < 3)
        return requestError("map.control_points",
                            fmt::format("{:.3g} control points per token are fewer than 3 of {} tokens",
                                        config.real("map.rho"), config.integer("ngram.n")))
            .at("map.rho")
            .fix(fmt::format("set map.rho to at least {:.2f}, or map.kind to \"identity\"",
                             2.5 / static_cast<double>(config.integer("ngram.n"))));
    return {};
}

NgramSizes sizesOf(const RunConfig& config, const train::TextShape& shape) {
    NgramSizes sizes;
    sizes.backbone = {.vocabulary = shape.targetVocabulary,
                      .hidden = config.integer("model.hidden"),
                      .layers = config.integer("model.layers"),
                      .heads = config.integer("model.heads"),
                      .ffn = config.integer("model.ffn"),
                      .maxPositions = shape.maxLength,
                      .running = text::isRunning(config),
                      .special = shape.special};
    sizes.head = {sizes.backbone.hidden, config.integer("ngram.n"), config.integer("map.curves")};
    if (config.text("map.kind") == "identity") return sizes;
    const auto n = static_cast<int>(sizes.head.tokens);
    sizes.head.points = pointsFor(config, n);
    sizes.head.psi = [config, n] { return lengthMap(config, n).psi; };
    return sizes;
}

}  // namespace kurve::models::ngram
