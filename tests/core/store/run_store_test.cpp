#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/store/detail/sqlite.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using ::testing::ElementsAre;
using testing::TemporaryFolder;

/// Equal doubles, NaN included.
bool same(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

std::unique_ptr<RunWriter> writerOf(const std::filesystem::path& folder) {
    auto writer = RunWriter::open(folder);
    EXPECT_TRUE(writer) << writer.error().text();
    return std::move(*writer);
}
std::unique_ptr<RunReader> readerOf(const std::filesystem::path& folder) {
    auto reader = RunReader::open(folder);
    EXPECT_TRUE(reader) << reader.error().text();
    return std::move(*reader);
}
Series allOf(const std::filesystem::path& folder, const std::string& metric) {
    SeriesCursor cursor;
    Series series;
    readerOf(folder)->points(metric, cursor, series);
    return series;
}
double valueAt(std::int64_t i) {
    if (i % 97 == 3) return NAN;
    if (i % 101 == 5) return INFINITY;
    if (i % 103 == 7) return -INFINITY;
    return std::sin(static_cast<double>(i)) *
           std::pow(10.0, static_cast<double>(i % 600) - 310);  // denormals too
}
double wallAt(std::int64_t i) {
    return 1.8e9 + static_cast<double>(i) * 0.25;
}

/// What the plain sqlite3 program answers.
std::string shell(const std::filesystem::path& folder, const std::string& sql) {
    const std::string command =
        "sqlite3 -readonly '" + (folder / "run.db").string() + "' \"" + sql + "\" 2>&1";
    FILE* pipe = ::popen(command.c_str(), "r");
    std::string out;
    char buffer[4096];
    while (const auto n = std::fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
    ::pclose(pipe);
    return out;
}

TEST(RunStore, EveryKindOfRowComesBack) {
    const TemporaryFolder folder;
    {
        auto w = writerOf(folder / "run");
        w->set("name", "first");
        w->set("name", "second");
        w->event(5, "mark", "an event");
        w->log(6, "warning", "text with 'quotes' and λ");
        w->sample({7, 1, "in", "out", "ref", -1.5, "traces/a"});
        w->checkpoint({8, "checkpoints/8", "abc", NAN, 123, true});
        w->checkpoint({9, "checkpoints/9", "def", 3.5, 124, false});
        w->checkpoint({10, "checkpoints/10", "x", 1, 1, false});
        w->removeCheckpoint("checkpoints/10");
        w->trace({7, -1, "traces/a", "prompt", "hash", 99});
        w->histogram("loss_logsnr", 7, {{"edges", {0, 1}}, {"values", {2.5}}});
        w->heartbeat(11);
        ASSERT_TRUE(w->flush());
    }
    const auto r = readerOf(folder / "run");
    const auto values = r->values();
    EXPECT_EQ(values.at("name"), "second");
    EXPECT_EQ(values.at("pid"), std::to_string(::getpid()));
    EXPECT_EQ(values.at("heartbeat_step"), "11");
    ASSERT_EQ(r->events().size(), 1u);
    EXPECT_EQ(r->events()[0].text, "an event");
    EXPECT_TRUE(r->events(r->events()[0].id).empty());
    EXPECT_EQ(r->log().at(0).text, "text with 'quotes' and λ");
    EXPECT_EQ(r->log().at(0).kind, "warning");
    const auto sample = r->samples().at(0);
    EXPECT_EQ(std::tie(sample.step, sample.prompt, sample.output, sample.score, sample.traceFile),
              std::make_tuple(std::int64_t{7}, 1, std::string("out"), -1.5, std::string("traces/a")));
    EXPECT_TRUE(r->samples(8).empty());
    ASSERT_EQ(r->checkpoints().size(), 2u);
    EXPECT_TRUE(std::isnan(r->checkpoints()[0].metric));
    EXPECT_TRUE(r->checkpoints()[0].pinned);
    EXPECT_EQ(r->checkpoints()[1].metric, 3.5);
    EXPECT_EQ(r->traces().at(0).text, "prompt");
    EXPECT_EQ(nlohmann::json::parse(r->histograms("loss_logsnr").at(0).json)["values"][0], 2.5);
    EXPECT_TRUE(r->lastError());
}

TEST(RunStore, ARunAtRestIsOneFile) {
    const TemporaryFolder folder;
    { writerOf(folder.path())->scalar("a", 1, 2, 3); }
    EXPECT_EQ(allOf(folder.path(), "a").size(), 1u);
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        names.push_back(entry.path().filename());
    EXPECT_THAT(names, ElementsAre("run.db"));
    // A reader from before sees what a later writer adds, though the journal's kind changes under it.
    const auto reader = readerOf(folder.path());
    SeriesCursor cursor;
    Series series;
    reader->points("a", cursor, series);
    auto writer = writerOf(folder.path());
    writer->scalar("a", 2, 3, 4);
    ASSERT_TRUE(writer->flush());
    reader->points("a", cursor, series);
    EXPECT_THAT(series.step, ElementsAre(1, 2));
    EXPECT_TRUE(reader->lastError());
    writer.reset();
    reader->points("a", cursor, series);
    EXPECT_THAT(series.step, ElementsAre(1, 2));
}

class SealingBoundary : public ::testing::TestWithParam<int> {};

TEST_P(SealingBoundary, PointsComeBackExactlyHoweverManyAreSealed) {
    const TemporaryFolder folder;
    const int n = GetParam();
    {
        auto w = writerOf(folder.path());
        for (int i = 0; i < n; ++i) {
            w->scalar("a", i * 10, wallAt(i), valueAt(i));
            w->scalar("b", i, wallAt(i), -valueAt(i));
            if (i % 700 == 0) ASSERT_TRUE(w->flush());
        }
    }
    const Series a = allOf(folder.path(), "a"), b = allOf(folder.path(), "b");
    ASSERT_EQ(a.size(), static_cast<std::size_t>(n));
    ASSERT_EQ(b.size(), static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        const auto k = static_cast<std::size_t>(i);
        ASSERT_EQ(a.step[k], i * 10);
        ASSERT_EQ(a.wall[k], wallAt(i));
        ASSERT_TRUE(same(a.value[k], valueAt(i))) << i;
        ASSERT_TRUE(same(b.value[k], -valueAt(i))) << i;
    }
    EXPECT_TRUE(same(*readerOf(folder.path())->last("a"), valueAt(n - 1)));
    EXPECT_EQ(shell(folder.path(), "SELECT count(*) FROM sealed WHERE metric = 1"),
              std::to_string(n / 1024) + "\n");
}
INSTANTIATE_TEST_SUITE_P(Sizes, SealingBoundary, ::testing::Values(1, 1023, 1024, 1025, 2048, 5000));

TEST(RunStore, SealedBlocksKnowTheirFiniteExtremes) {
    const TemporaryFolder folder;
    {
        auto w = writerOf(folder.path());
        for (int i = 0; i < 1024; ++i)
            w->scalar("a", i, wallAt(i), i == 500 ? NAN : i == 501 ? INFINITY : i - 100);
        for (int i = 0; i < 1024; ++i) w->scalar("nan", i, wallAt(i), NAN);
    }
    EXPECT_EQ(shell(folder.path(), "SELECT min, max, count FROM sealed"), "-100.0|923.0|1024\n||1024\n");
}

/// The promise that a run can be read by hand: the plain program sees the same numbers, bit for bit.
TEST(RunStore, PlainSqlite3ReadsSealedAndHotPoints) {
    const TemporaryFolder folder;
    const int n = 1500;
    {
        auto w = writerOf(folder.path());
        w->scalar("other", 1, 2, 3);
        for (int i = 0; i < n; ++i) w->scalar("loss", i - 5, wallAt(i), valueAt(i));
    }
    std::istringstream rows(shell(folder.path(),
                                  "SELECT step, printf('%.6f', wall), CASE WHEN value IS NULL THEN 'nan' "
                                  "ELSE printf('%!.17g', value) END "
                                  "FROM points WHERE metric = 'loss' ORDER BY step"));
    std::string line;
    for (int i = 0; i < n; ++i) {
        ASSERT_TRUE(std::getline(rows, line)) << i;
        const auto bar = line.find('|'), second = line.find('|', bar + 1);
        ASSERT_EQ(std::stoll(line.substr(0, bar)), i - 5);
        ASSERT_EQ(std::strtod(line.substr(bar + 1).c_str(), nullptr), wallAt(i));
        const double value = std::strtod(line.substr(second + 1).c_str(), nullptr);
        // SQLite prints 17 digits from a long double and so may miss the last bit; infinity prints as Inf.
        const double want = valueAt(i);
        ASSERT_TRUE(same(value, want) || std::fabs(value - want) <= 4e-16 * std::fabs(want))
            << line << " " << want;
    }
    EXPECT_FALSE(std::getline(rows, line));
    // Bit for bit, inside SQL: decoded points equal rows of the same doubles.
    detail::Database db(folder / "run.db", detail::Access::ReadOnly);
    auto points = db.prepare("SELECT value FROM all_points WHERE metric = 'loss' ORDER BY seq");
    int i = 0;
    points.each([&] {
        ASSERT_TRUE(same(points.real(0), valueAt(i))) << i;
        ++i;
    });
    EXPECT_EQ(i, n);
}

TEST(RunStore, ACursorReadsEachPointOnce) {
    const TemporaryFolder folder;
    auto w = writerOf(folder.path());
    const auto r = readerOf(folder.path());
    SeriesCursor cursor;
    Series series;
    int next = 0;
    auto version = r->dataVersion();
    for (const int more : {1, 500, 600, 0, 1024, 3000, 7}) {
        for (int i = 0; i < more; ++i, ++next) w->scalar("a", next, wallAt(next), next);
        ASSERT_TRUE(w->flush());
        if (more > 0) EXPECT_NE(r->dataVersion(), version);
        version = r->dataVersion();
        r->points("a", cursor, series);
        ASSERT_EQ(series.size(), static_cast<std::size_t>(next));
    }
    for (std::size_t i = 0; i < series.size(); ++i) ASSERT_EQ(series.step[i], static_cast<std::int64_t>(i));
    EXPECT_EQ(r->dataVersion(), version);
}

TEST(RunStore, LaterSegmentsShadowEarlierOnesAndKeepThem) {
    const TemporaryFolder folder;
    SeriesCursor cursor;
    Series live;
    const auto log = [](RunWriter& w, int from, int to, double value) {
        for (int i = from; i < to; ++i) w.scalar("a", i, wallAt(i), value);
        w.sample({to - 1, 0, "", std::to_string(value), "", 0, ""});
    };
    {
        auto w = writerOf(folder.path());
        w->beginSegment(0, "start");
        log(*w, 0, 1500, 1);
        ASSERT_TRUE(w->flush());
        readerOf(folder.path())->points("a", cursor, live);
        EXPECT_EQ(live.size(), 1500u);
    }
    auto w = writerOf(folder.path());
    w->beginSegment(1200, "resumed");
    ASSERT_TRUE(w->flush());
    const auto r = readerOf(folder.path());
    r->points("a", cursor, live);
    EXPECT_EQ(live.step.back(), 1199) << "what is shadowed leaves a series that was read before";
    EXPECT_EQ(r->last("a"), 1.0);
    EXPECT_EQ(r->lastStep(), 1199) << "the run stands where it goes on from";
    log(*w, 1200, 1400, 2);
    w->beginSegment(1300, "again");
    log(*w, 1300, 1310, 3);
    ASSERT_TRUE(w->flush());
    r->points("a", cursor, live);
    ASSERT_EQ(live.size(), 1310u);
    for (std::size_t i = 0; i < live.size(); ++i) {
        ASSERT_EQ(live.step[i], static_cast<std::int64_t>(i));
        ASSERT_EQ(live.value[i], i < 1200 ? 1 : i < 1300 ? 2 : 3);
    }
    EXPECT_EQ(allOf(folder.path(), "a").value, live.value);
    EXPECT_EQ(r->lastStep(), 1309);
    EXPECT_EQ(r->attempt("a", 1).size(), 1500u);
    EXPECT_EQ(r->attempt("a", 2).size(), 200u);
    ASSERT_EQ(r->samples().size(), 1u);
    EXPECT_EQ(r->samples()[0].step, 1309);
    ASSERT_EQ(r->segments().size(), 3u);
    EXPECT_EQ(r->segments()[1].reason, "resumed");
    EXPECT_EQ(shell(folder.path(), "SELECT count(*), sum(value) FROM points"), "1310|1430.0\n");
}

TEST(RunStore, ASecondWriterIsRefusedByPid) {
    const TemporaryFolder folder;
    auto first = writerOf(folder.path());
    const auto second = RunWriter::open(folder.path());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, "store.locked");
    EXPECT_NE(second.error().message.find(std::to_string(::getpid())), std::string::npos);
    first.reset();
    EXPECT_TRUE(RunWriter::open(folder.path()));
}

TEST(RunStore, AnotherProgramEntersATraceAtRest) {
    const TemporaryFolder folder;
    {
        auto w = writerOf(folder / "run");
        w->trace({7, 0, "traces/prompt", "prompt", "hash", 99});
        w->beginSegment(5, "resumed");  // step 7 belongs to an abandoned attempt now
    }
    ASSERT_TRUE(RunWriter::addTrace(folder / "run", {7, -1, "traces/asked", "by hand", "h2", 12}));
    const auto rows = readerOf(folder / "run")->traces();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(
        std::tie(rows[0].step, rows[0].prompt, rows[0].path, rows[0].text, rows[0].sha256, rows[0].bytes),
        std::make_tuple(std::int64_t{7}, -1, std::string("traces/asked"), std::string("by hand"),
                        std::string("h2"), std::int64_t{12}));
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "run"))
        names.push_back(entry.path().filename());
    EXPECT_THAT(names, ElementsAre("run.db"));
    EXPECT_EQ(RunWriter::addTrace(folder / "none", {}).error().code, "store.missing");
    EXPECT_FALSE(std::filesystem::exists(folder / "none"));
    {
        detail::Database db(folder / "run/run.db", detail::Access::Write);
        db.execute("PRAGMA user_version = 99");
    }
    EXPECT_EQ(RunWriter::addTrace(folder / "run", {}).error().code, "store.newer_version");
}

TEST(RunStore, OtherProgramsEnterTracesWhileTheWriterWrites) {
    const TemporaryFolder folder;
    auto w = writerOf(folder.path());
    ASSERT_TRUE(w->flush());
    std::atomic<bool> stop{false};
    std::int64_t logged = 0;
    std::thread training([&] {
        for (; !stop; ++logged) {
            w->scalar("a", logged, wallAt(logged), static_cast<double>(logged));
            if (logged % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(300));
            if (logged % 5000 == 0) EXPECT_TRUE(w->flush());
        }
    });
    constexpr int kEach = 60;
    std::vector<std::thread> others;
    for (int other = 0; other < 3; ++other)
        others.emplace_back([&, other] {
            for (int i = 0; i < kEach; ++i) {
                const std::string name = fmt::format("traces/asked-{}-{}", other, i);
                const Status added = RunWriter::addTrace(folder.path(), {i, -1, name, "text", "hash", 1});
                ASSERT_TRUE(added) << added.error().text();
            }
        });
    for (auto& other : others) other.join();
    stop = true;
    training.join();
    EXPECT_TRUE(w->flush());
    EXPECT_TRUE(w->lastError());
    w->trace({1, -1, "traces/last", "", "", 0});
    ASSERT_TRUE(w->flush());
    auto rows = readerOf(folder.path())->traces();
    EXPECT_EQ(rows.size(), 3u * kEach + 1);
    const auto newest = std::max_element(
        rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.recorded < b.recorded; });
    EXPECT_EQ(newest->path, "traces/last");
    EXPECT_EQ(allOf(folder.path(), "a").size(), static_cast<std::size_t>(logged));
}

TEST(RunStore, NewerAndDamagedFilesAreRefusedAndLeftAlone) {
    const TemporaryFolder folder;
    { writerOf(folder.path())->scalar("a", 1, 2, 3); }
    {
        detail::Database db(folder / "run.db", detail::Access::Write);
        db.execute("PRAGMA user_version = 99");
    }
    EXPECT_EQ(RunWriter::open(folder.path()).error().code, "store.newer_version");
    const auto newer = RunReader::open(folder.path());
    ASSERT_FALSE(newer);
    EXPECT_EQ(newer.error().code, "store.newer_version");
    EXPECT_NE(newer.error().message.find("99"), std::string::npos);
    std::ofstream(folder / "run.db", std::ios::trunc) << std::string(5000, 'x');
    EXPECT_EQ(RunReader::open(folder.path()).error().code, "store.damaged");
    EXPECT_EQ(RunWriter::open(folder.path()).error().code, "store.damaged");
    EXPECT_EQ(std::filesystem::file_size(folder / "run.db"), 5000u);
    EXPECT_EQ(RunReader::open(folder / "none").error().code, "store.missing");
}

TEST(RunStore, DamageInsideGivesAnErrorAndTheRest) {
    const TemporaryFolder folder;
    {
        auto w = writerOf(folder.path());
        for (int i = 0; i < 3000; ++i) w->scalar("a", i, wallAt(i), i);
    }
    {
        detail::Database db(folder / "run.db", detail::Access::Write);
        db.execute("UPDATE sealed SET points = X'00' WHERE first_seq = 1024");
    }
    const auto r = readerOf(folder.path());
    SeriesCursor cursor;
    Series series;
    r->points("a", cursor, series);
    EXPECT_EQ(series.size(), 1024u);
    EXPECT_EQ(r->lastError().error().code, "store.damaged");
}

/// Runs `body` as a user who may not write (tests of a container run as root, whom nothing stops).
template <class Body>
void asPlainUser(const std::filesystem::path& folder, Body body) {
    std::filesystem::permissions(folder, std::filesystem::perms(0555));
    const bool root = ::geteuid() == 0;
    if (root) ASSERT_EQ(::seteuid(65534), 0);
    body();
    if (root) ASSERT_EQ(::seteuid(0), 0);
    std::filesystem::permissions(folder, std::filesystem::perms(0755));
}

TEST(RunStore, AReadOnlyFolderCanBeReadAndNotWritten) {
    const TemporaryFolder folder;
    {
        auto w = writerOf(folder.path());
        for (int i = 0; i < 10; ++i) w->scalar("a", i, wallAt(i), i);
    }
    {  // the worse case: a writer was read beside and could not tidy up
        detail::Database db(folder / "run.db", detail::Access::Write);
        db.execute("PRAGMA journal_mode = WAL");
    }
    asPlainUser(folder.path(), [&] {
        EXPECT_EQ(allOf(folder.path(), "a").size(), 10u);
        EXPECT_EQ(RunWriter::open(folder.path()).error().code, "io.write");
        EXPECT_EQ(RunWriter::open(folder / "new").error().code, "io.write");
    });
}

TEST(RunStore, AFullDiskIsReportedAndNothingIsLostOnceThereIsRoom) {
    const TemporaryFolder folder;
    auto w = writerOf(folder.path());
    ASSERT_TRUE(w->flush());
    struct rlimit before {};
    ::getrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small { 64 << 10, before.rlim_max };
    ::setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 20000; ++i) w->scalar("a", i, wallAt(i), i);
    w->event(1, "mark", "kept");
    const Status full = w->flush();
    EXPECT_FALSE(full);
    EXPECT_EQ(full.error().code, "io.write");
    EXPECT_FALSE(w->lastError());
    ::setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_TRUE(w->flush());
    EXPECT_TRUE(w->lastError());
    EXPECT_EQ(allOf(folder.path(), "a").size(), 20000u);
    EXPECT_EQ(readerOf(folder.path())->events().size(), 1u);
}

TEST(RunStore, ARunThatCannotBeBegunLeavesNothingBehind) {
    const TemporaryFolder folder;
    struct rlimit before {};
    ::getrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit none { 100, before.rlim_max };
    std::filesystem::create_directories(folder / "mine");
    std::ofstream(folder / "mine/notes.txt") << "words";
    ::setrlimit(RLIMIT_FSIZE, &none);
    const auto refused = RunWriter::open(folder / "runs/a"), beside = RunWriter::open(folder / "mine");
    ::setrlimit(RLIMIT_FSIZE, &before);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, "io.write");
    EXPECT_FALSE(std::filesystem::exists(folder / "runs/a"));
    ASSERT_FALSE(beside);
    EXPECT_TRUE(std::filesystem::exists(folder / "mine/notes.txt")) << "what was there stays";
}

TEST(RunStore, ARunThatIsTakenBackIsGone) {
    const TemporaryFolder folder;
    {
        const auto w = writerOf(folder / "runs/a");
        std::ofstream(folder / "runs/a/more") << "words";
        ASSERT_TRUE(w->flush());
        w->takeBack();
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "runs/a"));
    { const auto w = writerOf(folder / "runs/b"); }
    {
        const auto w = writerOf(folder / "runs/b");
        w->takeBack();
    }
    EXPECT_TRUE(std::filesystem::exists(folder / "runs/b/run.db")) << "one that goes on is not this writer's";
}

TEST(RunStore, AFolderThatWasRemovedOrMovedIsToldWhileItIsWritten) {
    const TemporaryFolder folder;
    for (const bool moved : {false, true}) {
        const auto run = folder / "run";
        auto w = std::move(*RunWriter::open(run));
        w->scalar("a", 1, 1, 1);
        ASSERT_TRUE(w->flush());
        if (moved)
            std::filesystem::rename(run, folder / "elsewhere");
        else
            std::filesystem::remove_all(run);
        w->scalar("a", 2, 2, 2);
        const Status status = w->flush();
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().code, "store.gone");
        EXPECT_FALSE(w->lastError());
        w.reset();
        if (moved) EXPECT_EQ(allOf(folder / "elsewhere", "a").size(), 2u) << "what was written is there";
    }
}

TEST(RunStore, MigrationsKeepABackupOfWhatWasThere) {
    const TemporaryFolder folder;
    const auto file = folder / "some.db";
    detail::Database db(file, detail::Access::Write);
    const std::vector<std::string> one{"CREATE TABLE a(x)"};
    ASSERT_TRUE(detail::migrate(db, file, one));
    EXPECT_FALSE(std::filesystem::exists(folder / "some.db.v0.bak")) << "nothing was there";
    db.execute("INSERT INTO a VALUES(42)");
    const std::vector<std::string> broken{one[0], "ALTER TABLE a ADD COLUMN y", "this is not SQL"};
    EXPECT_THROW((void)detail::migrate(db, file, broken), detail::SqliteFailure);
    EXPECT_EQ(db.version(), 1) << "a migration that fails half-way changes nothing";
    const std::vector<std::string> two{one[0], "ALTER TABLE a ADD COLUMN y"};
    ASSERT_TRUE(detail::migrate(db, file, two));
    EXPECT_EQ(db.version(), 2);
    detail::Database backup(folder / "some.db.v1.bak", detail::Access::ReadOnly);
    EXPECT_EQ(backup.version(), 1);
    EXPECT_EQ(backup.integer("SELECT x FROM a"), 42);
    EXPECT_EQ(detail::migrate(db, file, one).error().code, "store.newer_version");
}

}  // namespace
}  // namespace kurve::store
