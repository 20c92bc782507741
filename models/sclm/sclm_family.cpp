#include "models/sclm/sclm_family.h"

#include <fmt/format.h>

#include "models/difformer/difformer_fields.h"
#include "models/difformer/difformer_init.h"
#include "models/difformer/difformer_model.h"
#include "models/sclm/sclm_net.h"

namespace kurve::models::sclm {
namespace {

constexpr const char* kInputGain = "map_input_gain";

std::vector<FieldSpec> mapFields() {
    return {
        choiceField(
            "map.kind", "spline", {"spline", "repeat", "band", "identity"},
            "map from words to tokens: the sentence curve; each word repeated; random weights in the curve's "
            "band; or the identity")
            .from("SCLM, section 4.2; controls by Kurve"),
        realField("map.rho", 2.0, "control points per word, M/L; the paper's r is read as rho = 1 + r")
            .range(0.05, 16)
            .from("SCLM, Table 3"),
        realField("map.kappa", 0.01, "degree as a fraction of the control points, at least 2")
            .range(0, 0.99)
            .from("SCLM, Table 3"),
        integerField("map.degree", 0, "fixed polynomial degree; 0 = by map.kappa")
            .range(0, 64)
            .from("SCLM, Table 3"),
        realField("map.margin", 0.01, "distance epsilon of the first and last word from the curve's ends")
            .range(0, 0.49)
            .from("SCLM, section 4.1 (margin left open there)"),
        flagField("map.adaptive_margin", false, "epsilon = min(map.margin, 1/(2L))")
            .from("SCLM, section 4.1"),
        choiceField("map.knots", "clamped", {"clamped", "unclamped"}, "knot vector")
            .from("SCLM, section 4.1 (knots left open there)"),
        realField("map.ridge", 0.0,
                  "lambda of the ridge inverse; 0 = Moore-Penrose. 0.01 regularises ill-conditioned maps")
            .range(0, 10)
            .from("SCLM, appendix C.2; ridge by Kurve"),
        choiceField("map.self_cond_space", "word", {"word", "curve"},
                    "input of self-conditioning: the words' estimate through the inverse map, or the "
                    "control points")
            .from("SCLM, section 4.2 (left open there)"),
        choiceField("map.positions", "index", {"index", "greville"},
                    "positions of control points: 1..M of their own table, or the words' table at their "
                    "Greville abscissae")
            .from("SCLM, section 4.2 (left open there)"),
        integerField("map.curves", 1, "curves N predicted at once and mixed by a scorer")
            .range(1, 16)
            .from("SCLM, section 4.2, N-curve prediction"),
    };
}

struct Column {
    const char *name, *base, *doc;
    double rho, kappa;
    std::int64_t degree, curves;
};
/// SCLM, Table 3, whose row labels are lost: read as size ratio r, degree, curves, with rho = 1 + r.
constexpr Column kTable3[] = {
    {"iwslt14-en-de-kd", "iwslt14", "Table 3: IWSLT14 En-De, distilled", 3.5, 0.1, 0, 3},
    {"iwslt14-de-en-kd", "iwslt14", "Table 3: IWSLT14 De-En, distilled", 4.0, 0.01, 5, 1},
    {"iwslt14-en-de", "iwslt14", "Table 3: IWSLT14 En-De, original targets", 3.0, 0.01, 0, 2},
    {"iwslt14-de-en", "iwslt14", "Table 3: IWSLT14 De-En, original targets", 3.0, 0.01, 0, 3},
    {"wmt14-en-de", "wmt14", "Table 3: WMT14 En-De, distilled", 3.5, 0.05, 0, 1},
    {"wmt14-de-en", "wmt14", "Table 3: WMT14 De-En, distilled", 3.5, 0.01, 0, 1},
    {"lm1b-map", "", "Table 3: the map of the LM1B column, which the paper puts on MDLM", 1.2, 0.1, 0, 1},
};

std::vector<Preset> presets() {
    std::map<std::string, Preset> bases;
    for (Preset& preset : difformer::basePresets()) bases[preset.name] = std::move(preset);
    bases["tiny"].values["map.rho"] = 2.0;
    for (const char* paper : {"iwslt14", "wmt14"}) {  // SCLM, Table 2
        auto& values = bases[paper].values;
        values["sampler.skip_last_steps"] = std::int64_t{0};
        values["train.warmup_steps"] = std::int64_t{4000};
    }
    bases["iwslt14"].values["sampler.length_beam"] = std::int64_t{5};
    bases["iwslt14"].values["sampler.noise_beam"] = std::int64_t{2};
    bases["iwslt14"].values["train.max_grad_norm"] = 0.0;
    bases["iwslt14"].values["train.warmup_steps"] = std::int64_t{10000};

    std::vector<Preset> all{bases["tiny"]};
    for (const Column& column : kTable3) {
        Preset preset = bases[column.base];
        preset.name = column.name;
        preset.doc = column.doc;
        preset.values["map.rho"] = column.rho;
        preset.values["map.kappa"] = column.kappa;
        preset.values["map.degree"] = column.degree;
        preset.values["map.curves"] = column.curves;
        all.push_back(std::move(preset));
    }
    return all;
}

/// Errors: map.control_points, for a map that fits no sentence length.
Status checkMap(const RunConfig& config, const train::TextShape& shape) {
    if (config.text("map.kind") == "repeat" && config.real("map.rho") < 1)
        return requestError("map.control_points", "a word is repeated at least once")
            .at("map.rho")
            .fix("set map.rho to 1 or more");
    // Below three control points the rule's minimum applies and rho has no effect at any length.
    const double longest = config.real("map.rho") * static_cast<double>(shape.maxLength);
    if (config.text("map.kind") == "spline" && longest + 0.5 < 3)
        return requestError("map.control_points",
                            fmt::format("{} control points per word are fewer than 3 even for the longest "
                                        "sentence ({} tokens)",
                                        config.real("map.rho"), shape.maxLength))
            .at("map.rho")
            .fix(fmt::format("set map.rho to at least {:.2f}; 1.2 to 3 is usual",
                             2.5 / static_cast<double>(shape.maxLength)));
    return {};
}

/// Finds that the map from control points to words amplifies: ill-conditioned directions then dominate the
/// words.
class InputGainWatch final : public alerts::FamilyWatch {
public:
    [[nodiscard]] const char* id() const override { return "input_gain"; }
    [[nodiscard]] const char* doc() const override { return "the map of the sentence curve amplifies noise"; }
    std::optional<std::string> observe(std::int64_t /*step*/,
                                       const std::map<std::string, double>& scalars) override {
        constexpr double kLargest = 10;
        const auto gain = scalars.find(kInputGain);
        if (gain == scalars.end() || !(gain->second > kLargest)) return std::nullopt;
        return fmt::format(
            "the sentence curve's map amplifies noise {:.3g}-fold (input gain; above {:g} ill-conditioned "
            "directions dominate); set map.rho to 1.2 or more, or map.ridge to 0.01",
            gain->second, kLargest);
    }
};

class SclmModel final : public difformer::DifformerModel {
public:
    SclmModel(const RunConfig& config, const SclmNet& net)
        : DifformerModel(config,
                         difformer::DifformerNet(std::shared_ptr<difformer::DifformerNetImpl>(net.ptr()))),
          net_(net) {}
    std::map<std::string, double> healthMetrics() override {
        auto metrics = DifformerModel::healthMetrics();
        metrics[kInputGain] = net_->worstInputGain();
        return metrics;
    }
    [[nodiscard]] std::map<std::string, double> history() const override {
        return {{kInputGain, net_->worstInputGain()}};
    }
    void setHistory(const std::map<std::string, double>& history) override {
        const auto gain = history.find(kInputGain);
        net_->setWorstInputGain(gain == history.end() ? 0 : gain->second);
    }

private:
    SclmNet net_;
};

}  // namespace

Schema SclmFamily::ownSchema() const {
    Schema schema;
    schema.family = "sclm";
    schema.title = "SCLM";
    schema.paper = "Sentence Curve Language Models (arXiv 2602.01807)";
    schema.fields = difformer::modelFields();
    for (auto* more : {&mapFields, &difformer::samplerFields})
        for (FieldSpec& field : (*more)()) schema.fields.push_back(std::move(field));
    schema.presets = presets();
    schema.scalars = difformer::trainingScalars();
    schema.scalars.push_back({kInputGain, "Input gain", "",
                              "largest factor by which the map to the words amplifies noise", false, true});
    schema.groups = {{"diffusion", "Diffusion"}, {"map", "Sentence curve"}};
    return schema;
}

std::vector<std::unique_ptr<alerts::FamilyWatch>> SclmFamily::watches(double unigramEntropy) const {
    auto all = difformer::embeddingWatches(unigramEntropy);
    all.push_back(std::make_unique<InputGainWatch>());
    return all;
}

Result<std::unique_ptr<train::SequenceModel>> SclmFamily::create(const RunConfig& config,
                                                                 const train::ModelContext& context) const {
    const train::TextShape& shape = context.shape;
    KURVE_CHECKED(difformer::checkModel(config, shape));
    KURVE_CHECKED(checkMap(config, shape));
    const bool ownTable = config.text("map.kind") != "identity" && config.text("map.positions") == "index";
    const double stretch = ownTable ? config.real("map.rho") : 1.0;
    SclmNet net(config, shape, context.device);
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor& parameter) -> Initializer {
                   if (name == "curve_tokens.weight" || name.rfind("curve_scorer.", 0) == 0)
                       return name.find("bias") != std::string::npos ? zeros() : normal(0.02);
                   return difformer::initializer(config, {shape.special.pad, stretch}, name, parameter);
               });
    net->to(context.device);
    return std::make_unique<SclmModel>(config, net);
}

}  // namespace kurve::models::sclm
