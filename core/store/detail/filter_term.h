#pragma once

#include <string>
#include <string_view>

namespace kurve::store::detail {

/// Where the operator of a filter's term stands (":<>=!"), npos if there is none. The settings of a kept
/// score are part of its name: in "eval_test_bleu@beam=8,temperature=0.7>20" it is the '>'.
[[nodiscard]] std::size_t operatorAt(const std::string& term);

/// The name of a number with the settings behind '@' in the order in which scores are named.
[[nodiscard]] std::string withSortedSettings(const std::string& key);

/// What follows the last '.' or '/' of a setting's or metric's name, by which it may be called; settings
/// behind '@' are part of it.
[[nodiscard]] std::string_view lastPart(std::string_view name);

}  // namespace kurve::store::detail
