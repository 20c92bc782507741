#include "models/calm_autoencoder/autoencoder_family.h"

#include <fmt/format.h>

#include "core/base/check.h"
#include "models/calm_autoencoder/autoencoder_fields.h"
#include "models/calm_autoencoder/autoencoder_model.h"
#include "models/calm_autoencoder/published_names.h"

namespace kurve::models::calm_autoencoder {
namespace {

/// The encoder says (nearly) the same of every chunk.
class CollapseWatch final : public alerts::FamilyWatch {
public:
    [[nodiscard]] const char* id() const override { return "latent_collapse"; }
    [[nodiscard]] const char* doc() const override { return "the vectors of chunks hardly differ"; }
    std::optional<std::string> observe(std::int64_t step,
                                       const std::map<std::string, double>& scalars) override {
        const auto active = scalars.find("valid_active_dimensions");
        if (step < kFirstSteps || active == scalars.end() || active->second >= 1) return std::nullopt;
        return fmt::format(
            "no dimension of the vectors varies over chunks at step {}: the encoder collapsed; lower "
            "loss.kl_weight, set loss.kl_clip, or raise train.lr",
            step);
    }

private:
    static constexpr std::int64_t kFirstSteps = 100;
};

}  // namespace

Schema AutoencoderFamily::ownSchema() const {
    Schema schema;
    schema.family = "calm_autoencoder";
    schema.title = "CALM autoencoder";
    schema.paper = "Continuous Autoregressive Language Models (Shao et al., 2025), section 2";
    schema.fields = modelFields();
    for (FieldSpec& field : samplerFields()) schema.fields.push_back(std::move(field));
    schema.presets = presets();
    schema.scalars = trainingScalars();
    schema.groups = {{"chunk", "Chunks"}};
    schema.provides = {kChunkAutoencoder};
    schema.prompts = {{"text", {"source"}}};
    return schema;
}

std::vector<std::unique_ptr<alerts::FamilyWatch>> AutoencoderFamily::watches(
    double /*unigramEntropy*/) const {
    std::vector<std::unique_ptr<alerts::FamilyWatch>> all;
    all.push_back(std::make_unique<CollapseWatch>());
    return all;
}

Result<std::unique_ptr<train::SequenceModel>> AutoencoderFamily::create(
    const RunConfig& config, const train::ModelContext& context) const {
    KURVE_CHECK(!context.shape.hasSource, "the family has texts without a source alone");
    KURVE_CHECKED(checkModel(config, context.shape));
    const AutoencoderSizes sizes = sizesOf(config, context.shape);
    AutoencoderNet net(sizes);
    initialise(*net, static_cast<std::uint64_t>(config.integer("seed")),
               [&](const std::string& name, const at::Tensor& parameter) {
                   return autoencoderInitializer(sizes, config.text("init.kind") == "published", name,
                                                 parameter);
               });
    net->to(context.device);
    return std::make_unique<AutoencoderModel>(config, net);
}

const train::PublishedFormat* AutoencoderFamily::maybePublishedFormat() const {
    static const AutoencoderFormat format;
    return &format;
}

}  // namespace kurve::models::calm_autoencoder
