// What kurve verify says of a run.db: sound as written, and damaged whatever bit of it flips.
#include "core/store/run_check.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "core/store/detail/run_schema.h"
#include "core/store/detail/sqlite.h"
#include "core/store/project.h"
#include "tests/core/store/run_store_fixture.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using kurve::testing::TemporaryFolder;

/// Every table has rows, one curve has sealed blocks, one a second attempt.
void writeRun(const std::filesystem::path& folder) {
    auto w = writerOf(folder);
    w->set("state", "completed");
    w->set("config", std::string(300, 'c'));
    w->beginSegment(0, "started");
    for (int i = 0; i < 2100; ++i) w->scalar("loss", i, wallAt(i), valueAt(i));
    for (int i = 0; i < 40; ++i) w->scalar("zero/" + std::to_string(i % 9), i, wallAt(i), i % 2 ? -0.0 : 1.0);
    w->beginSegment(1500, "resumed");
    for (int i = 1500; i < 1510; ++i) w->scalar("loss", i, wallAt(i), valueAt(i));
    for (int i = 0; i < 30; ++i) {
        w->event(i, "mark", "event " + std::to_string(i));
        w->log(i, "info", "line " + std::to_string(i));
        w->sample({i, i % 3, "in", "out " + std::to_string(i), "ref", i == 7 ? NAN : 0.5, {}});
        w->checkpoint({i, RunFile("checkpoints/" + std::to_string(i)), "abc", NAN, 123, false, 0});
        w->trace({i, 0, RunFile("traces/" + std::to_string(i)), "text", "def", 77, 0});
        w->histogram("loss", i, {{"edges", {0, 1}}, {"values", {i}}});
    }
    w->pinCheckpoint("checkpoints/3", true);
    w->removeCheckpoint("checkpoints/4");
    ASSERT_TRUE(w->flush());
}

/// All that anybody reads of it, in the order in which it is read.
std::string contentOf(const std::filesystem::path& folder) {
    std::string all;
    detail::Database db(folder / "run.db", detail::Access::ReadOnly);
    for (const auto& table : detail::summedTables()) {
        detail::Statement rows = db.prepare("SELECT * FROM " + std::string(table.name) + " ORDER BY 1, 2");
        rows.each([&] {
            for (int i = 0; i < rows.columns(); ++i) all += rows.columnName(i) + "=" + rows.text(i) + "\n";
        });
    }
    detail::Statement points = db.prepare("SELECT * FROM points ORDER BY metric, step");
    points.each([&] { all += points.text(0) + points.text(1) + points.text(2) + points.text(3) + "\n"; });
    return all;
}

bool isReported(const std::filesystem::path& folder) {
    if (!RunReader::open(folder)) return true;
    const auto problems = runProblems(folder);
    return !problems || !problems->empty();
}

TEST(RunCheck, ARunAsItWasWrittenIsSound) {
    const TemporaryFolder folder;
    writeRun(folder.path());
    for (const bool thorough : {false, true}) {
        const auto problems = runProblems(folder.path(), thorough);
        ASSERT_TRUE(problems) << problems.error().text();
        EXPECT_TRUE(problems->empty()) << problems->front();
    }
    EXPECT_EQ(runProblems(folder / "none").error().code, "store.missing");
}

// Of what is not reported nothing is read: free room, or a number that only says who wrote last.
TEST(RunCheck, NoFlippedBitChangesWhatIsReadUnreported) {
    const TemporaryFolder folder;
    writeRun(folder.path());
    const auto file = folder / "run.db";
    const std::string good = *readFile(file), content = contentOf(folder.path());
    std::size_t reported = 0, tried = 0;
    const auto tryAt = [&](std::size_t at) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ (1 << (at % 8)));
        std::ofstream(file, std::ios::binary) << bad;
        ++tried;
        if (isReported(folder.path()))
            ++reported;
        else
            EXPECT_EQ(contentOf(folder.path()), content) << "byte " << at;
    };
    for (std::size_t at = 0; at < 100; ++at) tryAt(at);
    for (std::size_t at = 100; at < good.size(); at += 997) tryAt(at);
    EXPECT_GT(reported, tried / 4) << "sealing has left room free, but not that much";
}

TEST(RunCheck, EveryByteOfASealedBlockCountsForReadersToo) {
    const TemporaryFolder folder;
    writeRun(folder.path());
    for (const char* damage :
         {"points = substr(points, 1, 12288) || X'00' || substr(points, 12290)", "segment = segment + 1",
          "count = count - 1", "min = min * 2", "sum = sum + 1"}) {
        const TemporaryFolder copy;
        std::filesystem::copy(folder.path(), copy.path(), std::filesystem::copy_options::recursive);
        detail::Database(copy / "run.db", detail::Access::Write)
            .execute("UPDATE sealed SET " + std::string(damage) + " WHERE first_seq = 1024");
        const auto reader = readerOf(copy.path());
        SeriesCursor cursor;
        Series series;
        reader->points("loss", cursor, series);
        EXPECT_EQ(reader->lastError().error().code, "store.damaged") << damage;
        EXPECT_EQ(series.size(), 1024U) << damage;
        EXPECT_TRUE(isReported(copy.path())) << damage;
    }
}

TEST(RunCheck, EveryColumnOfEveryTableCounts) {
    const TemporaryFolder folder;
    writeRun(folder.path());
    for (const auto& table : detail::summedTables()) {
        std::string columns = table.columns;
        for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 2) {
            end = columns.find(", ", at);
            const std::string column = columns.substr(at, end - at);
            detail::Database db(folder / "run.db", detail::Access::Write);
            const detail::Transaction undone(db);
            const auto bad = [&] {
                return db.integer("SELECT count(*) FROM " + std::string(table.name) + " WHERE NOT " +
                                  detail::soundRow(table.name));
            };
            EXPECT_EQ(bad(), 0) << table.name;
            db.execute("UPDATE OR IGNORE " + std::string(table.name) + " SET " + column + " = coalesce(" +
                       column + ", 0) * 2 + 1000000");
            EXPECT_GT(bad(), 0) << table.name << "." << column;
        }
    }
}

TEST(RunCheck, AnotherSchemaAndALostIndexEntryAreReported) {
    const TemporaryFolder folder;
    writeRun(folder.path());
    const std::string good = *readFile(folder / "run.db");
    for (const char* damage :
         {"CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END", "DROP VIEW points",
          "DELETE FROM sealed WHERE first_seq = 0", "DELETE FROM scalars WHERE seq = 2101",
          "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '1e6', '1e7')"}) {
        std::ofstream(folder / "run.db", std::ios::binary) << good;
        detail::Database(folder / "run.db", detail::Access::Write).execute(damage);
        EXPECT_TRUE(isReported(folder.path())) << damage;
    }
}

// SQLite opens them by name and waits: listing the runs of such a project hung.
TEST(RunCheck, APipeBesideOrInsteadOfADatabaseIsRefusedAtOnce) {
    for (const char* name : {"run.db-journal", "run.db-wal", "run.db-shm", "run.db"}) {
        const TemporaryFolder folder;
        writeRun(folder.path());
        std::filesystem::remove(folder / name);
        ASSERT_EQ(::mkfifo((folder / name).c_str(), 0600), 0);
        const auto opened = RunReader::open(folder.path());
        ASSERT_FALSE(opened) << name;
        EXPECT_EQ(opened.error().code, name == std::string("run.db") ? "store.missing" : "store.damaged")
            << name;
        EXPECT_FALSE(RunWriter::open(folder.path())) << name;
    }
}

TEST(RunCheck, AFormatThatIsNoLongerReadIsNamed) {
    const TemporaryFolder folder;
    writeRun(folder.path());
    detail::Database(folder / "run.db", detail::Access::Write).execute("PRAGMA user_version = 1");
    EXPECT_EQ(RunReader::open(folder.path()).error().code, "store.older_version");
    EXPECT_EQ(RunWriter::open(folder.path()).error().code, "store.older_version");
    EXPECT_EQ(RunWriter::addTrace(folder.path(), {}).error().code, "store.older_version");
}

}  // namespace
}  // namespace kurve::store
