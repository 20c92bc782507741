#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/interop/detail/row_log.h"

namespace kurve::interop {
namespace {

namespace fs = std::filesystem;
using detail::Role;
using detail::RowLog;

/// Rows of RFC 4180: quoted cells may hold separators, doubled quotes and ends of line.
class CsvRows {
public:
    CsvRows(std::string_view bytes, char separator) : rest_(bytes), separator_(separator) {}

    /// False at the end. Empty lines are passed over.
    bool next(std::vector<std::string>& cells) {
        while (!rest_.empty() && (rest_.front() == '\n' || rest_.front() == '\r')) {
            nextLine_ += rest_.front() == '\n';
            rest_.remove_prefix(1);
        }
        cells.clear();
        line_ = nextLine_;
        if (rest_.empty()) return false;
        while (takeCell(cells.emplace_back())) {
        }
        return true;
    }
    [[nodiscard]] int line() const { return line_; }  ///< where the row begins, from 1
    [[nodiscard]] bool openQuote() const { return openQuote_; }
    [[nodiscard]] bool atEnd() const { return rest_.empty(); }

private:
    /// True if another cell of the row follows.
    bool takeCell(std::string& cell) {
        if (rest_.starts_with('"')) takeQuoted(cell);
        const auto end = rest_.find_first_of(std::string{separator_, '\n'});
        const bool more = end != rest_.npos && rest_[end] == separator_;
        cell += rest_.substr(0, end);
        rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
        if (!more) {
            ++nextLine_;
            if (cell.ends_with('\r')) cell.pop_back();
        }
        return more;
    }

    void takeQuoted(std::string& cell) {
        rest_.remove_prefix(1);
        while (true) {
            const auto quote = rest_.find('"');
            const std::string_view part = rest_.substr(0, quote);
            nextLine_ += static_cast<int>(std::count(part.begin(), part.end(), '\n'));
            cell += part;
            openQuote_ = quote == rest_.npos;
            rest_.remove_prefix(openQuote_ ? rest_.size() : quote + 1);
            if (openQuote_ || !rest_.starts_with('"')) return;
            cell += '"';
            rest_.remove_prefix(1);
        }
    }

    std::string_view rest_;
    char separator_;
    int line_ = 1, nextLine_ = 1;
    bool openQuote_ = false;
};

struct Header {
    std::vector<std::string> names;
    std::vector<Role> roles;
    bool isLong = false;     ///< metric, step, value
    std::string onlyMetric;  ///< name of the column `value` if it stands alone

    [[nodiscard]] std::optional<std::size_t> find(Role role) const {
        const auto at = std::find(roles.begin(), roles.end(), role);
        if (at == roles.end()) return std::nullopt;
        return static_cast<std::size_t>(at - roles.begin());
    }
};

/// TensorBoard's download "run-<run>-tag-<tag>.csv" has its metric in its name alone.
std::string metricOfFileName(const fs::path& source) {
    const std::string stem = source.stem().string();
    const auto tag = stem.rfind("-tag-");
    return tag == stem.npos ? stem : stem.substr(tag + 5);
}

Result<Header> readHeader(const std::vector<std::string>& cells, const fs::path& source) {
    Header header;
    for (const auto& name : cells)
        if (firstInvalidUtf8(name))
            return requestError("import.header", "a column's name is not UTF-8: " + detail::excerpt(name))
                .in(source.string(), 1)
                .fix("save the file as UTF-8");
    for (const auto& cell : cells) {
        const Role role = detail::roleOf(cell);
        const bool taken = role != Role::Metric && header.find(role).has_value();
        header.names.emplace_back(trim(cell));
        header.roles.push_back(header.names.back().empty() ? Role::None : taken ? Role::Metric : role);
    }
    header.isLong = header.find(Role::Tag) && header.find(Role::Value);
    const auto isMetric = [&](Role role) { return role == Role::Metric || role == Role::Tag; };
    if (!header.isLong && std::none_of(header.roles.begin(), header.roles.end(), isMetric))
        header.onlyMetric = metricOfFileName(source);
    if (!header.find(Role::Step))
        return requestError("import.header", "the header has no column \"step\": " +
                                                 detail::excerpt(join(header.names, ", "), 400))
            .in(source.string(), 1)
            .fix("name the column of training steps \"step\"");
    for (auto name = header.names.begin(); !header.isLong && name != header.names.end(); ++name)
        if (!name->empty() && std::find(header.names.begin(), name, *name) != name)
            return requestError("import.header", "two columns are named \"" + *name + "\"")
                .in(source.string(), 1)
                .fix("give each metric its own name");
    return header;
}

char separatorOf(std::string_view bytes) {
    const std::string_view header = bytes.substr(0, bytes.find('\n'));
    for (const char c : {',', ';', '\t'})
        if (header.find(c) != header.npos) return c;
    return ',';
}

class CsvLog {
public:
    CsvLog(const fs::path& source, const ReadOptions& options, Header header)
        : rows_(source, options), header_(std::move(header)) {
        for (std::size_t i = 0; header_.isLong && i < header_.names.size(); ++i)
            if (header_.roles[i] == Role::Metric)
                rows_.note(
                    fmt::format("column \"{}\" left out: each line is one metric's value", header_.names[i]));
        // The index of a table, as pandas writes it.
        for (std::size_t i = 0; i < header_.names.size(); ++i)
            if (header_.roles[i] == Role::None) rows_.note(fmt::format("column {} left out: no name", i + 1));
    }

    Status addRow(int line, const std::vector<std::string>& cells) {
        if (cells.size() != header_.names.size())
            return rows_.badLine(
                line, "", fmt::format("has {} cells, the header {}", cells.size(), header_.names.size()));
        RowLog::Row row;
        row.line = line;
        const auto number = detail::numberOf(cells[*header_.find(Role::Step)]);
        row.step = number ? detail::stepOf(*number) : std::nullopt;
        if (!row.step) return rows_.badLine(line, "step", "not an integer");
        if (const auto run = header_.find(Role::Run)) row.run = cells[*run];
        if (firstInvalidUtf8(row.run)) return rows_.badLine(line, "run", "is not UTF-8");
        if (const auto at = header_.find(Role::Wall); at && !trim(cells[*at]).empty()) {
            const auto wall = detail::timeOf(cells[*at]);
            if (!wall)
                return rows_.badLine(line, header_.names[*at],
                                     "not a time; use seconds since 1970 or ISO 8601");
            row.wall = *wall;
        }
        return header_.isLong ? addLong(row, cells) : addWide(row, cells);
    }
    [[nodiscard]] RowLog& rows() { return rows_; }

private:
    Status addLong(const RowLog::Row& row, const std::vector<std::string>& cells) {
        const std::string& metric = cells[*header_.find(Role::Tag)];
        const std::string& cell = cells[*header_.find(Role::Value)];
        const auto value = detail::numberOf(cell);
        if (trim(metric).empty() || firstInvalidUtf8(metric))
            return rows_.badLine(row.line, "metric", "not a name");
        if (!value)
            return rows_.badLine(row.line, metric, "\"" + detail::excerpt(cell) + "\" is not a number");
        rows_.add(row, metric, *value);
        return {};
    }

    Status addWide(const RowLog::Row& row, const std::vector<std::string>& cells) {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const Role role = header_.roles[i];
            const bool isNone =
                role == Role::Step || role == Role::Wall || role == Role::Run || role == Role::None;
            if (isNone || trim(cells[i]).empty()) continue;
            const std::string& metric = header_.onlyMetric.empty() ? header_.names[i] : header_.onlyMetric;
            if (const auto value = detail::numberOf(cells[i]))
                rows_.add(row, metric, *value);
            else
                rows_.addText(row, metric, cells[i]);
        }
        return {};
    }

    RowLog rows_;
    Header header_;
};

}  // namespace

Result<std::vector<ScalarLog>> readCsvLog(const fs::path& source, const ReadOptions& options) {
    KURVE_TRY(const std::string bytes, readFile(source, kCorpusBytes));
    KURVE_TRY(const std::string_view text, detail::plainText(bytes, source));
    CsvRows rows(text, separatorOf(text));
    std::vector<std::string> cells;
    if (!rows.next(cells)) return requestError("import.empty", "the file is empty").in(source.string());
    KURVE_TRY(Header header, readHeader(cells, source));
    const std::size_t columns = header.names.size();
    CsvLog log(source, options, std::move(header));
    while (rows.next(cells)) {
        const bool cutOff =
            rows.atEnd() && (rows.openQuote() || cells.size() < columns) && !text.ends_with('\n');
        if (cutOff)
            log.rows().note(fmt::format("line {} is cut off; read up to there", rows.line()));
        else if (rows.openQuote())
            KURVE_CHECKED(log.rows().badLine(rows.line(), "", "unclosed quote"));
        else
            KURVE_CHECKED(log.addRow(rows.line(), cells));
    }
    return std::move(log.rows()).finish(sha256(bytes));
}

}  // namespace kurve::interop
