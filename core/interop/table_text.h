#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kurve::interop {

using Cell = std::variant<std::string_view, std::int64_t, double>;

/// Text of others as it stands in Markdown: nothing in it becomes markup, a cell or a line of its own.
[[nodiscard]] std::string markdownText(std::string_view text);

/// Writes a table row by row as text for other programs: CSV (RFC 4180: quoted where needed, quotes doubled)
/// or a Markdown table (nothing in a text is markup or ends its cell). Doubles are as short as reads back to
/// the same number; nan, inf and -inf are words.
class TableText {
public:
    enum class Form : std::uint8_t { Csv, Markdown };

    TableText(Form form, std::span<const std::string> columns);
    void add(std::span<const Cell> row);
    void add(std::initializer_list<Cell> row) { add(std::span(row.begin(), row.size())); }
    [[nodiscard]] std::string take() && { return std::move(text_); }

private:
    void addCell(const Cell& cell);
    void addText(std::string_view text);

    Form form_;
    std::string text_;
};

}  // namespace kurve::interop
