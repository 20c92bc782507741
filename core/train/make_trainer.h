#pragma once

#include <filesystem>
#include <memory>

#include "core/text/dataset.h"
#include "core/train/model_family.h"
#include "core/train/trainer.h"

namespace kurve::train {

/// model.encoder_only: of a family that does not train.
[[nodiscard]] Error writesNoText(const RunConfig& config);

/// A model to train: ModelFamily::create(), and frozen what train.parameter_groups says. Errors: those of the
/// family; train.parameter_groups; model.encoder_only.
Result<std::unique_ptr<SequenceModel>> makeModel(const ModelFamily& family, const RunConfig& config,
                                                 const ModelContext& context);

/// What models are trained for, and with.
struct TrainerPlace {
    const text::Tokenizers& tokenizers;
    c10::Device device = c10::kCPU;
    int threads = 1;                       ///< inside one operation, per replica
    RunResolver* maybeResolver = nullptr;  ///< as ModelContext
    std::shared_ptr<distributed::ProcessGroup> maybeGroup = nullptr;
};
/// The models of `config` (as many as train.cpu_replicas on a CPU; a GPU computes a batch as one) with
/// initial values, and the trainer over them. Errors: as makeModel().
Result<std::unique_ptr<Trainer>> makeTrainer(const ModelFamily& family, const RunConfig& config,
                                             const TrainerPlace& place);

/// What a user should know of the settings on this device before a training, if anything.
[[nodiscard]] std::vector<std::string> placeWarnings(const RunConfig& config, c10::Device device);

/// Before the first step, the weights of a file; or those of them whose names match `patterns`, which are
/// separated by commas. Errors: checkpoint.missing_tensor and the like, which name every tensor that does not
/// fit; train.init_from (the patterns match no parameter).
Status takeWeights(Trainer& trainer, const std::filesystem::path& weights, const std::string& patterns = "");
/// At the start of a run: the weights of the run that train.init_from names, or those of them that
/// train.init_from_parameters does; of a run of another family what SequenceModel::initialSources() says.
/// `tokenizers`: those of this run. Errors: those of referencedRun(), takeWeights() and initialSources();
/// reference.other_tokenizer.
Status takeInitialWeights(Trainer& trainer, const RunConfig& config, const text::Tokenizers& tokenizers,
                          RunResolver* maybeResolver);

}  // namespace kurve::train
