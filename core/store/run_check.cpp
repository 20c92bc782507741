#include "core/store/run_check.h"

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/store/detail/run_schema.h"
#include "core/store/detail/sqlite.h"
#include "core/store/query.h"

namespace kurve::store {
namespace {

using detail::Database;
using detail::SqliteFailure;
using detail::Statement;

std::string schemaOf(Database& db) {
    std::string all;
    Statement rows = db.prepare(
        "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_stat%' ORDER BY "
        "name");
    rows.each([&] {
        for (int i = 0; i < 4; ++i) all += rows.text(i) + '\n';
    });
    return all;
}

std::string knownSchema() {
    Database db(":memory:", detail::Access::Write);
    db.execute(detail::runSchema());
    return schemaOf(db);
}

void addRowProblems(Database& db, std::vector<std::string>& problems) {
    for (const auto& table : detail::summedTables()) {
        const auto bad = db.integer(
            fmt::format("SELECT count(*) FROM {} WHERE NOT {}", table.name, detail::soundRow(table.name)));
        if (bad > 0)
            problems.push_back(fmt::format("{} of table {} {} not match {} checksum", counted(bad, "row"),
                                           table.name, bad == 1 ? "does" : "do", bad == 1 ? "its" : "their"));
    }
    Statement curves = db.prepare(
        "SELECT name FROM metrics WHERE points != (SELECT count(*) FROM scalars WHERE metric = metrics.id) + "
        "(SELECT coalesce(sum(count), 0) FROM sealed WHERE metric = metrics.id)");
    curves.each([&] { problems.push_back("the curve " + curves.text(0) + " has lost points"); });
}

/// An index that has lost a row hides it from who looks for it there. SQLite's quick check does not compare
/// them.
void addIndexProblems(Database& db, std::vector<std::string>& problems) {
    std::vector<std::string> tables;
    Statement indexed = db.prepare("SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'index'");
    indexed.each([&] { tables.push_back(indexed.text(0)); });
    for (const auto& table : tables) {
        Statement rows = db.prepare(fmt::format("PRAGMA integrity_check('{}')", table));
        rows.each([&] {
            if (rows.text(0) != "ok") problems.push_back(rows.text(0));
        });
    }
}

}  // namespace

Result<std::vector<std::string>> runProblems(const std::filesystem::path& runFolder, bool thorough) {
    const auto file = runFolder / "run.db";
    KURVE_TRY(auto problems, integrityProblems(file, thorough));
    if (!problems.empty()) return problems;
    try {
        const auto db = detail::openForReading(file);
        const detail::Transaction snapshot(*db, "BEGIN");
        if (schemaOf(*db) != knownSchema())
            problems.emplace_back("its tables and views are not those of this format");
        if (!thorough) addIndexProblems(*db, problems);
        addRowProblems(*db, problems);
        return problems;
    } catch (const SqliteFailure& failure) {
        return detail::toError(failure, file);
    }
}

}  // namespace kurve::store
