#include "core/store/query.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/store/detail/sqlite.h"

namespace kurve::store {
namespace {

using detail::SqliteFailure;
using detail::Statement;

/// Leaves a statement whose other rows are not wanted.
struct EnoughRows {};
struct TooManyBytes {};

std::string hexOf(std::span<const std::byte> bytes) {
    std::string text;
    for (const auto b : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(b));
    return text;
}

nlohmann::json valueOf(const Statement& row, int column) {
    switch (row.type(column)) {
        case SQLITE_INTEGER:
            return row.integer(column);
        case SQLITE_FLOAT: {
            const double value = row.real(column);
            if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
            return value;
        }
        case SQLITE_TEXT:
            return row.text(column);
        case SQLITE_BLOB:
            return hexOf(row.blob(column));
        default:
            return nullptr;
    }
}

/// When the work is to end, asked while it goes on.
struct Deadline {
    const CancelToken& cancel;
    double until;
    [[nodiscard]] bool passed() const { return steadySeconds() > until; }
    static int ask(void* self) {
        const auto& deadline = *static_cast<const Deadline*>(self);
        return static_cast<int>(deadline.cancel.requested() || deadline.passed());
    }
};

std::size_t bytesOf(const nlohmann::json& row) {
    std::size_t bytes = sizeof(row) + row.size() * sizeof(row);
    for (const auto& value : row)
        if (value.is_string()) bytes += sizeof(std::string) + value.get_ref<const std::string&>().size();
    return bytes;
}

Error tooLarge(const std::filesystem::path& database, const std::string& what) {
    return requestError("query.too_large", what)
        .in(database.string())
        .fix("ask for fewer rows (LIMIT) or columns, or in parts");
}

Error queryError(const SqliteFailure& failure, const std::filesystem::path& file, bool isOpen) {
    if ((failure.code() & 0xff) == SQLITE_NOMEM)
        return tooLarge(file, "the statement takes more memory than it may have");
    if (isOpen && (failure.code() & 0xff) == SQLITE_CANTOPEN)  // what the statement asks for, not `file`
        return requestError("query.sql", failure.what())
            .in(file.string())
            .fix("ATTACH the run.db or index.db of a folder that is there, by its whole path");
    Error error = detail::toError(failure, file);
    if (error.code != "store.sql") return error;
    return requestError("query.sql", failure.what())
        .in(file.string())
        .fix("the tables are described in the user guide");
}

}  // namespace

Result<SqlTable> readOnlyQuery(const std::filesystem::path& database, const std::string& sql,
                               const QueryLimits& limits) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(database, ignored))
        return requestError("store.missing", "there is no such database").in(database.string());
    if (trim(sql).empty()) return requestError("query.sql", "the statement is empty").in(database.string());
    SqlTable table;
    bool isOpen = false;
    std::size_t bytes = 0;
    Deadline deadline{limits.cancel, steadySeconds() + limits.seconds};
    try {
        const auto db = detail::openForReading(database);
        isOpen = true;
        constexpr int kInstructionsBetweenChecks = 5000;
        constexpr int kLongestValue = 64 << 20;  // else one function call takes a gigabyte
        sqlite3_limit(db->handle(), SQLITE_LIMIT_LENGTH, kLongestValue);
        sqlite3_progress_handler(db->handle(), kInstructionsBetweenChecks, &Deadline::ask, &deadline);
        Statement statement = db->prepare(sql);
        if (!statement.readOnly())
            return requestError("query.writes", "only statements that read are allowed")
                .in(database.string());
        for (int i = 0; i < statement.columns(); ++i) table.columns.push_back(statement.columnName(i));
        statement.each([&] {
            if (table.rows.size() >= limits.rows) throw EnoughRows();
            auto row = nlohmann::json::array();
            for (int i = 0; i < statement.columns(); ++i) row.push_back(valueOf(statement, i));
            bytes += bytesOf(row);
            table.rows.push_back(std::move(row));
            if (bytes > limits.bytes) throw TooManyBytes();
        });
        return table;
    } catch (const EnoughRows&) {
        table.truncated = true;
        return table;
    } catch (const TooManyBytes&) {
        return tooLarge(database, fmt::format("the answer takes more than {} MB", limits.bytes >> 20));
    } catch (const SqliteFailure& failure) {
        if ((failure.code() & 0xff) == SQLITE_INTERRUPT && !limits.cancel.requested())
            return requestError("query.timeout",
                                fmt::format("the statement took more than {:g} s", limits.seconds))
                .in(database.string())
                .fix("ask for less, or give it more time with --timeout");
        if ((failure.code() & 0xff) == SQLITE_INTERRUPT)
            return requestError("cancelled", "the query was stopped").in(database.string());
        return queryError(failure, database, isOpen);
    }
}

Result<std::vector<std::string>> integrityProblems(const std::filesystem::path& database, bool thorough) {
    const char* const sql = thorough ? "PRAGMA integrity_check(20)" : "PRAGMA quick_check(20)";
    KURVE_TRY(const SqlTable table, readOnlyQuery(database, sql));
    std::vector<std::string> problems;
    for (const auto& row : table.rows)
        if (row[0] != "ok") problems.push_back(row[0].get<std::string>());
    return problems;
}

}  // namespace kurve::store
