// A run's file with several writers, damaged, on a full disk, in a folder that may not be written, of an
// older form.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/store/detail/sqlite.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/core/store/run_store_fixture.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using ::testing::ElementsAre;
using testing::TemporaryFolder;

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
    ASSERT_TRUE(RunWriter::addTrace(folder / "run", {7, -1, "traces/requested", "manual", "h2", 12}));
    const auto rows = readerOf(folder / "run")->traces();
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(
        std::tie(rows[0].step, rows[0].prompt, rows[0].path, rows[0].text, rows[0].sha256, rows[0].bytes),
        std::make_tuple(std::int64_t{7}, -1, RunFile("traces/requested"), std::string("manual"),
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
                const RunFile name(fmt::format("traces/requested-{}-{}", other, i));
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
    r->points("a", cursor, series);
    EXPECT_EQ(series.size(), 1024u) << "no point twice";
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

TEST(RunStore, AFolderThatWasRemovedOrMovedIsReportedWhileItIsWritten) {
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

TEST(RunStore, ASchemaIsMadeOnceAndOtherVersionsAreNamed) {
    const TemporaryFolder folder;
    const auto file = folder / "some.db";
    detail::Database db(file, detail::Access::Write);
    EXPECT_THROW((void)detail::makeSchema(db, file, 2, "CREATE TABLE a(x); this is not SQL"),
                 detail::SqliteFailure);
    EXPECT_EQ(db.version(), 0);
    for (int time = 0; time < 2; ++time)
        EXPECT_TRUE(detail::makeSchema(db, file, 2, "CREATE TABLE a(x); PRAGMA user_version = 2"));
    EXPECT_EQ(detail::makeSchema(db, file, 1, "").error().code, "store.newer_version");
    EXPECT_EQ(detail::makeSchema(db, file, 3, "").error().code, "store.older_version");
}

}  // namespace
}  // namespace kurve::store
