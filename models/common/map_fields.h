#pragma once

#include <memory>
#include <vector>

#include "core/alerts/family_watch.h"
#include "core/train/model_family.h"

namespace kurve::models {

/// The fields map.* of a family whose layers work on control points.
[[nodiscard]] std::vector<FieldSpec> mapFields();
/// `layers`: of the network. Errors: map.control_points, for a map that fits no sentence length;
/// map.lift_layer.
[[nodiscard]] Status checkMap(const RunConfig& config, const train::TextShape& shape, std::int64_t layers);

/// The largest factor by which Psi+ amplifies independent noise, over the lengths trained so far.
inline constexpr const char* kInputGain = "map_input_gain";
[[nodiscard]] ScalarSpec inputGainScalar();
/// Finds that it is above curve::kHighInputGain: ill-conditioned directions then dominate the words.
[[nodiscard]] std::unique_ptr<alerts::FamilyWatch> inputGainWatch();

}  // namespace kurve::models
