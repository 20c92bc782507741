#pragma once

#include <span>
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

/// A name that every run answers to.
struct FilterName {
    const char* name;
    std::vector<std::string> (*texts)(const RunSummary& run);  ///< null: it is a number
    double (*number)(const RunSummary& run);                   ///< null: it is text
    const char* note;  ///< beside the suggestion; null: it is not suggested
};
/// In the order in which they are suggested.
[[nodiscard]] std::span<const FilterName> filterNames();
/// Null: none of these, so a metric's or a setting's, or nobody's.
[[nodiscard]] const FilterName* filterName(std::string_view key);

/// What "KEY:" and "KEY=" look at: a word about the run itself, its tags, or a setting by its full name or
/// last part.
[[nodiscard]] std::vector<std::string> textsOf(const RunSummary& run, const std::string& key);

}  // namespace kurve::store::detail
