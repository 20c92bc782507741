#include "core/config/detail/toml_entries.h"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>

#include "core/base/text.h"

namespace kurve::detail {
namespace {

constexpr std::size_t kMaxLineBytes = 1U << 14, kMaxFileBytes = 1U << 20;
// A dotted key makes one nested table a dot, and toml++ walks and destroys them by recursion: the limit keeps
// a long key from overflowing the stack.
constexpr int kMaxKeyParts = 256;

Error syntaxError(const std::string& fileName, int line, const std::string& what) {
    return requestError("config.syntax", what)
        .in(fileName, line)
        .fix("settings are written in TOML: key = value below a [table]");
}

/// Dots that end a part, before the value; an ellipsis in a text of several lines is none.
int keyParts(std::string_view line) {
    const std::string_view key = line.substr(0, line.find('='));
    int parts = 1;
    for (std::size_t i = 1; i < key.size(); ++i) parts += key[i] == '.' && key[i - 1] != '.' ? 1 : 0;
    return parts;
}

Status checkSizes(const std::string& text, const std::string& fileName) {
    if (text.size() > kMaxFileBytes)
        return syntaxError(fileName, 0,
                           fmt::format("the file has {} bytes, more than {}", text.size(), kMaxFileBytes));
    int number = 0;
    for (const std::string& line : split(text, '\n')) {
        if (++number; line.size() > kMaxLineBytes)
            return syntaxError(
                fileName, number,
                fmt::format("the line has {} bytes, more than {}", line.size(), kMaxLineBytes));
        if (keyParts(line) > kMaxKeyParts)
            return syntaxError(fileName, number, fmt::format("the key has more than {} parts", kMaxKeyParts));
    }
    return {};
}

const char* typeText(toml::node_type type) {
    switch (type) {
        case toml::node_type::array:
            return "an array";
        case toml::node_type::date:
            return "a date";
        case toml::node_type::time:
            return "a time";
        case toml::node_type::date_time:
            return "a date and time";
        default:
            return "a value";
    }
}

TomlEntry makeEntry(std::string key, const toml::node& node) {
    TomlEntry entry;
    entry.key = std::move(key);
    entry.line = static_cast<int>(node.source().begin.line);
    if (const auto* flag = node.as_boolean())
        entry.value = flag->get();
    else if (const auto* integer = node.as_integer())
        entry.value = integer->get();
    else if (const auto* real = node.as_floating_point())
        entry.value = real->get();
    else if (const auto* text = node.as_string())
        entry.value = text->get();
    else
        entry.typeText = typeText(node.type());
    return entry;
}

void flatten(const toml::table& table, const std::string& prefix, std::vector<TomlEntry>& out) {
    for (const auto& [key, node] : table) {
        const std::string path = prefix + std::string(key.str());
        if (const auto* inner = node.as_table())
            flatten(*inner, path + ".", out);
        else
            out.push_back(makeEntry(path, node));
    }
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out + "\"";
}

}  // namespace

Result<std::vector<TomlEntry>> readTomlEntries(const std::string& text, const std::string& fileName) {
    KURVE_CHECKED(checkSizes(text, fileName));
    try {
        const toml::table root = toml::parse(text, fileName);
        std::vector<TomlEntry> entries;
        flatten(root, "", entries);
        std::stable_sort(entries.begin(), entries.end(),
                         [](const TomlEntry& a, const TomlEntry& b) { return a.line < b.line; });
        return entries;
    } catch (const toml::parse_error& problem) {
        return syntaxError(fileName, static_cast<int>(problem.source().begin.line),
                           std::string(problem.description()));
    }
}

std::string tomlLiteral(const FieldValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
    std::string out = fieldValueText(value);
    const bool looksWhole = out.find_first_not_of("-0123456789") == std::string::npos;
    return std::holds_alternative<double>(value) && looksWhole ? out + ".0" : out;
}

std::string tomlTables(const std::map<std::string, FieldValue>& values) {
    std::map<std::string, std::string> tables;  // TOML wants the keys without a table first; "" sorts first
    for (const auto& [key, value] : values) {
        const std::size_t dot = key.rfind('.');
        const std::string table = dot == std::string::npos ? "" : key.substr(0, dot);
        const std::string last = dot == std::string::npos ? key : key.substr(dot + 1);
        tables[table] += fmt::format("{} = {}\n", last, tomlLiteral(value));
    }
    std::string out;
    for (const auto& [table, lines] : tables)
        out += table.empty() ? lines : fmt::format("\n[{}]\n{}", table, lines);
    return out;
}

}  // namespace kurve::detail
