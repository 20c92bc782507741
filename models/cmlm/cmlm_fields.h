#pragma once

#include "core/config/run_config.h"
#include "core/sampling/mask_choice.h"
#include "core/train/model_family.h"
#include "models/cmlm/contrastive.h"

namespace kurve::models::cmlm {

/// The network, its masking, losses and initial values.
[[nodiscard]] std::vector<FieldSpec> modelFields();
[[nodiscard]] std::vector<FieldSpec> samplerFields();
[[nodiscard]] std::vector<ScalarSpec> trainingScalars();
/// cmlm, cmlm-cl, …, corr-cl-ln in the paper's size, and tiny, tiny-cl, … which learn in minutes.
[[nodiscard]] std::vector<Preset> presets();

/// Checks that need the whole config. Errors: model.heads, model.max_positions, sampler.length_beam with
/// `field` set.
[[nodiscard]] Status checkModel(const RunConfig& config, const train::TextShape& shape);
/// Errors: sample.length_beam at sampler.length_beam, for a beam of more lengths than the model knows.
[[nodiscard]] Status checkLengthBeam(const RunConfig& config);

[[nodiscard]] sampling::MaskRule ruleOf(const RunConfig& config, const char* key);
[[nodiscard]] ContrastiveForm contrastiveOf(const RunConfig& config);
[[nodiscard]] bool corrects(const RunConfig& config);  ///< CORR is on
/// The id that stands for a masked token.
[[nodiscard]] std::int32_t maskId(const RunConfig& config, const text::SpecialIds& special);
/// Classes of the length predictor (Guo et al. 2023; Ghazvininejad et al. 2019): 256 by mean-pooling, one per
/// position with the [LENGTH] token.
[[nodiscard]] std::int64_t lengthClasses(const RunConfig& config);

}  // namespace kurve::models::cmlm
