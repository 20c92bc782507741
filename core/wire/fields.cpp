#include "core/wire/fields.h"

#include <limits>

namespace kurve::wire {

const nlohmann::json& Fields::member(std::string_view key) const {
    static const nlohmann::json kNone;
    if (!document_.is_object()) return kNone;
    const auto found = document_.find(key);
    return found == document_.end() ? kNone : *found;
}

std::string Fields::text(std::string_view key, std::string fallback) const {
    const nlohmann::json& value = member(key);
    return value.is_string() ? value.get<std::string>() : std::move(fallback);
}

double Fields::number(std::string_view key, double fallback) const {
    const nlohmann::json& value = member(key);
    return value.is_number() ? value.get<double>() : fallback;
}

bool Fields::flag(std::string_view key, bool fallback) const {
    const nlohmann::json& value = member(key);
    return value.is_boolean() ? value.get<bool>() : fallback;
}

const nlohmann::json& Fields::list(std::string_view key) const {
    static const nlohmann::json kEmpty = nlohmann::json::array();
    const nlohmann::json& value = member(key);
    return value.is_array() ? value : kEmpty;
}

std::vector<std::string> Fields::texts(std::string_view key) const {
    return textsIn(member(key));
}

std::vector<double> Fields::numbers(std::string_view key) const {
    std::vector<double> all;
    for (const nlohmann::json& one : list(key))
        all.push_back(one.is_number() ? one.get<double>() : std::numeric_limits<double>::quiet_NaN());
    return all;
}

std::vector<std::string> textsIn(const nlohmann::json& list) {
    std::vector<std::string> all;
    if (!list.is_array()) return all;
    for (const nlohmann::json& one : list)
        if (one.is_string()) all.push_back(one.get<std::string>());
    return all;
}

Error errorIn(const nlohmann::json& body, Error otherwise) {
    const Fields said(body);
    otherwise.code = said.text("code", std::move(otherwise.code));
    otherwise.message = said.text("message", std::move(otherwise.message));
    otherwise.remedy = said.text("remedy", std::move(otherwise.remedy));
    otherwise.field = said.text("field", std::move(otherwise.field));
    otherwise.file = said.text("file", std::move(otherwise.file));
    otherwise.line = said.integer("line", otherwise.line);
    return otherwise;
}

}  // namespace kurve::wire
