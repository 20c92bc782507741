#include "core/config/field_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/check.h"
#include "core/base/inside.h"
#include "core/base/text.h"

namespace kurve {
namespace {

FieldSpec makeField(std::string key, FieldType type, FieldValue fallback, std::string doc) {
    FieldSpec field;
    field.key = std::move(key);
    field.type = type;
    field.fallback = std::move(fallback);
    field.doc = std::move(doc);
    return field;
}

const char* typeText(FieldType type) {
    switch (type) {
        case FieldType::Flag:
            return "true or false";
        case FieldType::Integer:
            return "a whole number";
        case FieldType::Real:
            return "a number";
        case FieldType::Text:
            return "a text";
        case FieldType::Choice:
            return "one of its choices";
        case FieldType::Run:
            return "a run";
    }
    return "";
}

std::string rangeText(const FieldSpec& field) {
    const std::string unit = field.unitText.empty() ? "" : " " + field.unitText;
    if (field.min && field.max) return fmt::format("{} to {}{}", *field.min, *field.max, unit);
    return field.min ? fmt::format("{} or more{}", *field.min, unit)
                     : fmt::format("{} or less{}", *field.max, unit);
}

Error wrongType(const FieldSpec& field, const std::string& got) {
    std::string remedy = field.type == FieldType::Choice
                             ? "write one of: " + join(field.choices, ", ")
                             : fmt::format("the default is {}", fieldValueText(field.fallback));
    return requestError("config.wrong_type", fmt::format("{} is not {}", got, typeText(field.type)))
        .at(field.key)
        .fix(std::move(remedy));
}

Result<FieldValue> checkRange(const FieldSpec& field, FieldValue value, double number) {
    const bool below = field.min && !(number >= *field.min), above = field.max && !(number <= *field.max);
    if (std::isnan(number))
        return requestError("config.out_of_range", "nan is not a usable number")
            .at(field.key)
            .fix("write a number");
    if (!below && !above) return value;
    return requestError("config.out_of_range",
                        fmt::format("{} is too {}", fieldValueText(value), below ? "small" : "large"))
        .at(field.key)
        .fix(fmt::format("use {}", rangeText(field)));
}

Result<FieldValue> checkChoice(const FieldSpec& field, FieldValue value) {
    const auto& word = std::get<std::string>(value);
    const auto begins = [&](const std::string& prefix) {
        return word.size() > prefix.size() && word.starts_with(prefix);
    };
    if (std::find(field.choices.begin(), field.choices.end(), word) != field.choices.end() ||
        std::any_of(field.prefixes.begin(), field.prefixes.end(), begins))
        return value;
    const auto near = nearestWord(word, field.choices);
    std::vector<std::string> known = field.choices;
    for (const std::string& prefix : field.prefixes) known.push_back(prefix + "…");
    return requestError("config.bad_choice", fmt::format("“{}” is not a choice", word))
        .at(field.key)
        .fix((near ? "did you mean " + *near + "? " : std::string()) + "choose one of: " + join(known, ", "));
}

/// What TOML can hold: the canonical text must be readable again.
bool isPlainText(const std::string& text) {
    return !firstInvalidUtf8(text) && text.find('\0') == std::string::npos;
}

template <class Number>
bool parseNumber(const std::string& text, Number& number) {
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    return problem == std::errc() && stop == end && !text.empty();
}

}  // namespace

FieldSpec&& FieldSpec::range(double low, double high) && {
    KURVE_CHECK(low <= high, "{}: {} > {}", key, low, high);
    min = low;
    max = high;
    return std::move(*this);
}

FieldSpec&& FieldSpec::atLeast(double low) && {
    min = low;
    return std::move(*this);
}

FieldSpec&& FieldSpec::orPrefixes(std::vector<std::string> texts) && {
    prefixes = std::move(texts);
    return std::move(*this);
}

FieldSpec&& FieldSpec::fits(std::vector<std::string> familiesOrAbilities) && {
    fitting = std::move(familiesOrAbilities);
    return std::move(*this);
}

FieldSpec&& FieldSpec::unit(std::string text) && {
    unitText = std::move(text);
    return std::move(*this);
}

FieldSpec&& FieldSpec::from(std::string paperSection) && {
    source = std::move(paperSection);
    return std::move(*this);
}

FieldSpec&& FieldSpec::neutralByDefault() && {
    optional = true;
    return std::move(*this);
}

FieldSpec&& FieldSpec::reportingOnly() && {
    affectsResult = false;
    return std::move(*this);
}

FieldSpec&& FieldSpec::changeableLive() && {
    live = true;
    return std::move(*this);
}

FieldSpec flagField(std::string key, bool fallback, std::string doc) {
    return makeField(std::move(key), FieldType::Flag, fallback, std::move(doc));
}
FieldSpec integerField(std::string key, std::int64_t fallback, std::string doc) {
    return makeField(std::move(key), FieldType::Integer, fallback, std::move(doc));
}
FieldSpec realField(std::string key, double fallback, std::string doc) {
    return makeField(std::move(key), FieldType::Real, fallback, std::move(doc));
}
FieldSpec textField(std::string key, std::string fallback, std::string doc) {
    return makeField(std::move(key), FieldType::Text, std::move(fallback), std::move(doc));
}
FieldSpec choiceField(std::string key, std::string fallback, std::vector<std::string> choices,
                      std::string doc) {
    FieldSpec field = makeField(std::move(key), FieldType::Choice, std::move(fallback), std::move(doc));
    field.choices = std::move(choices);
    return field;
}

FieldSpec runField(std::string key, std::string doc) {
    return makeField(std::move(key), FieldType::Run, "", std::move(doc));
}

Result<std::optional<RunReference>> parseRunReference(const FieldSpec& field, const std::string& text) {
    if (text.empty()) return std::optional<RunReference>();
    const std::size_t at = text.find('@');
    RunReference named{text.substr(0, at), at == std::string::npos ? "best" : text.substr(at + 1)};
    if (isPlainName(named.run) && isPlainName(named.checkpoint)) return std::optional(std::move(named));
    return requestError("config.bad_run", fmt::format("“{}” names no run", text))
        .at(field.key)
        .fix("write the id of a run of this project, NAME or NAME@CHECKPOINT");
}

const FieldSpec* Schema::find(const std::string& key) const {
    const auto at =
        std::find_if(fields.begin(), fields.end(), [&](const FieldSpec& f) { return f.key == key; });
    return at == fields.end() ? nullptr : &*at;
}

const Preset* Schema::preset(const std::string& name) const {
    const auto at =
        std::find_if(presets.begin(), presets.end(), [&](const Preset& p) { return p.name == name; });
    return at == presets.end() ? nullptr : &*at;
}

bool Schema::fits(const FieldSpec& field) const {
    const auto is = [&](const std::string& wanted) {
        return wanted == family || std::find(provides.begin(), provides.end(), wanted) != provides.end();
    };
    return field.fitting.empty() || std::any_of(field.fitting.begin(), field.fitting.end(), is);
}

Result<FieldValue> parseFieldValue(const FieldSpec& field, const std::string& text) {
    const std::string word(trim(text));
    std::int64_t integer = 0;
    double real = 0;
    switch (field.type) {
        case FieldType::Flag:
            if (word == "true" || word == "false") return FieldValue(word == "true");
            break;
        case FieldType::Integer:
            if (parseNumber(word, integer)) return checkFieldValue(field, integer);
            break;
        case FieldType::Real:
            if (parseNumber(word, real)) return checkFieldValue(field, real);
            break;
        case FieldType::Text:
            return checkFieldValue(field, text);
        case FieldType::Choice:
        case FieldType::Run:
            return checkFieldValue(field, word);
    }
    return wrongType(field, fmt::format("“{}”", text));
}

Result<FieldValue> checkFieldValue(const FieldSpec& field, FieldValue value) {
    if (field.type == FieldType::Real && std::holds_alternative<std::int64_t>(value))
        value = static_cast<double>(std::get<std::int64_t>(value));
    const bool fits = (field.type == FieldType::Flag && std::holds_alternative<bool>(value)) ||
                      (field.type == FieldType::Integer && std::holds_alternative<std::int64_t>(value)) ||
                      (field.type == FieldType::Real && std::holds_alternative<double>(value)) ||
                      (field.type >= FieldType::Text && std::holds_alternative<std::string>(value));
    if (!fits) {
        const bool text = std::holds_alternative<std::string>(value);
        return wrongType(field, text ? fmt::format("“{}”", fieldValueText(value)) : fieldValueText(value));
    }
    if (const auto* text = std::get_if<std::string>(&value); text != nullptr && !isPlainText(*text))
        return requestError("config.wrong_type", "the text is not UTF-8")
            .at(field.key)
            .fix("write it in UTF-8");
    if (field.type == FieldType::Choice) return checkChoice(field, std::move(value));
    if (field.type == FieldType::Run) KURVE_CHECKED(parseRunReference(field, std::get<std::string>(value)));
    if (const auto* integer = std::get_if<std::int64_t>(&value))
        return checkRange(field, value, static_cast<double>(*integer));
    if (const auto* real = std::get_if<double>(&value)) return checkRange(field, value, *real);
    return value;
}

std::string fieldValueText(const FieldValue& value) {
    struct Visitor {
        std::string operator()(bool on) const { return on ? "true" : "false"; }
        std::string operator()(std::int64_t number) const { return std::to_string(number); }
        std::string operator()(double number) const { return fmt::format("{}", number); }
        std::string operator()(const std::string& text) const { return text; }
    };
    return std::visit(Visitor{}, value);
}

}  // namespace kurve
