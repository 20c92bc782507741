#include "core/interop/table_text.h"

#include <fmt/format.h>

#include <cctype>
#include <iterator>

#include "core/base/printable.h"

namespace kurve::interop {

namespace {

bool isWord(std::string_view text, std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

}  // namespace

std::string markdownText(std::string_view text) {
    constexpr std::string_view kMarkup = "\\`*[]<>&~|";
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const bool emphasis = c == '_' && !(isWord(text, at - 1) && isWord(text, at + 1));
        if (emphasis || kMarkup.find(c) != std::string_view::npos) out += '\\';
        if (c == '\n')
            out += "<br>";
        else if (c != '\r')
            out += c;
    }
    return printableLine(out);
}

TableText::TableText(Form form, std::span<const std::string> columns) : form_(form) {
    std::vector<Cell> names(columns.begin(), columns.end());
    add(names);
    if (form_ == Form::Csv) return;
    for (std::size_t i = 0; i < columns.size(); ++i) text_ += "| --- ";
    text_ += "|\n";
}

void TableText::add(std::span<const Cell> row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (form_ == Form::Markdown)
            text_ += i == 0 ? "| " : " | ";
        else if (i > 0)
            text_ += ',';
        addCell(row[i]);
    }
    text_ += form_ == Form::Markdown ? " |\n" : "\n";
}

void TableText::addCell(const Cell& cell) {
    if (const auto* text = std::get_if<std::string_view>(&cell)) return addText(*text);
    if (const auto* whole = std::get_if<std::int64_t>(&cell))
        fmt::format_to(std::back_inserter(text_), "{}", *whole);
    else
        fmt::format_to(std::back_inserter(text_), "{}", std::get<double>(cell));
}

void TableText::addText(std::string_view text) {
    if (form_ == Form::Csv) {
        const bool quoted = text.find_first_of(",\"\r\n") != text.npos;
        if (quoted) text_ += '"';
        for (const char c : text) {
            if (c == '"') text_ += '"';
            text_ += c;
        }
        if (quoted) text_ += '"';
        return;
    }
    text_ += markdownText(text);
}

}  // namespace kurve::interop
