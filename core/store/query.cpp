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

/// Leaves a statement whose other rows are not wanted.
struct EnoughRows {};

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

Error queryError(const SqliteFailure& failure, const std::filesystem::path& file, bool isOpen) {
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
    try {
        const auto db = detail::openForReading(database);
        isOpen = true;
        constexpr int kInstructionsBetweenLooks = 5000;
        sqlite3_progress_handler(
            db->handle(), kInstructionsBetweenLooks,
            [](void* token) { return static_cast<int>(static_cast<const CancelToken*>(token)->requested()); },
            const_cast<CancelToken*>(&limits.cancel));  // only read there
        Statement statement = db->prepare(sql);
        if (!statement.readOnly())
            return requestError("query.writes", "only statements that read are allowed")
                .in(database.string());
        for (int i = 0; i < statement.columns(); ++i) table.columns.push_back(statement.columnName(i));
        statement.each([&] {
            if (table.rows.size() >= limits.rows) throw EnoughRows();
            auto row = nlohmann::json::array();
            for (int i = 0; i < statement.columns(); ++i) row.push_back(valueOf(statement, i));
            table.rows.push_back(std::move(row));
        });
        return table;
    } catch (const EnoughRows&) {
        table.cut = true;
        return table;
    } catch (const SqliteFailure& failure) {
        if ((failure.code() & 0xff) == SQLITE_INTERRUPT)
            return requestError("cancelled", "the query was stopped").in(database.string());
        return queryError(failure, database, isOpen);
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
