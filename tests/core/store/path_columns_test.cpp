// Every column that holds a text is listed, and those that hold a path are tried with hostile ones. A new
// column must be entered here: as a path only if what reads it makes a RunFile of it.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>
#include <map>

#include "core/store/project.h"
#include "core/store/run_file.h"
#include "tests/core/store/hostile_names.h"
#include "tests/core/store/project_fixture.h"
#include "tests/core/store/run_store_fixture.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using testing::TemporaryFolder;
namespace fs = std::filesystem;

enum class Holds : unsigned char { Path, RunId, Other };
using Columns = std::map<std::string, Holds>;

/// "table.column" of all that may hold a text or bytes.
std::vector<std::string> textColumns(const fs::path& database) {
    sqlite3* db = nullptr;
    EXPECT_EQ(sqlite3_open(database.c_str(), &db), SQLITE_OK);
    std::vector<std::string> names;
    const auto add = [](void* to, int, char** row, char**) {
        static_cast<std::vector<std::string>*>(to)->emplace_back(row[0]);
        return 0;
    };
    EXPECT_EQ(sqlite3_exec(db,
                           "SELECT t.name || '.' || c.name FROM sqlite_schema t JOIN "
                           "pragma_table_info(t.name) c WHERE t.type = 'table' AND t.name NOT LIKE "
                           "'sqlite_%' AND c.type NOT IN ('INTEGER', 'REAL') ORDER BY 1",
                           add, &names, nullptr),
              SQLITE_OK);
    sqlite3_close(db);
    return names;
}

std::vector<std::string> namesOf(const Columns& columns) {
    std::vector<std::string> names;
    for (const auto& [name, what] : columns) names.push_back(name);
    return names;
}

const Columns& runColumns() {
    static const Columns columns{{"run.key", Holds::Other},
                                 {"run.value", Holds::Other},  // its keys: path_names_test.cpp
                                 {"segments.reason", Holds::Other},
                                 {"metrics.name", Holds::Other},
                                 {"sealed.points", Holds::Other},
                                 {"events.kind", Holds::Other},
                                 {"events.text", Holds::Other},
                                 {"log.level", Holds::Other},
                                 {"log.text", Holds::Other},
                                 {"samples.input", Holds::Other},
                                 {"samples.output", Holds::Other},
                                 {"samples.reference", Holds::Other},
                                 {"samples.trace_file", Holds::Path},
                                 {"checkpoints.path", Holds::Path},
                                 {"checkpoints.sha256", Holds::Other},
                                 {"traces.path", Holds::Path},
                                 {"traces.text", Holds::Other},
                                 {"traces.sha256", Holds::Other},
                                 {"histograms.metric", Holds::Other},
                                 {"histograms.bins", Holds::Other}};
    return columns;
}

const Columns& indexColumns() {
    static const Columns columns{
        {"runs.id", Holds::RunId},       {"runs.stamp", Holds::Other},    {"runs.name", Holds::Other},
        {"runs.family", Holds::Other},   {"runs.state", Holds::Other},    {"runs.reason", Holds::Other},
        {"runs.task", Holds::Other},     {"runs.parent", Holds::RunId},   {"runs.config_hash", Holds::Other},
        {"runs.metrics", Holds::Other},  {"runs.settings", Holds::Other}, {"runs.process", Holds::Other},
        {"runs.extremes", Holds::Other}, {"marks.run", Holds::RunId},     {"marks.name", Holds::Other},
        {"marks.tags", Holds::Other},    {"marks.notes", Holds::Other}};
    return columns;
}

class PathColumns : public ::testing::Test {
protected:
    void SetUp() override {
        makeRun(project_, "r", {{"state", "completed"}});
        auto writer = writerOf(run());
        writer->checkpoint({1, "checkpoints/own", "", 0, 0, false});
        writer->trace({1, 0, "traces/own", "", "", 0});
        writer->sample({1, 0, "", "", "", 0, "traces/own"});
        ASSERT_TRUE(writer->flush());
        fs::create_directories(folder_ / "victim");
        std::ofstream(folder_ / "victim/file") << "precious";
    }
    [[nodiscard]] fs::path run() const { return project_.runFolder("r"); }

    TemporaryFolder folder_;
    Project project_ = projectIn(folder_ / "a/b/project");
};

TEST_F(PathColumns, EveryColumnOfARunIsListed) {
    EXPECT_EQ(textColumns(run() / "run.db"), namesOf(runColumns()));
}

TEST_F(PathColumns, EveryColumnOfTheIndexIsListed) {
    indexOf(project_);
    EXPECT_EQ(textColumns(project_.folder() / "index.db"), namesOf(indexColumns()));
}

TEST_F(PathColumns, AHostilePathOfARunIsAProblemAndNoRow) {
    EXPECT_TRUE(pathProblems(run())->empty());
    for (const auto& [column, what] : runColumns()) {
        if (what != Holds::Path) continue;
        const std::string table = column.substr(0, column.find('.')), name = column.substr(table.size() + 1);
        std::vector<std::string> names = testing::hostileNames();
        names.emplace_back(table == "checkpoints" ? "traces/own" : "checkpoints/own");
        for (const std::string& hostile : names) {
            if (hostile.empty() && table == "samples") continue;  // it says that there is no trace
            testing::writeRow(run() / "run.db", "UPDATE " + table + " SET " + name + " = ?1", hostile);
            const auto reader = readerOf(run());
            if (table == "checkpoints") EXPECT_TRUE(reader->checkpoints().empty()) << hostile;
            if (table == "traces") EXPECT_TRUE(reader->traces().empty()) << hostile;
            if (table == "samples") EXPECT_TRUE(reader->samples().front().traceFile.empty()) << hostile;
            const auto problems = pathProblems(run());
            ASSERT_TRUE(problems && problems->size() == 1) << column << " = " << hostile;
            EXPECT_EQ(problems->front().code, "run.path");
            EXPECT_EQ(problems->front().field, column);
            EXPECT_EQ(problems->front().file, (run() / "run.db").string());
        }
        testing::writeRow(run() / "run.db", "UPDATE " + table + " SET " + name + " = ?1",
                          table == "checkpoints" ? "checkpoints/own" : "traces/own");
    }
}

// What the index calls a run stays below runs/, and only what lies there is a run.
TEST_F(PathColumns, AHostileRunIdOfTheIndexLeadsNowhere) {
    makeRun(project_, "s", {{"state", "completed"}});
    indexOf(project_);
    for (const std::string& hostile : testing::hostileNames()) {
        EXPECT_EQ(project_.runFolder(hostile).parent_path(), project_.runsFolder()) << hostile;
        std::error_code tooLong;
        EXPECT_FALSE(fs::exists(project_.runFolder(hostile) / "run.db", tooLong)) << hostile;
    }
    for (const auto& [column, what] : indexColumns()) {
        if (what != Holds::RunId) continue;
        const std::string table = column.substr(0, column.find('.')), name = column.substr(table.size() + 1);
        testing::writeRow(project_.folder() / "index.db",
                          table == "marks" ? "INSERT INTO marks(run, trashed) VALUES(?1, 1)"
                                           : "UPDATE runs SET " + name + " = ?1 WHERE id = 's'",
                          "../../../../victim");
        const auto index = indexOf(project_);
        const auto runs = index->runs();
        for (const auto& found : *runs) {
            EXPECT_TRUE(found.id == "r" || found.id == "s") << found.id;
            EXPECT_FALSE(found.trashed);
        }
    }
    EXPECT_TRUE(fs::exists(folder_ / "victim/file"));
}

}  // namespace
}  // namespace kurve::store
