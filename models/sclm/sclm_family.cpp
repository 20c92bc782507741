#include "models/sclm/sclm_family.h"

#include <fmt/format.h>

#include "models/common/map_fields.h"
#include "models/difformer/difformer_fields.h"
#include "models/difformer/difformer_init.h"
#include "models/difformer/difformer_model.h"
#include "models/sclm/sclm_net.h"

namespace kurve::models::sclm {
namespace {

std::vector<FieldSpec> selfConditioningFields() {
    return {choiceField("map.self_cond_space", "word", {"word", "curve"},
                        "input of self-conditioning: the words' estimate through the inverse map, or the "
                        "control points")
                .from("SCLM, section 4.2 (left open there)")};
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
};

std::vector<Preset> presets() {
    std::map<std::string, Preset> bases;
    for (Preset& preset : difformer::basePresets()) bases[preset.name] = std::move(preset);
    bases["tiny"].values["map.rho"] = 2.0;
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

Status checkSelfConditioning(const RunConfig& config) {
    if (config.integer("map.lift_layer") == 0 || config.text("map.self_cond_space") == "word") return {};
    return requestError("map.self_cond_space", "a network that begins with words conditions on words")
        .at("map.self_cond_space")
        .fix("set map.self_cond_space to \"word\", or map.lift_layer to 0");
}

class SclmModel final : public difformer::DifformerModel {
public:
    SclmModel(const RunConfig& config, const SclmNet& net)
        : DifformerModel(config,
                         difformer::DifformerNet(std::shared_ptr<difformer::DifformerNetImpl>(net.ptr()))),
          net_(net) {}
    std::map<std::string, double> healthMetrics() override {
        auto metrics = DifformerModel::healthMetrics();
        metrics[kInputGain] = net_->map().worstInputGain();
        return metrics;
    }
    [[nodiscard]] std::map<std::string, double> history() const override {
        return {{kInputGain, net_->map().worstInputGain()}};
    }
    void setHistory(const std::map<std::string, double>& history) override {
        const auto gain = history.find(kInputGain);
        net_->map().setWorstInputGain(gain == history.end() ? 0 : gain->second);
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
    for (auto* more : {&mapFields, &selfConditioningFields, &difformer::samplerFields})
        for (FieldSpec& field : (*more)()) schema.fields.push_back(std::move(field));
    schema.presets = presets();
    schema.scalars = difformer::trainingScalars();
    schema.scalars.push_back(inputGainScalar());
    schema.groups = {{"diffusion", "Diffusion"}, {"map", "Sentence curve"}};
    return schema;
}

std::vector<std::unique_ptr<alerts::FamilyWatch>> SclmFamily::watches(double unigramEntropy) const {
    auto all = difformer::embeddingWatches(unigramEntropy);
    all.push_back(inputGainWatch());
    return all;
}

Result<std::unique_ptr<train::SequenceModel>> SclmFamily::create(const RunConfig& config,
                                                                 const train::ModelContext& context) const {
    const train::TextShape& shape = context.shape;
    KURVE_CHECKED(difformer::checkModel(config, shape));
    KURVE_CHECKED(checkMap(config, shape, config.integer("model.decoder_layers")));
    KURVE_CHECKED(checkSelfConditioning(config));
    SclmNet net(config, shape, context.device);
    const bool countsPoints = net->map().isCurve() && !net->map().atGreville();
    const double stretch = countsPoints ? config.real("map.rho") : 1.0;
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor& parameter) -> Initializer {
                   if (Initializer ours = curveMixtureInitializer(name)) return ours;
                   const bool lifted = net->map().liftLayer() > 0;
                   const bool tokens =
                       name == (lifted ? "lift_positions.weight" : "decoder_positions.weight");
                   return difformer::initializer(config, {shape.special.pad, tokens ? stretch : 1.0}, name,
                                                 parameter);
               });
    net->to(context.device);
    return std::make_unique<SclmModel>(config, net);
}

}  // namespace kurve::models::sclm
