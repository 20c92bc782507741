#include "core/alerts/alert_rules.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/file.h"
#include "core/base/text.h"

namespace kurve::alerts {
namespace {

using nlohmann::json;

constexpr const char* kKinds[] = {"non_finite", "spike", "plateau", "above",
                                  "below",      "disk",  "done",    "family"};
constexpr const char* kActions[] = {"note", "checkpoint", "pause", "stop"};

Error wrong(std::size_t index, const std::string& what, const std::string& remedy) {
    return requestError("alerts.syntax", fmt::format("rule {}: {}", index + 1, what)).fix(remedy);
}

template <class Choice, std::size_t n>
std::optional<Choice> choice(const json& rule, const char* key, const char* const (&names)[n]) {
    const auto found = rule.find(key);
    if (found == rule.end() || !found->is_string()) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i)
        if (*found == names[i]) return static_cast<Choice>(i);
    return std::nullopt;
}

template <std::size_t n>
std::string oneOf(const char* const (&names)[n]) {
    return "use one of " + join(std::vector<std::string>(std::begin(names), std::end(names)), ", ");
}

Result<Rule> ruleOf(const json& entry, std::size_t index) {
    if (!entry.is_object()) return wrong(index, "is no object", "write {\"on\": …, \"do\": …}");
    const auto kind = choice<Kind>(entry, "on", kKinds);
    if (!kind) return wrong(index, "\"on\" is missing or unknown", oneOf(kKinds));
    const auto action = choice<Action>(entry, "do", kActions);
    if (!action) return wrong(index, "\"do\" is missing or unknown", oneOf(kActions));
    Rule rule{*kind, *action, {}, 0, 0, false, true};
    const auto take = [&](const char* key, auto member, bool fits) {
        if (entry.contains(key) && fits) entry.at(key).get_to(rule.*member);
        return !entry.contains(key) || fits;
    };
    const auto is = [&](const char* key, bool (json::*test)() const noexcept) {
        return entry.contains(key) && (entry.at(key).*test)();
    };
    const bool sound =
        take("metric", &Rule::metric, is("metric", &json::is_string)) &&
        take("value", &Rule::value, is("value", &json::is_number)) &&
        take("steps", &Rule::steps, is("steps", &json::is_number_integer)) &&
        take("higher_is_better", &Rule::higherIsBetter, is("higher_is_better", &json::is_boolean)) &&
        take("enabled", &Rule::enabled, is("enabled", &json::is_boolean));
    if (!sound)
        return wrong(index, "a value is of another type",
                     "metric is a text, value a number, steps a whole number, enabled true or false");
    if (looksAtMetric(rule.kind) && rule.metric.empty())
        return wrong(index, "\"metric\" is missing", "name one, for example \"metric\": \"loss\"");
    if (rule.kind == Kind::Spike && !(rule.value > 1))
        return wrong(index, "a spike is a factor above 1", "for example \"value\": 3");
    if (countsSteps(rule.kind) && rule.steps < 1)
        return wrong(index, "\"steps\" is missing", "for example \"steps\": 5000");
    return rule;
}

}  // namespace

const char* name(Kind kind) {
    return kKinds[static_cast<std::size_t>(kind)];
}
const char* name(Action action) {
    return kActions[static_cast<std::size_t>(action)];
}
bool looksAtMetric(Kind kind) {
    return kind == Kind::Spike || kind == Kind::Plateau || kind == Kind::Above || kind == Kind::Below;
}

bool countsSteps(Kind kind) {
    return kind == Kind::Plateau;
}

std::vector<Rule> defaultRules() {
    return {{Kind::NonFinite, Action::Pause, "", 0, 0, false, true},
            {Kind::Spike, Action::Note, "loss", 3, 0, false, true},
            {Kind::Family, Action::Note, "", 0, 0, false, true},
            {Kind::Disk, Action::Note, "", 500, 0, false, true},
            {Kind::Done, Action::Note, "", 0, 0, false, true}};
}

std::filesystem::path rulesFile(const std::filesystem::path& project) {
    return project / "alerts.json";
}

Result<std::vector<Rule>> loadRules(const std::filesystem::path& project) {
    const auto file = rulesFile(project);
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) return defaultRules();
    KURVE_TRY(const std::string text, readFile(file.string()));
    auto rules = parseRules(text);
    if (!rules) return Error(rules.error()).in(file.string());
    return rules;
}

std::string toText(const std::vector<Rule>& rules) {
    json all = json::array();
    for (const auto& rule : rules) {
        json entry{{"on", name(rule.kind)}, {"do", name(rule.action)}, {"enabled", rule.enabled}};
        if (looksAtMetric(rule.kind)) entry["metric"] = rule.metric;
        if (countsSteps(rule.kind)) {
            entry["steps"] = rule.steps;
            if (rule.kind == Kind::Plateau) entry["higher_is_better"] = rule.higherIsBetter;
        } else if (looksAtMetric(rule.kind) || rule.kind == Kind::Disk) {
            entry["value"] = rule.value;
        }
        all.push_back(std::move(entry));
    }
    return json{{"alerts", all}}.dump(1) + "\n";
}

Result<std::vector<Rule>> parseRules(const std::string& text) {
    const json document = json::parse(text, nullptr, false);
    const auto found = document.is_object() ? document.find("alerts") : document.end();
    if (!document.is_object() || found == document.end() || !found->is_array())
        return requestError("alerts.syntax", "is no JSON object with a list \"alerts\"")
            .fix(
                "write {\"alerts\": [{\"on\": \"spike\", \"metric\": \"loss\", \"value\": 3, \"do\": "
                "\"note\"}]}");
    std::vector<Rule> rules;
    for (std::size_t i = 0; i < found->size(); ++i) {
        KURVE_TRY(rules.emplace_back(), ruleOf((*found)[i], i));
    }
    return rules;
}

}  // namespace kurve::alerts
