#include "core/config/run_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/check.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/config/detail/toml_entries.h"

namespace kurve {

using Values = std::map<std::string, FieldValue>;

struct RunConfig::Data {
    std::shared_ptr<const Schema> schema;
    std::string name, preset;
    Values base;    ///< defaults with the preset applied
    Values values;  ///< every field of the schema
};

namespace {

/// What stands at the top of a file beside the fields.
struct Head {
    std::string family, name, preset;
    int familyLine = 0, presetLine = 0;

    /// Takes the entry if it is one of the three. Errors: config.wrong_type.
    Result<bool> take(const detail::TomlEntry& entry, const std::string& file) {
        std::string* field = entry.key == "family"   ? &family
                             : entry.key == "name"   ? &name
                             : entry.key == "preset" ? &preset
                                                     : nullptr;
        if (field == nullptr) return false;
        const auto* text = entry.value ? std::get_if<std::string>(&*entry.value) : nullptr;
        if (text == nullptr)
            return requestError("config.wrong_type", "is not a text")
                .in(file, entry.line)
                .at(entry.key)
                .fix(fmt::format("write {} = \"…\"", entry.key));
        *field = *text;
        if (field == &family) familyLine = entry.line;
        if (field == &preset) presetLine = entry.line;
        return true;
    }
};

std::string lastPart(const std::string& key) {
    return key.substr(key.rfind('.') + 1);
}

/// The key that was probably meant: a near spelling, or the only one with the same last part.
std::optional<std::string> nearestKey(const Schema& schema, const std::string& key) {
    std::vector<std::string> known = {"family", "name", "preset"}, sameEnding;
    for (const FieldSpec& field : schema.fields) {
        known.push_back(field.key);
        if (lastPart(field.key) == lastPart(key)) sameEnding.push_back(field.key);
    }
    if (sameEnding.size() == 1) return sameEnding.front();
    return nearestWord(key, known);
}

Error unknownKey(const Schema& schema, const std::string& key) {
    if (key == "family")
        return requestError("config.unknown_key", "the family of an experiment is not changed by a setting")
            .at(key)
            .fix("write family = \"…\" into a file of its own");
    const auto isInside = [&](const FieldSpec& f) { return f.key.starts_with(key + "."); };
    if (std::any_of(schema.fields.begin(), schema.fields.end(), isInside))
        return requestError("config.unknown_key", "is a table, not a setting")
            .at(key)
            .fix(fmt::format("write [{}] on a line of its own and its settings below", key));
    const auto near = nearestKey(schema, key);
    return requestError("config.unknown_key", fmt::format("{} has no such setting", schema.family))
        .at(key)
        .fix(near ? "did you mean " + *near + "?" : "see kurve describe families " + schema.family);
}

Result<FieldValue> entryValue(const Schema& schema, const detail::TomlEntry& entry) {
    const FieldSpec* field = schema.find(entry.key);
    if (field == nullptr) return unknownKey(schema, entry.key);
    if (entry.value) return checkFieldValue(*field, *entry.value);
    return requestError("config.wrong_type", fmt::format("{} is not what this setting takes", entry.typeText))
        .at(entry.key)
        .fix("write one value, like " + detail::tomlLiteral(field->fallback));
}

/// Defaults, then the preset's values. A preset that does not fit its schema is our bug.
Result<Values> baseValues(const Schema& schema, const std::string& presetName) {
    Values values;
    for (const FieldSpec& field : schema.fields) values[field.key] = field.fallback;
    if (presetName.empty()) return values;
    const Preset* preset = schema.preset(presetName);
    if (preset == nullptr) {
        std::vector<std::string> names;
        for (const Preset& known : schema.presets) names.push_back(known.name);
        return requestError("config.unknown_preset",
                            fmt::format("{} has no preset “{}”", schema.family, presetName))
            .at("preset")
            .fix(names.empty() ? "leave it out" : "choose one of: " + join(names, ", "));
    }
    for (const auto& [key, value] : preset->values) {
        const FieldSpec* field = schema.find(key);
        KURVE_CHECK(field != nullptr, "preset {} sets unknown {}", presetName, key);
        auto checked = checkFieldValue(*field, value);
        KURVE_CHECK(checked.has_value(), "preset {}: {}", presetName, checked.error().text());
        values[key] = std::move(*checked);
    }
    return values;
}

Status applyOverride(const Schema& schema, const Override& change, Values& values) {
    const FieldSpec* field = schema.find(change.first);
    if (field == nullptr) return unknownKey(schema, change.first);
    KURVE_TRY(FieldValue value, parseFieldValue(*field, change.second));
    values[change.first] = std::move(value);
    return {};
}

Status checkName(const std::string& name) {
    if (!firstInvalidUtf8(name) && name.find('\0') == std::string::npos) return {};
    return requestError("config.wrong_type", "the text is not UTF-8").at("name").fix("write it in UTF-8");
}

/// Puts the keys of --set that belong to the head there; gives back the others.
std::vector<Override> applyToHead(std::span<const Override> overrides, Head& head) {
    std::vector<Override> rest;
    for (const Override& change : overrides) {
        if (change.first == "name")
            head.name = change.second;
        else if (change.first == "preset") {
            head.preset = change.second;
            head.presetLine = 0;
        } else
            rest.push_back(change);
    }
    return rest;
}

Result<std::shared_ptr<const Schema>> schemaFor(const Head& head, const std::string& file,
                                                const SchemaLookup& lookup) {
    if (head.family.empty())
        return requestError("config.no_family", "the experiment does not say which model family it trains")
            .in(file)
            .at("family")
            .fix("write family = \"…\" at the top; kurve describe families lists them");
    auto schema = lookup(head.family);
    if (!schema) return Error(schema.error()).in(file, head.familyLine).at("family");
    return schema;
}

}  // namespace

Result<RunConfig> RunConfig::parse(const std::string& tomlText, const std::string& fileName,
                                   const SchemaLookup& schemas, std::span<const Override> overrides) {
    KURVE_TRY(auto entries, detail::readTomlEntries(tomlText, fileName));
    Head head;
    std::vector<detail::TomlEntry> fields;
    for (auto& entry : entries) {
        KURVE_TRY(const bool taken, head.take(entry, fileName));
        if (!taken) fields.push_back(std::move(entry));
    }
    const std::vector<Override> changes = applyToHead(overrides, head);
    KURVE_CHECKED(checkName(head.name));
    auto data = std::make_shared<Data>();
    KURVE_TRY(data->schema, schemaFor(head, fileName, schemas));
    auto base = baseValues(*data->schema, head.preset);
    if (!base) return Error(base.error()).in(head.presetLine > 0 ? fileName : "", head.presetLine);
    data->name = head.name;
    data->preset = head.preset;
    data->base = data->values = std::move(*base);
    for (const auto& entry : fields) {
        auto value = entryValue(*data->schema, entry);
        if (!value) return Error(value.error()).in(fileName, entry.line);
        data->values[entry.key] = std::move(*value);
    }
    for (const Override& change : changes) KURVE_CHECKED(applyOverride(*data->schema, change, data->values));
    RunConfig config;
    config.data_ = std::move(data);
    return config;
}

Result<RunConfig> RunConfig::load(const std::string& file, const SchemaLookup& schemas,
                                  std::span<const Override> overrides) {
    auto text = readFile(file);
    if (!text) return Error(text.error()).fix("name an experiment, a .toml file like those in experiments/");
    return parse(*text, file, schemas, overrides);
}

Result<RunConfig> RunConfig::with(std::span<const Override> overrides) const {
    auto data = std::make_shared<Data>(*data_);
    for (const Override& change : overrides) {
        if (change.first == "name")
            data->name = change.second;
        else
            KURVE_CHECKED(applyOverride(*data->schema, change, data->values));
    }
    KURVE_CHECKED(checkName(data->name));
    RunConfig config;
    config.data_ = std::move(data);
    return config;
}

const std::string& RunConfig::family() const {
    return data_->schema->family;
}
const std::string& RunConfig::name() const {
    return data_->name;
}
const std::string& RunConfig::preset() const {
    return data_->preset;
}
const Schema& RunConfig::schema() const {
    return *data_->schema;
}

bool RunConfig::has(const std::string& key) const {
    return data_->values.contains(key);
}

const FieldValue& RunConfig::value(const std::string& key) const {
    const auto at = data_->values.find(key);
    KURVE_CHECK(at != data_->values.end(), "{} has no field {}", family(), key);
    return at->second;
}

namespace {
template <class T>
const T& typed(const FieldValue& value, const std::string& key) {
    const T* found = std::get_if<T>(&value);
    KURVE_CHECK(found != nullptr, "{} is requested as another type than it has", key);
    return *found;
}
}  // namespace

bool RunConfig::flag(const std::string& key) const {
    return typed<bool>(value(key), key);
}
std::int64_t RunConfig::integer(const std::string& key) const {
    return typed<std::int64_t>(value(key), key);
}
double RunConfig::real(const std::string& key) const {
    return typed<double>(value(key), key);
}
const std::string& RunConfig::text(const std::string& key) const {
    return typed<std::string>(value(key), key);
}

std::string RunConfig::canonicalText() const {
    std::string out =
        fmt::format("family = {}\nname = {}\n", detail::tomlLiteral(family()), detail::tomlLiteral(name()));
    if (!preset().empty()) out += fmt::format("preset = {}\n", detail::tomlLiteral(preset()));
    return out + detail::tomlTables(data_->values);
}

std::string RunConfig::contentHash() const {
    std::string text = "family=" + family() + "\n";
    for (const auto& [key, value] : data_->values) {
        const FieldSpec& field = *data_->schema->find(key);
        if (field.affectsResult && !(field.optional && value == field.fallback))
            text += fmt::format("{}={}\n", key, detail::tomlLiteral(value));
    }
    return sha256(text);
}

std::vector<std::string> RunConfig::changedKeys() const {
    std::vector<std::string> keys;
    for (const auto& [key, value] : data_->values)
        if (value != data_->base.at(key)) keys.push_back(key);
    return keys;
}

std::vector<ConfigDifference> difference(const RunConfig& left, const RunConfig& right) {
    std::set<std::string> keys;
    for (const RunConfig* config : {&left, &right})
        for (const FieldSpec& field : config->schema().fields) keys.insert(field.key);
    const auto textOf = [](const RunConfig& config, const std::string& key) {
        return config.has(key) ? fieldValueText(config.value(key)) : std::string();
    };
    std::vector<ConfigDifference> out;
    for (const std::string& key : keys) {
        const bool same = left.has(key) && right.has(key) && left.value(key) == right.value(key);
        if (!same) out.push_back({key, textOf(left, key), textOf(right, key)});
    }
    return out;
}

}  // namespace kurve
