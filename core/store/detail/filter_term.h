#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kurve::store {
struct RunSummary;
}

namespace kurve::store::detail {

/// A to Z made small; other letters stay as they are.
[[nodiscard]] std::string lower(std::string text);

/// Where the operator of a filter's term stands (":<>=!"), npos if there is none. The settings of a kept
/// score are part of its name: in "eval_test_bleu@beam=8,temperature=0.7>20" it is the '>'.
[[nodiscard]] std::size_t operatorAt(const std::string& term);

/// The name of a number with the settings behind '@' in the order in which scores are named.
[[nodiscard]] std::string withSortedSettings(const std::string& key);

/// What follows the last '.' or '/' of a setting's or metric's name, by which it may be called; settings
/// behind '@' are part of it.
[[nodiscard]] std::string_view lastPart(std::string_view name);

/// The value of a metric or setting by its full name or its last part.
template <class Map>
const typename Map::mapped_type* lookUp(const Map& map, const std::string& key) {
    if (const auto found = map.find(key); found != map.end()) return &found->second;
    for (const auto& [name, value] : map)
        if (lastPart(name) == key) return &value;
    return nullptr;
}

/// What "KEY:" and "KEY=" look at: a word about the run itself, its tags, or a setting by its full name or
/// last part.
[[nodiscard]] std::vector<std::string> textsOf(const RunSummary& run, const std::string& key);

}  // namespace kurve::store::detail
