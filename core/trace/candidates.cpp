#include "core/trace/candidates.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/json_depth.h"

namespace kurve::trace {

using nlohmann::json;

json candidatesJson(const std::vector<TextCandidate>& candidates) {
    json all = json::array();
    for (const TextCandidate& one : candidates)
        all.push_back(
            {{"output", one.text}, {"score", one.score}, {"number", one.number}, {"pieces", one.tokens}});
    return all;
}

std::vector<TextCandidate> candidatesOf(const Trace& trace) {
    std::vector<TextCandidate> found;
    const std::string text = trace.metaText("candidates");
    if (text.empty() || jsonDeeperThan(text, 2)) return found;
    const json all = json::parse(text, nullptr, false);
    if (!all.is_array()) return found;
    const auto number = [](const json& one, const char* key) {
        const json value = one.value(key, json());
        return value.is_number_integer() ? value.get<std::int64_t>() : 0;
    };
    for (const json& one : all) {
        const json output = one.is_object() ? one.value("output", json()) : json();
        if (!output.is_string()) continue;
        const json score = one.value("score", json());
        found.push_back({output.get<std::string>(),
                         score.is_number() ? score.get<double>() : -std::numeric_limits<double>::infinity(),
                         number(one, "number"), number(one, "pieces")});
    }
    return found;
}

}  // namespace kurve::trace
