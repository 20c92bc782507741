#pragma once

#include "core/config/run_config.h"
#include "core/train/model_family.h"

namespace kurve::models::difformer {

/// Fields of the Difformer's network, process, loss and initial values; also the first of the families that
/// build on it.
[[nodiscard]] std::vector<FieldSpec> modelFields();
[[nodiscard]] std::vector<FieldSpec> samplerFields();
[[nodiscard]] std::vector<ScalarSpec> trainingScalars();
/// Of a collapse of the embeddings, and of a model that learns only lengths.
[[nodiscard]] std::vector<std::unique_ptr<alerts::FamilyWatch>> embeddingWatches(double unigramEntropy);
/// tiny, iwslt14, wmt14.
[[nodiscard]] std::vector<Preset> basePresets();
/// Those of the published scripts.
[[nodiscard]] std::vector<Preset> scriptPresets();

/// Checks that need the whole config. Errors: model.heads, model.max_positions with `field` set.
[[nodiscard]] Status checkModel(const RunConfig& config, const train::TextShape& shape);

/// sampler.schedule: the noise levels of training.
inline constexpr const char* kTrained = "trained";
/// sampler.selection: minimum Bayes risk by BLEU of tokens, as the published code computes it.
inline constexpr const char* kMbrTokens = "bleu-mbr-tokens";

}  // namespace kurve::models::difformer
