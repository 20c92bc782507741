#pragma once

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/config/run_config.h"
#include "core/schedule/noise_schedule.h"
#include "core/train/model_family.h"
#include "models/mdlm/canvas.h"
#include "models/mdlm/mdlm_net.h"

namespace kurve::models::mdlm {

[[nodiscard]] std::vector<FieldSpec> modelFields();
[[nodiscard]] std::vector<FieldSpec> samplerFields();
[[nodiscard]] std::vector<ScalarSpec> trainingScalars();
[[nodiscard]] std::vector<Preset> presets();
/// As Schema::prompts.
[[nodiscard]] decltype(Schema::prompts) prompts();

/// Errors: config of the whole that does not fit, with `field` set.
[[nodiscard]] Status checkModel(const RunConfig& config, const train::TextShape& shape);
[[nodiscard]] MdlmSizes sizesOf(const RunConfig& config, const train::TextShape& shape);
[[nodiscard]] CanvasRules canvasRules(const RunConfig& config, const train::TextShape& shape);
/// A mask schedule. Errors: schedule.*, model.schedule.
Result<std::shared_ptr<const schedule::NoiseSchedule>> maskSchedule(const RunConfig& config);

}  // namespace kurve::models::mdlm
