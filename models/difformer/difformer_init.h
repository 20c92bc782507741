#pragma once

#include "models/common/init.h"
#include "models/difformer/difformer_net.h"

namespace kurve::models::difformer {

/// Start of a Difformer parameter by its name; empty for names it does not know.
/// `stretch`: decoder position i of a sinusoid start lies at word position i / stretch.
[[nodiscard]] InitialLaw initialLaw(const RunConfig& config, double stretch, const std::string& name,
                                    const at::Tensor& parameter);

}  // namespace kurve::models::difformer
