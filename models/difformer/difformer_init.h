#pragma once

#include "models/common/init.h"
#include "models/difformer/difformer_net.h"

namespace kurve::models::difformer {

/// The initializer of a Difformer parameter by its name; empty for unknown names.
/// `stretch`: decoder position i of an initial sinusoid lies at word position i / stretch.
[[nodiscard]] Initializer initializer(const RunConfig& config, double stretch, const std::string& name,
                                      const at::Tensor& parameter);

}  // namespace kurve::models::difformer
