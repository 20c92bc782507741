#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/store/run_writer.h"
#include "core/train/trainer.h"

namespace kurve::train {

/// The group of parameters that one belongs to: its name up to the first number ("decoder.layers.0" of
/// "decoder.layers.0.fc1.weight"), else its first part ("embedding" of "embedding.weight").
[[nodiscard]] std::string layerGroup(const std::string& parameter);

/// For each group the distribution of log10 |x| over the parameters of `flat` (laid out like
/// parameters.values()), as run.db keeps histograms: {"edges","values","weights"}: 40 bins from 1e-8 to 1e2,
/// value = fraction of all, weight = how many. Zeros and what is not finite are in no bin. One pass and one
/// wait for the device a group.
[[nodiscard]] std::map<std::string, nlohmann::json> magnitudeHistograms(const FlatParameters& parameters,
                                                                        const at::Tensor& flat);

/// The same of the layers' activations, over their real positions.
[[nodiscard]] std::map<std::string, nlohmann::json> magnitudeHistograms(const Activations& activations);

/// Those of the weights, of the last step's clipped gradients, and of its recorded activations,
/// as "weights/GROUP", "gradients/GROUP" and "activations/GROUP".
void recordHistograms(const Trainer& trainer, store::RunWriter& writer);

}  // namespace kurve::train
