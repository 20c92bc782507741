#include "core/store/detail/filter_term.h"

#include <algorithm>
#include <cctype>

#include "core/base/text.h"
#include "core/store/project.h"

namespace kurve::store::detail {

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

std::size_t operatorAt(const std::string& term) {
    const auto first = term.find_first_of(":<>=!@");
    if (first == term.npos || term[first] != '@') return first;
    // NAME@KEY=VALUE,KEY=VALUE: each pair's '=' belongs to it.
    for (std::size_t at = first; at != term.npos && (at == first || term[at] == ',');) {
        const auto equals = term.find_first_of("<>!=", at + 1);
        if (equals == term.npos || term[equals] != '=') return equals;
        at = term.find_first_of(",<>!=", equals + 1);
        if (at != term.npos && term[at] != ',') return at;
    }
    return term.npos;
}

std::string withSortedSettings(const std::string& key) {
    const auto at = key.find('@');
    if (at == key.npos) return key;
    std::vector<std::string> settings = split(key.substr(at + 1), ',');
    std::sort(settings.begin(), settings.end());
    return key.substr(0, at + 1) + join(settings, ",");
}

std::string_view lastPart(std::string_view name) {
    const auto cut = name.substr(0, name.find('@')).find_last_of("./");
    return cut == name.npos ? name : name.substr(cut + 1);
}

std::vector<std::string> textsOf(const RunSummary& run, const std::string& key) {
    if (key == "id") return {run.id};
    if (key == "name") return {run.name};
    if (key == "family") return {run.family};
    if (key == "state") return {run.state};
    if (key == "reason") return {run.reason};
    if (key == "task") return {run.task};
    if (key == "notes") return {run.notes};
    if (key == "parent") return {run.parent};
    if (key == "tag" || key == "tags") return run.tags;
    if (key == "is") {
        std::vector<std::string> is;
        if (run.starred) is.emplace_back("starred");
        if (run.trashed) is.emplace_back("trashed");
        if (run.bundled) is.emplace_back("bundled");
        return is;
    }
    if (const std::string* setting = lookUp(run.settings, key)) return {*setting};
    return {};
}

}  // namespace kurve::store::detail
