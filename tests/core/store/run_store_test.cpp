// What a run's file holds: rows, sealed points, cursors, attempts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/store/detail/sqlite.h"
#include "core/store/run_writer.h"
#include "tests/core/store/run_store_fixture.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using ::testing::ElementsAre;
using testing::TemporaryFolder;

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
              std::make_tuple(std::int64_t{7}, 1, std::string("out"), -1.5, RunFile("traces/a")));
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

/// The promise that a run can be read manually: the plain program sees the same numbers, bit for bit.
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

TEST(RunStore, ReadsTogetherSeeOneState) {
    const testing::TemporaryFolder folder;
    const auto writer = writerOf(folder.path());
    const auto log = [&](std::int64_t step) {
        for (const char* metric : {"a", "b"}) writer->scalar(metric, step, wallAt(step), 1);
        ASSERT_TRUE(writer->flush());
    };
    log(1);
    const auto reader = readerOf(folder.path());
    SeriesCursor ofA, ofB;
    Series a, b;
    reader->together([&] {
        reader->points("a", ofA, a);
        log(2);
        reader->points("b", ofB, b);
        EXPECT_EQ(reader->lastStep(), 1);
    });
    EXPECT_EQ(a.size(), 1U);
    EXPECT_EQ(b.size(), 1U);
    reader->release();
    reader->points("a", ofA, a);
    reader->points("b", ofB, b);
    EXPECT_EQ(a.size(), 2U);
    EXPECT_EQ(b.step, a.step);
    EXPECT_TRUE(reader->lastError());
}

TEST(RunStore, LaterSegmentsShadowEarlierOnesAndKeepThem) {
    const TemporaryFolder folder;
    SeriesCursor cursor;
    Series live;
    const auto log = [](RunWriter& w, int from, int to, double value) {
        for (int i = from; i < to; ++i) w.scalar("a", i, wallAt(i), value);
        w.sample({to - 1, 0, "", std::to_string(value), "", 0, {}});
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

TEST(RunStore, AnAttemptThatTrainedNothingIsTakenBack) {
    const TemporaryFolder folder;
    auto w = writerOf(folder.path());
    w->beginSegment(0, "started");
    for (int step = 0; step < 100; ++step) w->scalar("a", step, 0, 1);
    const auto resumeAt = [&](std::int64_t step) {
        w->beginSegment(step, "resumed");
        EXPECT_TRUE(w->flush());
        w->withdrawSegment();
        EXPECT_TRUE(w->flush());
    };
    resumeAt(100);
    EXPECT_EQ(readerOf(folder.path())->segments().size(), 1U);
    resumeAt(50);
    EXPECT_EQ(readerOf(folder.path())->segments().size(), 1U);
    EXPECT_EQ(readerOf(folder.path())->lastStep(), 99) << "a resumption goes on from the newest checkpoint";
    w->beginSegment(50, "resumed");
    w->scalar("a", 50, 0, 2);
    w->withdrawSegment();
    EXPECT_TRUE(w->flush());
    EXPECT_EQ(readerOf(folder.path())->lastStep(), 50) << "it has a point";
}

}  // namespace
}  // namespace kurve::store
