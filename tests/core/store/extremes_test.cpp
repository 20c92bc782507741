// Lowest and highest values with their steps, against a plain look at every point.
#include "core/store/extremes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "core/base/random_stream.h"
#include "core/store/detail/sqlite.h"
#include "core/store/project.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve::store {
namespace {

using testing::TemporaryFolder;

void append(const std::filesystem::path& run, std::int64_t from, std::int64_t count, std::uint64_t seed,
            bool newAttempt = false) {
    auto writer = RunWriter::open(run);
    ASSERT_TRUE(writer) << writer.error().text();
    RandomStream random(seed, "test.extremes");
    (*writer)->set("started", "1000");
    (*writer)->set("state", "completed");
    if (newAttempt) (*writer)->beginSegment(from, "resumed");
    for (std::int64_t step = from; step < from + count; ++step) {
        const double value = std::round(1000 * random.uniform());  // rounded: the same value more than once
        (*writer)->scalar("loss", step, 1e9, step % 97 == 3 ? NAN : step % 89 == 1 ? -INFINITY : value);
        if (step % 250 == 0) (*writer)->scalar("valid_bleu", step, 1e9, 1000 - value);
        (*writer)->scalar("broken", step, 1e9, NAN);
    }
    ASSERT_TRUE((*writer)->flush());
}

/// As one would find them in the curve that is shown.
Extremes plain(const RunReader& reader, const std::string& metric) {
    SeriesCursor cursor;
    Series series;
    reader.points(metric, cursor, series);
    Extremes found{.metric = metric};
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (!std::isfinite(series.value[i])) continue;
        if (series.value[i] < found.low) found.low = series.value[i], found.lowStep = series.step[i];
        if (series.value[i] > found.high) found.high = series.value[i], found.highStep = series.step[i];
    }
    return found;
}

void expectPlain(const std::filesystem::path& run, const RunExtremes& extremes) {
    const auto reader = RunReader::open(run);
    ASSERT_TRUE(reader);
    for (const std::string metric : {"loss", "valid_bleu"}) {
        const Extremes wanted = plain(**reader, metric), *found = extremes.find(metric);
        ASSERT_NE(found, nullptr) << metric;
        EXPECT_EQ(found->low, wanted.low) << metric;
        EXPECT_EQ(found->high, wanted.high) << metric;
        EXPECT_EQ(found->lowStep, wanted.lowStep) << metric;
        EXPECT_EQ(found->highStep, wanted.highStep) << metric;
    }
    EXPECT_EQ(extremes.find("broken"), nullptr);
    EXPECT_EQ(extremes.find("none"), nullptr);
}

RunExtremes read(const std::filesystem::path& run, const RunExtremes* before = nullptr) {
    const auto reader = RunReader::open(run);
    EXPECT_TRUE(reader);
    return (*reader)->extremes(before);
}

TEST(Extremes, OfSealedAndFreshPointsTogether) {
    const TemporaryFolder folder;
    for (const std::int64_t count : {3, 900, 1024, 5000}) {
        const auto run = folder / fmt::format("run-{}", count);
        append(run, 0, count, static_cast<std::uint64_t>(count));
        expectPlain(run, read(run));
    }
}

TEST(Extremes, OfAGrowingRunAreFoundWithoutReadingItAgain) {
    const TemporaryFolder folder;
    RunExtremes known;
    std::int64_t at = 0;
    for (const std::int64_t count : {500, 1, 0, 700, 3000, 20, 2048}) {
        append(folder / "run", at, count, static_cast<std::uint64_t>(at) + 1);
        at += count;
        known = read(folder / "run", &known);
        expectPlain(folder / "run", known);
        EXPECT_EQ(known, read(folder / "run"));
    }
}

TEST(Extremes, DoNotCountWhatALaterAttemptShadows) {
    const TemporaryFolder folder;
    append(folder / "run", 0, 5000, 1);
    const RunExtremes first = read(folder / "run");
    append(folder / "run", 1500, 200, 2, true);
    expectPlain(folder / "run", read(folder / "run"));
    expectPlain(folder / "run", read(folder / "run", &first));
    append(folder / "run", 700, 3000, 3, true);
    expectPlain(folder / "run", read(folder / "run", &first));
}

// A copy of a run elsewhere: the table of the metrics comes at once, the points over several parts.
TEST(Extremes, OfACopyWhosePointsAreOnTheirWay) {
    const TemporaryFolder folder;
    for (const std::int64_t count : {900, 5000}) {
        const auto run = folder / fmt::format("run-{}", count), part = folder / fmt::format("part-{}", count);
        append(run, 0, count, 7);
        std::filesystem::copy(run, part);
        {
            detail::Database db(part / "run.db", detail::Access::Write);
            db.execute("DELETE FROM sealed WHERE first_seq > 1000");
            db.execute("DELETE FROM scalars WHERE seq > 400");
        }
        const RunExtremes known = read(part);
        expectPlain(run, read(run, &known));
    }
}

TEST(Extremes, StandInTheIndexAndTheFilterAsksForThem) {
    const TemporaryFolder folder;
    std::ofstream(folder / "project.toml") << "name = \"Test\"\n";
    append(folder / "runs/a", 0, 3000, 1);
    const auto project = Project::open(folder / "");
    ASSERT_TRUE(project) << project.error().text();
    for (int opening = 0; opening < 2; ++opening) {  // read from the run, then from the index alone
        auto index = ProjectIndex::open(*project);
        ASSERT_TRUE(index) << index.error().text();
        const auto changed = (*index)->refresh();
        ASSERT_TRUE(changed);
        EXPECT_EQ(changed->size(), opening == 0 ? 1u : 0u);
        const auto runs = (*index)->runs();
        ASSERT_EQ(runs->size(), 1u);
        ASSERT_NE(runs->front().extremes, nullptr);
        expectPlain(folder / "runs/a", *runs->front().extremes);
        const double high = runs->front().extremes->find("valid_bleu")->high;
        EXPECT_TRUE(RunFilter::parse(fmt::format("max.valid_bleu>={}", high))->matches(runs->front()));
        EXPECT_FALSE(RunFilter::parse(fmt::format("max.valid_bleu>{}", high))->matches(runs->front()));
        EXPECT_TRUE(RunFilter::parse(fmt::format("min.valid_bleu<{}", high))->matches(runs->front()));
        EXPECT_FALSE(RunFilter::parse("max.broken>0")->matches(runs->front()));
    }
    append(folder / "runs/a", 3000, 500, 9);
    auto index = ProjectIndex::open(*project);
    ASSERT_TRUE((*index)->refresh());
    expectPlain(folder / "runs/a", *(*index)->runs()->front().extremes);
}

}  // namespace
}  // namespace kurve::store
