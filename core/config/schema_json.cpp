#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/config/field_spec.h"

namespace kurve {
namespace {

using nlohmann::json;

constexpr std::array<const char*, 6> kTypeNames = {"flag", "integer", "real", "text", "choice", "run"};

json numberJson(double number) {
    if (std::isnan(number)) return "nan";
    if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
    return number;
}

double numberFrom(const json& value) {
    if (value.is_number()) return value.get<double>();
    const auto word = value.get<std::string>();
    const double infinity = std::numeric_limits<double>::infinity();
    return word == "inf" ? infinity : word == "-inf" ? -infinity : std::numeric_limits<double>::quiet_NaN();
}

std::optional<double> maybeNumber(const json& value) {
    return value.is_null() ? std::nullopt : std::optional(numberFrom(value));
}

FieldValue valueFrom(const json& value, FieldType type) {
    switch (type) {
        case FieldType::Flag:
            return value.get<bool>();
        case FieldType::Integer:
            return value.get<std::int64_t>();
        case FieldType::Real:
            return numberFrom(value);
        case FieldType::Text:
        case FieldType::Choice:
        case FieldType::Run:
            break;
    }
    return value.get<std::string>();
}

FieldType typeFrom(const std::string& name) {
    for (std::size_t i = 0; i < kTypeNames.size(); ++i)
        if (name == kTypeNames[i]) return static_cast<FieldType>(i);
    throw std::invalid_argument("unknown field type " + name);
}

FieldSpec fieldFrom(const json& in) {
    FieldSpec field;
    field.key = in.at("key").get<std::string>();
    field.type = typeFrom(in.at("type").get<std::string>());
    field.fallback = valueFrom(in.at("default"), field.type);
    field.min = maybeNumber(in.at("min"));
    field.max = maybeNumber(in.at("max"));
    field.choices = in.at("choices").get<std::vector<std::string>>();
    field.prefixes = in.value("prefixes", std::vector<std::string>());
    field.fitting = in.value("fits", std::vector<std::string>());
    field.unitText = in.at("unit").get<std::string>();
    field.doc = in.at("doc").get<std::string>();
    field.source = in.at("source").get<std::string>();
    field.affectsResult = in.at("affects_result").get<bool>();
    field.live = in.at("live").get<bool>();
    field.optional = in.at("optional").get<bool>();
    return field;
}

Preset presetFrom(const json& in, const Schema& schema) {
    Preset preset{in.at("name").get<std::string>(), in.at("doc").get<std::string>(), {}};
    for (const auto& [key, value] : in.at("values").items()) {
        const FieldSpec* field = schema.find(key);
        if (field == nullptr) throw std::invalid_argument("preset " + preset.name + " sets unknown " + key);
        preset.values[key] = valueFrom(value, field->type);
    }
    return preset;
}

template <class T, class Of>
json listJson(const std::vector<T>& values, Of of) {
    json list = json::array();
    for (const T& value : values) list.push_back(of(value));
    return list;
}

}  // namespace

json toJson(const ScalarSpec& scalar) {
    return {{"id", scalar.id},      {"title", scalar.title},
            {"unit", scalar.unit},  {"better", scalar.higherIsBetter ? "higher" : "lower"},
            {"doc", scalar.doc},    {"log_scale", scalar.logScale},
            {"chart", scalar.chart}};
}

ScalarSpec scalarFromJson(const json& in) {
    return {in.at("id"),        in.at("title"), in.at("unit"), in.at("doc"), in.at("better") == "higher",
            in.at("log_scale"), in.at("chart")};
}

json toJson(const FieldValue& value) {
    if (const auto* real = std::get_if<double>(&value)) return numberJson(*real);
    return std::visit([](const auto& v) -> json { return v; }, value);
}

json toJson(const FieldSpec& field) {
    json out{{"key", field.key},
             {"type", kTypeNames[static_cast<std::size_t>(field.type)]},
             {"default", toJson(field.fallback)},
             {"min", field.min ? numberJson(*field.min) : json()},
             {"max", field.max ? numberJson(*field.max) : json()},
             {"choices", field.choices},
             {"unit", field.unitText},
             {"doc", field.doc},
             {"source", field.source},
             {"affects_result", field.affectsResult},
             {"live", field.live},
             {"optional", field.optional}};
    if (!field.prefixes.empty()) out["prefixes"] = field.prefixes;
    if (field.type == FieldType::Run) out["fits"] = field.fitting;
    return out;
}

json toJson(const Schema& schema) {
    const auto presetJson = [](const Preset& preset) -> json {
        json values = json::object();
        for (const auto& [key, value] : preset.values) values[key] = toJson(value);
        return {{"name", preset.name}, {"doc", preset.doc}, {"values", std::move(values)}};
    };
    const auto any = [](const auto& value) { return toJson(value); };
    return {{"id", schema.family},
            {"title", schema.title},
            {"paper", schema.paper},
            {"fields", listJson(schema.fields, any)},
            {"presets", listJson(schema.presets, presetJson)},
            {"prompts", schema.prompts},
            {"provides", schema.provides},
            {"scalars", listJson(schema.scalars, any)},
            {"groups", schema.groups}};
}

Result<Schema> schemaFromJson(const json& in) {
    try {
        Schema schema;
        schema.family = in.at("id").get<std::string>();
        schema.title = in.at("title").get<std::string>();
        schema.paper = in.at("paper").get<std::string>();
        for (const json& field : in.at("fields")) schema.fields.push_back(fieldFrom(field));
        for (const json& preset : in.at("presets")) schema.presets.push_back(presetFrom(preset, schema));
        in.at("prompts").get_to(schema.prompts);
        in.at("provides").get_to(schema.provides);
        for (const json& scalar : in.at("scalars")) schema.scalars.push_back(scalarFromJson(scalar));
        in.at("groups").get_to(schema.groups);
        return schema;
    } catch (const std::exception& problem) {  // nlohmann's and ours, each with the member's name
        return workError("config.schema",
                         fmt::format("the description of a model family is damaged: {}", problem.what()))
            .fix("use the engine and the studio of one build");
    }
}

}  // namespace kurve
