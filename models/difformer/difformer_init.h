#pragma once

#include "models/common/init.h"
#include "models/difformer/difformer_net.h"

namespace kurve::models::difformer {

/// What initial tables depend on beside the config.
struct Tables {
    std::int64_t padding = 0;  ///< SpecialIds::pad
    double stretch = 1;  ///< decoder position i of an initial sinusoid lies at word position i / stretch
};
/// The initializer of a Difformer parameter by its name; empty for unknown names.
[[nodiscard]] Initializer initializer(const RunConfig& config, const Tables& tables, const std::string& name,
                                      const at::Tensor& parameter);

}  // namespace kurve::models::difformer
