#include "core/config/experiment_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/config/detail/toml_entries.h"

namespace kurve {

std::string experimentText(const RunConfig& config, const std::string& name) {
    std::string out = fmt::format("family = {}\nname = {}\n", detail::tomlLiteral(config.family()),
                                  detail::tomlLiteral(name));
    if (!config.preset().empty()) out += fmt::format("preset = {}\n", detail::tomlLiteral(config.preset()));
    std::map<std::string, FieldValue> changed;
    for (const std::string& key : config.changedKeys()) changed.emplace(key, config.value(key));
    return out + detail::tomlTables(changed);
}

std::optional<std::string> unchangedText(const Schema& schema, const std::string& preset,
                                         const std::string& name) {
    const FieldSpec* field = schema.find(name);
    if (field == nullptr) {
        const auto has = [&](const FieldSpec& one) { return one.key.substr(one.key.rfind('.') + 1) == name; };
        const auto first = std::find_if(schema.fields.begin(), schema.fields.end(), has);
        if (first == schema.fields.end() || std::any_of(first + 1, schema.fields.end(), has)) return {};
        field = &*first;
    }
    const Preset* const base = schema.preset(preset);
    const bool ofPreset = base != nullptr && base->values.contains(field->key);
    return fieldValueText(ofPreset ? base->values.at(field->key) : field->fallback);
}

}  // namespace kurve
