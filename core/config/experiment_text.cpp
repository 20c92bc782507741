#include "core/config/experiment_text.h"

#include <fmt/format.h>

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

}  // namespace kurve
