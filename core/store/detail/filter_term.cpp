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

std::span<const FilterName> filterNames() {
    using Texts = std::vector<std::string>;
    static constexpr FilterName kNames[] = {
        {"tag", [](const RunSummary& run) { return run.tags; }, nullptr, ""},
        {"family", [](const RunSummary& run) { return Texts{run.family}; }, nullptr, ""},
        {"state", [](const RunSummary& run) { return Texts{run.state}; }, nullptr, ""},
        {"reason", [](const RunSummary& run) { return Texts{run.reason}; }, nullptr, ""},
        {"task", [](const RunSummary& run) { return Texts{run.task}; }, nullptr, ""},
        {"is",
         [](const RunSummary& run) {
             Texts is;
             if (run.starred) is.emplace_back("starred");
             if (run.trashed) is.emplace_back("trashed");
             if (run.bundled) is.emplace_back("bundled");
             return is;
         },
         nullptr, ""},
        {"name", [](const RunSummary& run) { return Texts{run.name}; }, nullptr, ""},
        {"parent", [](const RunSummary& run) { return Texts{run.parent}; }, nullptr, ""},
        {"machine", [](const RunSummary& run) { return Texts{run.machine}; }, nullptr, nullptr},
        {"notes", [](const RunSummary& run) { return Texts{run.notes}; }, nullptr, ""},
        {"id", [](const RunSummary& run) { return Texts{run.id}; }, nullptr, nullptr},
        {"tags", [](const RunSummary& run) { return run.tags; }, nullptr, nullptr},
        {"step", nullptr, [](const RunSummary& run) { return static_cast<double>(run.step); }, "steps done"},
        {"total_steps", nullptr, [](const RunSummary& run) { return static_cast<double>(run.totalSteps); },
         nullptr}};
    return kNames;
}

const FilterName* filterName(std::string_view key) {
    for (const FilterName& one : filterNames())
        if (key == one.name) return &one;
    return nullptr;
}

std::vector<std::string> textsOf(const RunSummary& run, const std::string& key) {
    if (const FilterName* known = filterName(key))
        return known->texts ? known->texts(run) : std::vector<std::string>();
    if (const std::string* setting = lookUp(run.settings, key)) return {*setting};
    return {};
}

}  // namespace kurve::store::detail
