#include "core/train/make_trainer.h"

#include <fmt/format.h>

#include "core/train/common_fields.h"
#include "core/train/decode.h"
#include "core/train/parameter_groups.h"
#include "core/train/run_reference.h"

namespace kurve::train {

Error writesNoText(const RunConfig& config) {
    return requestError(
               "model.encoder_only",
               fmt::format("a run of the family {} writes no text and is not trained: it gives other "
                           "models vectors of sentences",
                           config.family()))
        .at("family")
        .fix("train a run that names it in model.encoder: that one writes sentences");
}

Result<std::unique_ptr<SequenceModel>> makeModel(const ModelFamily& family, const RunConfig& config,
                                                 const ModelContext& context) {
    if (!family.trains()) return writesNoText(config);
    KURVE_TRY(auto model, family.create(config, context));
    KURVE_CHECKED(freezeGroups(config, model->module()));
    return model;
}

Result<std::unique_ptr<Trainer>> makeTrainer(const ModelFamily& family, const RunConfig& config,
                                             const TrainerPlace& place) {
    const auto replicas = place.device.is_cpu() ? config.integer("train.cpu_replicas") : 1;
    const ModelContext context = contextOf(place.tokenizers, config, place.device, place.maybeResolver);
    std::vector<std::unique_ptr<SequenceModel>> models;
    for (std::int64_t r = 0; r < replicas; ++r) {
        KURVE_TRY(auto model, makeModel(family, config, context));
        models.push_back(std::move(model));
    }
    return std::make_unique<Trainer>(std::move(models), config, place.device, place.threads);
}

Status takeWeights(Trainer& trainer, const std::filesystem::path& weights, const std::string& patterns) {
    NamedTensors wanted = moduleTensors(trainer.model().module());
    if (!patterns.empty())
        std::erase_if(wanted, [&](const auto& item) { return !matchesAny(patterns, item.first); });
    if (wanted.empty())
        return requestError("train.init_from", "no parameter of the model is called " + patterns)
            .at("train.init_from_parameters")
            .fix("name patterns, with commas: \"encoder.*, embedding.weight\"");
    KURVE_CHECKED(
        readTensors(weights, wanted, patterns.empty() ? OtherTensors::Refused : OtherTensors::Ignored));
    torch::NoGradGuard noGrad;
    if (trainer.averaged().defined()) trainer.averaged().copy_(trainer.parameters().values());
    return {};
}

Status takeInitialWeights(Trainer& trainer, const RunConfig& config, RunResolver* maybeResolver) {
    KURVE_TRY(const auto run, referencedRun({{}, c10::kCPU, maybeResolver}, config, kInitFrom));
    if (run == nullptr) return {};
    auto taken = takeWeights(trainer, run->weights, config.text("train.init_from_parameters"));
    if (!taken && taken.error().code.starts_with("checkpoint."))
        return std::move(taken.error())
            .fix(fmt::format("train.init_from_parameters takes a part of the run {}, by name patterns",
                             run->pin.run));
    return taken;
}

}  // namespace kurve::train
