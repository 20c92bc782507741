#include "core/train/make_trainer.h"

#include <fmt/format.h>

#include "core/tensor/autocast.h"
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
    return std::make_unique<Trainer>(std::move(models), config, place.device, place.threads,
                                     place.maybeGroup);
}

std::vector<std::string> placeWarnings(const RunConfig& config, c10::Device device) {
    if (config.text("train.precision") != "bf16" || tensor::multipliesBf16(device)) return {};
    return {
        "train.precision = bf16: this processor has no bf16 arithmetic (AVX512-BF16); fp32 is faster here"};
}

namespace {

/// Only the parameters that the patterns name; without patterns all.
template <class ByName>
Status keepMatching(ByName& parameters, const std::string& patterns) {
    if (!patterns.empty())
        std::erase_if(parameters, [&](const auto& item) { return !matchesAny(patterns, item.first); });
    if (!parameters.empty()) return {};
    return requestError("train.init_from", "nothing that can be taken is called " + patterns)
        .at("train.init_from_parameters")
        .fix("name patterns, with commas: \"encoder*, embedding.weight\"");
}

OtherTensors othersWith(const std::string& patterns) {
    return patterns.empty() ? OtherTensors::Refused : OtherTensors::Ignored;
}

void beginAverage(Trainer& trainer) {
    const torch::NoGradGuard noGrad;
    if (trainer.averaged().defined()) trainer.averaged().copy_(trainer.parameters().values());
}

Status checkSourceTokenizer(const text::Tokenizers& tokenizers, const ReferencedRun& other) {
    const std::string here = tokenizers.source->hash(), there = other.tokenizers.target->hash();
    if (here == there) return {};
    return requestError("reference.other_tokenizer",
                        fmt::format("the tokens of the run {} are not this run's ({:.12}, here {:.12})",
                                    other.pin.run, there, here))
        .at(kInitFrom)
        .fix(
            "set data.tokenizer.kind as that run has it, or name in train.init_from_parameters what is no "
            "table of tokens");
}

Status takeFromOtherFamily(Trainer& trainer, const ReferencedRun& run, const text::Tokenizers& tokenizers,
                           InitialSources sources, const std::string& patterns) {
    KURVE_CHECKED(keepMatching(sources, patterns));
    const NamedTensors own = moduleTensors(trainer.model().module());
    NamedTensors wanted, added;
    for (const auto& [name, source] : sources) {
        if (source.ofTokens) KURVE_CHECKED(checkSourceTokenizer(tokenizers, run));
        const at::Tensor& parameter = wanted[source.name] = own.at(name);
        if (source.maybeAdded.empty()) continue;
        wanted[source.maybeAdded] = added[name] = at::empty({source.addedRows, parameter.size(1)});
    }
    KURVE_CHECKED(readTensors(run.weights, wanted, othersWith(patterns)));
    const torch::NoGradGuard noGrad;
    for (const auto& [name, table] : added) at::Tensor(own.at(name)).add_(table[0].to(own.at(name).device()));
    beginAverage(trainer);
    return {};
}

}  // namespace

Status takeWeights(Trainer& trainer, const std::filesystem::path& weights, const std::string& patterns) {
    NamedTensors wanted = moduleTensors(trainer.model().module());
    KURVE_CHECKED(keepMatching(wanted, patterns));
    KURVE_CHECKED(readTensors(weights, wanted, othersWith(patterns)));
    beginAverage(trainer);
    return {};
}

Status takeInitialWeights(Trainer& trainer, const RunConfig& config, const text::Tokenizers& tokenizers,
                          RunResolver* maybeResolver) {
    KURVE_TRY(const auto run, referencedRun({{}, c10::kCPU, maybeResolver}, config, kInitFrom));
    if (run == nullptr) return {};
    const std::string& patterns = config.text("train.init_from_parameters");
    InitialSources sources;
    if (run->config.family() != config.family()) {
        KURVE_TRY(sources, trainer.model().initialSources(run->config));
    }
    auto taken = sources.empty() ? takeWeights(trainer, run->weights, patterns)
                                 : takeFromOtherFamily(trainer, *run, tokenizers, sources, patterns);
    if (!taken && taken.error().code.starts_with("checkpoint."))
        return std::move(taken.error())
            .fix(fmt::format("train.init_from_parameters takes a part of the run {}, by name patterns",
                             run->pin.run));
    return taken;
}

}  // namespace kurve::train
