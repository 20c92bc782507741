#include "core/store/query.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cmath>

#include "core/base/text.h"
#include "core/store/detail/sqlite.h"

namespace kurve::store {
namespace {

using detail::SqliteFailure;
using detail::Statement;

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

/// Where the folder may not be written SQLite needs to be told that nobody else writes there either.
std::unique_ptr<detail::Database> openForReading(const std::filesystem::path& file) {
    try {
        auto db = std::make_unique<detail::Database>(file, detail::Access::ReadOnly);
        (void)db->version();
        return db;
    } catch (const SqliteFailure& failure) {
        std::error_code ignored;
        const auto log = std::filesystem::file_size(file.string() + "-wal", ignored);
        const int code = failure.code() & 0xff;
        if ((code != SQLITE_CANTOPEN && code != SQLITE_READONLY) || (!ignored && log > 0)) throw;
        return std::make_unique<detail::Database>(file, detail::Access::Immutable);
    }
}

Error queryError(const SqliteFailure& failure, const std::filesystem::path& file) {
    Error error = detail::toError(failure, file);
    if (error.code != "store.sql") return error;
    return requestError("query.sql", failure.what())
        .in(file.string())
        .fix("the tables are described in the user guide");
}

}  // namespace

Result<SqlTable> readOnlyQuery(const std::filesystem::path& database, const std::string& sql) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(database, ignored))
        return requestError("store.missing", "there is no such database").in(database.string());
    if (trim(sql).empty()) return requestError("query.sql", "the statement is empty").in(database.string());
    try {
        const auto db = openForReading(database);
        Statement statement = db->prepare(sql);
        if (!statement.readOnly())
            return requestError("query.writes", "only statements that read are allowed")
                .in(database.string());
        SqlTable table;
        for (int i = 0; i < statement.columns(); ++i) table.columns.push_back(statement.columnName(i));
        statement.each([&] {
            auto row = nlohmann::json::array();
            for (int i = 0; i < statement.columns(); ++i) row.push_back(valueOf(statement, i));
            table.rows.push_back(std::move(row));
        });
        return table;
    } catch (const SqliteFailure& failure) {
        return queryError(failure, database);
    }
}

Result<std::vector<std::string>> integrityProblems(const std::filesystem::path& database) {
    KURVE_TRY(const SqlTable table, readOnlyQuery(database, "PRAGMA integrity_check(20)"));
    std::vector<std::string> problems;
    for (const auto& row : table.rows)
        if (row[0] != "ok") problems.push_back(row[0].get<std::string>());
    return problems;
}

}  // namespace kurve::store
