#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "core/base/clock.h"
#include "core/base/random_stream.h"
#include "core/store/detail/sqlite.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

/// What the writing child tells its parent, in memory they share.
struct Progress {
    std::atomic<std::int64_t> logged{-1}, committed{-1};
};

/// Logs without end; every point is also an event now and then, so that all tables take part.
[[noreturn]] void writeForEver(const std::filesystem::path& folder, Progress& progress) {
    auto writer = RunWriter::open(folder);
    if (!writer) ::_exit(3);
    for (std::int64_t step = 0;; ++step) {
        (*writer)->scalar("loss", step, wallSeconds(), static_cast<double>(step));
        (*writer)->scalar("rate", step, wallSeconds(), 1);
        if (step % 100 == 0) (*writer)->event(step, "mark", std::to_string(step));
        progress.logged = step;
        if (step % 5000 == 0) {
            (void)(*writer)->flush();
            progress.committed = step;
        }
        if (step % 50 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

TEST(RunCrash, KilledAtAnyMomentItLosesOnlyTheLastMoment) {
    void* shared =
        ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    RandomStream random(7, "test.kill");
    double worst = 0;
    for (int round = 0; round < 12; ++round) {
        const testing::TemporaryFolder folder;
        auto& progress = *new (shared) Progress;
        const pid_t child = ::fork();
        if (child == 0) writeForEver(folder.path(), progress);
        while (progress.committed < 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(std::chrono::microseconds(random.below(500'000)));
        const double killed = wallSeconds();
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);

        const auto reader = RunReader::open(folder.path());
        ASSERT_TRUE(reader) << reader.error().text();
        SeriesCursor cursor, other;
        Series loss, rate;
        (*reader)->points("loss", cursor, loss);
        (*reader)->points("rate", other, rate);
        ASSERT_GT(static_cast<std::int64_t>(loss.size()), progress.committed) << "a committed point is gone";
        ASSERT_LE(static_cast<std::int64_t>(loss.size()), progress.logged + 2);
        for (std::size_t i = 0; i < loss.size(); ++i) ASSERT_EQ(loss.value[i], static_cast<double>(i));
        ASSERT_LE(loss.size() - rate.size(), 1u) << "transactions are whole";
        ASSERT_EQ((*reader)->events().size(), (loss.size() + 99) / 100);
        worst = std::max(worst, killed - loss.wall.back());

        ASSERT_TRUE(RunWriter::open(folder.path())) << "the dead process still holds the lock";
        detail::Database db(folder / "run.db", detail::Access::ReadOnly);
        auto check = db.prepare("PRAGMA integrity_check");
        check.each([&] { EXPECT_EQ(check.text(0), "ok"); });
    }
    ::munmap(shared, sizeof(Progress));
    RecordProperty("worst_loss_ms", static_cast<int>(worst * 1000));
    std::printf("longest stretch lost: %.0f ms\n", worst * 1000);
}

TEST(RunCrash, AReaderBesideALiveWriterSeesAGrowingPrefix) {
    const testing::TemporaryFolder folder;
    auto writer = RunWriter::open(folder.path());
    ASSERT_TRUE(writer);
    ASSERT_TRUE((*writer)->flush());
    std::atomic<bool> stop{false};
    std::thread load([&] {
        for (std::int64_t step = 0; !stop; ++step) {
            (*writer)->scalar("a", step, wallSeconds(), static_cast<double>(step));
            if (step % 100 == 0) std::this_thread::sleep_for(std::chrono::microseconds(500));
        }
    });
    const auto reader = RunReader::open(folder.path());
    ASSERT_TRUE(reader);
    SeriesCursor cursor;
    Series series;
    while (series.size() < 30'000) {
        (*reader)->points("a", cursor, series);
        ASSERT_TRUE((*reader)->lastError()) << (*reader)->lastError().error().text();
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    stop = true;
    load.join();
    for (std::size_t i = 0; i < series.size(); ++i) ASSERT_EQ(series.step[i], static_cast<std::int64_t>(i));
}

}  // namespace
}  // namespace kurve::store
