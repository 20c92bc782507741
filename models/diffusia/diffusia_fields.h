#pragma once

#include "core/config/run_config.h"
#include "core/diffusion/reverse_sampler.h"
#include "core/schedule/noise_schedule.h"
#include "core/train/model_family.h"
#include "models/diffusia/losses.h"

namespace kurve::models::diffusia {

[[nodiscard]] std::vector<FieldSpec> modelFields();
[[nodiscard]] std::vector<FieldSpec> samplerFields();
[[nodiscard]] std::vector<Preset> presets();
[[nodiscard]] std::vector<ScalarSpec> trainingScalars();

/// Checks that need the whole config. Errors: model.heads, model.max_positions, model.target_length,
/// model.shared_embeddings, model.latent, model.network, length.kind, diffusion.step_buckets, sampler.steps,
/// sampler.length_beam, model.schedule, with `field` set.
[[nodiscard]] Status checkModel(const RunConfig& config, const train::TextShape& shape);

/// Lengths can be tried only where a head predicts them. Errors: sampler.length_beam.
[[nodiscard]] Status checkLengthBeam(const RunConfig& sampler);

/// Whether padding of the target is a token as any other, which tells the length.
[[nodiscard]] bool paddingIsToken(const RunConfig& config);
/// The width k_x that every target is padded to where padding is a token.
[[nodiscard]] std::int64_t targetLength(const RunConfig& config, const train::TextShape& shape);
[[nodiscard]] NetSizes sizesOf(const RunConfig& config, const train::TextShape& shape);
[[nodiscard]] LossForm lossFormOf(const RunConfig& config);
/// Losses that share a history: diffusion.step_buckets, or one for each step.
[[nodiscard]] diffusion::StepSamplerImpl::Sizes stepSamplerSizes(const RunConfig& config);
[[nodiscard]] std::shared_ptr<const schedule::NoiseSchedule> scheduleOf(const RunConfig& config);
[[nodiscard]] diffusion::SolverSettings solverOf(const RunConfig& sampler);

/// sampler.selection: minimum Bayes risk by BLEU of tokens.
inline constexpr const char* kMbrTokens = "bleu-mbr-tokens";

}  // namespace kurve::models::diffusia
