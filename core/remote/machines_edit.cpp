#include "core/remote/machines_edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/inside.h"
#include "core/base/text.h"

namespace kurve::remote {
namespace {

using Lines = std::vector<std::string>;

/// The name in "[gpu]  # comment"; none in any other line.
std::optional<std::string> headerIn(std::string_view line) {
    const std::string_view text = trim(line);
    const auto close = text.find(']');
    if (!text.starts_with('[') || text.starts_with("[[") || close == text.npos) return std::nullopt;
    const std::string_view rest = trim(text.substr(close + 1));
    if (!rest.empty() && rest.front() != '#') return std::nullopt;
    return std::string(trim(text.substr(1, close - 1)));
}

std::string keyIn(std::string_view line) {
    const auto equals = line.find('=');
    return equals == line.npos ? std::string() : std::string(trim(line.substr(0, equals)));
}

/// What follows the text value of a line: a comment.
std::string_view afterValue(std::string_view line) {
    const auto open = line.find_first_of("\"'", line.find('='));
    const auto close = open == line.npos ? open : line.find(line[open], open + 1);
    return close == line.npos ? std::string_view() : line.substr(close + 1);
}

std::string quoted(const std::string& value) {
    std::string text = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') text += '\\';
        text += c;
    }
    return text + '"';
}

/// The lines of a table, its header with them. Comments right above the next header belong to that.
struct Table {
    std::size_t begin = 0, end = 0;
};

std::optional<Table> tableIn(const Lines& lines, const std::string& name) {
    const auto at =
        std::find_if(lines.begin(), lines.end(), [&](const auto& line) { return headerIn(line) == name; });
    if (at == lines.end()) return std::nullopt;
    const auto next =
        std::find_if(at + 1, lines.end(), [](const auto& line) { return headerIn(line).has_value(); });
    auto end = next;
    if (next != lines.end())
        while (end != at + 1 && trim(*(end - 1)).starts_with('#')) --end;
    while (end != at + 1 && trim(*(end - 1)).empty()) --end;
    return Table{static_cast<std::size_t>(at - lines.begin()), static_cast<std::size_t>(end - lines.begin())};
}

/// An empty value removes the key.
void setKey(Lines& lines, Table& table, const char* key, const std::string& value) {
    const auto first = lines.begin() + static_cast<std::ptrdiff_t>(table.begin) + 1,
               last = lines.begin() + static_cast<std::ptrdiff_t>(table.end);
    const auto at = std::find_if(first, last, [&](const auto& line) { return keyIn(line) == key; });
    const std::string line = fmt::format("{} = {}", key, quoted(value));
    if (at != last && value.empty()) {
        lines.erase(at);
        --table.end;
    } else if (at != last) {
        *at = line + std::string(afterValue(*at));
    } else if (!value.empty()) {
        lines.insert(last, line);
        ++table.end;
    }
}

Error otherForm(const std::filesystem::path& project, const std::string& name) {
    return requestError("machines.syntax", fmt::format("the table of {} is written in another way than "
                                                       "[{}] and lines of keys",
                                                       name, name))
        .in((project / kMachinesFile).string())
        .fix("change it in an editor");
}

bool isSame(const Machine& a, const Machine& b) {
    return a.name == b.name && a.host == b.host && a.program == b.program && a.folder == b.folder;
}

std::string lineEnd(std::string text) {
    if (!text.empty() && text.back() != '\n') text += '\n';
    return text;
}

}  // namespace

Result<std::string> withMachine(const std::filesystem::path& project, const std::string& text,
                                const Machine& machine, const std::string& before) {
    KURVE_TRY(const auto known, parseMachines(project, text));
    Machine wanted = machine;
    if (wanted.program.empty()) wanted.program = Machine().program;
    if (wanted.folder.empty()) wanted.folder = defaultFolder(project);
    // A dot would begin a table within a table.
    if (!isPlainName(wanted.name) || wanted.name.find('.') != std::string::npos)
        return requestError("machines.bad_value", "is no name of a machine")
            .at(wanted.name)
            .fix("use letters, digits, dash and underscore");
    const bool taken = std::any_of(known.begin(), known.end(), [&](const Machine& one) {
        return one.name == wanted.name && one.name != before;
    });
    if (taken)
        return requestError("machines.bad_value", fmt::format("there is a machine {} already", wanted.name))
            .at(wanted.name)
            .fix("choose another name");
    Lines lines = split(lineEnd(text), '\n');
    if (before.empty()) {
        if (lines.size() > 1) lines.emplace(lines.end() - 1);
        lines.insert(lines.end() - 1, fmt::format("[{}]", wanted.name));
    }
    auto table = tableIn(lines, before.empty() ? wanted.name : before);
    if (!table) return otherForm(project, before.empty() ? wanted.name : before);
    if (!before.empty() && before != wanted.name) {
        std::string& header = lines[table->begin];
        header = fmt::format("[{}]", wanted.name) + header.substr(header.find(']') + 1);
    }
    setKey(lines, *table, "host", wanted.host);
    setKey(lines, *table, "program", wanted.program == Machine().program ? "" : wanted.program);
    setKey(lines, *table, "folder", wanted.folder == defaultFolder(project) ? "" : wanted.folder);
    std::string result = join(lines, "\n");
    KURVE_TRY(const auto now, parseMachines(project, result));
    const bool there =
        std::any_of(now.begin(), now.end(), [&](const Machine& one) { return isSame(one, wanted); });
    if (!there || now.size() != known.size() + (before.empty() ? 1 : 0))
        return otherForm(project, wanted.name);
    return result;
}

Result<std::string> withoutMachine(const std::filesystem::path& project, const std::string& text,
                                   const std::string& name) {
    KURVE_TRY(const auto known, parseMachines(project, text));
    if (std::none_of(known.begin(), known.end(), [&](const Machine& one) { return one.name == name; }))
        return requestError("machines.unknown", fmt::format("there is no machine \"{}\"", name))
            .in((project / kMachinesFile).string());
    Lines lines = split(lineEnd(text), '\n');
    const auto table = tableIn(lines, name);
    if (!table) return otherForm(project, name);
    auto end = table->end;
    while (end < lines.size() - 1 && trim(lines[end]).empty()) ++end;
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(table->begin),
                lines.begin() + static_cast<std::ptrdiff_t>(end));
    std::string result = join(lines, "\n");
    KURVE_TRY(const auto now, parseMachines(project, result));
    if (now.size() + 1 != known.size()) return otherForm(project, name);
    return result;
}

}  // namespace kurve::remote
