#include <sqlite3.h>

#include "app/engine/commands.h"
#include "app/engine/run_access.h"
#include "core/base/printable.h"
#include "core/store/query.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

/// run.db of --run, else the project's refreshed index.db.
Result<std::filesystem::path> databaseFor(const CommonOptions& common, const std::string& run) {
    if (!run.empty()) {
        KURVE_TRY(const auto folder, findRun(common, run));
        return folder / "run.db";
    }
    KURVE_TRY(const store::Project project, projectFor(common, std::filesystem::current_path()));
    KURVE_TRY(const auto index, indexOf(common, project));
    KURVE_TRY(const auto changed, index->refresh());
    const auto file = index->file();
    if (file.empty())
        return requestError("query.no_index", "the project is read-only and has no index")
            .in(project.folder().string())
            .fix("query one run with --run, or copy the project to a folder of yours");
    return file;
}

constexpr std::size_t kMostBytes = 256 << 20;  ///< of an answer, and of what SQLite needs for it

/// One line a row: tabs and newlines of a value stand there as \t and \n.
std::string textOf(const store::SqlTable& table) {
    std::string text;
    const auto cell = [&](const std::string& value, bool last) {
        (text += printableLine(value)) += last ? '\n' : '\t';
    };
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        cell(table.columns[i], i + 1 == table.columns.size());
    for (const auto& row : table.rows)
        for (std::size_t i = 0; i < row.size(); ++i)
            cell(row[i].is_string() ? row[i].get<std::string>()
                 : row[i].is_null() ? ""
                                    : row[i].dump(),
                 i + 1 == row.size());
    return text;
}

}  // namespace

Action setupQuery(CLI::App& app) {
    struct QueryRequest {
        std::string sql, run;
        double seconds = 60;
    };
    auto request = std::make_shared<QueryRequest>();
    app.add_option("--sql", request->sql, "one statement that only reads")->required();
    app.add_option("--run", request->run, "query this run's run.db (default: the project's index.db)");
    app.add_option("--timeout", request->seconds, "time limit of the statement in seconds")
        ->check(CLI::PositiveNumber);
    return [request](const CommonOptions& common, Output& out) -> Status {
        KURVE_TRY(const auto database, databaseFor(common, request->run));
        sqlite3_hard_heap_limit64(kMostBytes);
        store::QueryLimits limits;
        limits.seconds = request->seconds;
        limits.bytes = kMostBytes;
        KURVE_TRY(const auto table, store::readOnlyQuery(database, request->sql, limits));
        out.result({{"columns", table.columns}, {"rows", table.rows}}, textOf(table));
        return {};
    };
}

}  // namespace kurve::engine
