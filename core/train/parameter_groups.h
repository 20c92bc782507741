#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/run_config.h"

namespace torch::nn {
class Module;
}

namespace kurve::train {

/// How the parameters of one name pattern are trained.
struct ParameterGroup {
    std::string pattern;                 ///< "encoder.*"; * and ? also match dots
    double learningRate = 1, decay = 1;  ///< factors of train.lr and of train.weight_decay
    bool frozen = false;                 ///< not trained at all

    [[nodiscard]] bool matches(const std::string& parameter) const;
};

/// Of train.parameter_groups: "encoder.*: lr 0.1, decay 0; embed*: frozen". A parameter belongs to the first
/// group that matches it. Errors: train.parameter_groups.
Result<std::vector<ParameterGroup>> parameterGroups(const RunConfig& config);
/// Freezes what the groups say. Errors: train.parameter_groups, also where a group matches no parameter or
/// nothing is left to train.
Status freezeGroups(const RunConfig& config, torch::nn::Module& module);

/// Whether one of the patterns matches, which are separated by commas.
[[nodiscard]] bool matchesAny(const std::string& patterns, const std::string& parameter);

}  // namespace kurve::train
