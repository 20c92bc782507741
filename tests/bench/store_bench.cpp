// What the run store and the curves cost: store_bench [RUNS] (default 10,000), or store_bench --curves
// PROJECT METRIC: open a project and read one metric of every run, for tensorboard_yardstick.py. Numbers are
// medians with the range of their repetitions; results with machine and date lie in results/.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/random_stream.h"
#include "core/series/pyramid.h"
#include "core/store/project.h"
#include "core/store/run_reader.h"
#include "core/store/run_writer.h"
#include "tests/support/temporary_folder.h"

namespace kurve {
namespace {

double seconds(const std::function<void()>& work) {
    const double start = steadySeconds();
    work();
    return steadySeconds() - start;
}

/// Median and range over repetitions, in `unit` = 1 / scale seconds.
void report(const char* what, double scale, const char* unit, int repetitions,
            const std::function<void()>& work) {
    std::vector<double> times;
    for (int i = 0; i < repetitions; ++i) times.push_back(seconds(work) * scale);
    std::sort(times.begin(), times.end());
    fmt::print("{:<58} {:>10.3f} {:<8} [{:.3f} .. {:.3f}]\n", what, times[times.size() / 2], unit,
               times.front(), times.back());
}

void benchLog() {
    const testing::TemporaryFolder folder;
    auto writer = std::move(*store::RunWriter::open(folder.path()));
    const std::vector<std::string> names{"train/loss", "train/loss_diff", "train/grad_norm", "train/lr",
                                         "train/tokens"};
    constexpr int kPoints = 100'000;
    std::int64_t step = 0;
    const auto logAll = [&] {
        for (int i = 0; i < kPoints / 5; ++i, ++step)
            for (const auto& name : names)
                writer->scalar(name, step, 1.8e9 + 0.01 * static_cast<double>(step), 1.5);
    };
    report("log call, amortised over 100,000", 1e9 / kPoints, "ns", 9, logAll);
    const double flush = seconds([&] { (void)writer->flush(); });
    const double whole = seconds([&] {
        logAll();
        (void)writer->flush();
    });
    fmt::print("{:<58} {:>10.0f} points/s (queue of 900,000 written in {:.2f} s)\n", "log and commit",
               kPoints / whole, flush);
    writer.reset();
    const auto reader = std::move(*store::RunReader::open(folder.path()));
    report("read a curve of 200,000 points", 1e3, "ms", 5, [&] {
        store::SeriesCursor cursor;
        store::Series series;
        reader->points(names[0], cursor, series);
        if (series.size() != 200'000) std::abort();
    });
    fmt::print("{:<58} {:>10.1f} bytes/point\n", "file size",
               static_cast<double>(std::filesystem::file_size(folder / "run.db")) / 1e6);
}

void makeRuns(const store::Project& project, int count) {
    const testing::TemporaryFolder pattern;
    {
        auto writer = std::move(*store::RunWriter::open(pattern / "run"));
        for (const auto& [key, value] :
             {std::pair{"family", "sclm"}, {"state", "completed"}, {"total_steps", "1000"}})
            writer->set(key, value);
        for (int i = 0; i < 200; ++i)
            for (int m = 0; m < 20; ++m)
                writer->scalar(fmt::format("group/metric{}", m), i, i, std::sin(i + m));
    }
    for (int i = 0; i < count; ++i) {
        const auto folder = project.runFolder(fmt::format("run-{:05}", i));
        std::filesystem::create_directories(folder);
        std::filesystem::copy_file(pattern / "run/run.db", folder / "run.db");
    }
}

void benchProject(int count) {
    const testing::TemporaryFolder folder;
    std::ofstream(folder / "project.toml") << "name = \"bench\"\n";
    const auto project = *store::Project::open(folder.path());
    makeRuns(project, count);
    fmt::print("\n{} runs of 20 metrics\n", count);
    const double first = seconds([&] { (void)(*store::ProjectIndex::open(project))->refresh(); });
    fmt::print("{:<58} {:>10.3f} s\n", "index all for the first time", first);
    report("open the project: index, refresh, all summaries", 1e3, "ms", 5, [&] {
        const auto index = std::move(*store::ProjectIndex::open(project));
        (void)index->refresh();
        if (index->runs()->size() != static_cast<std::size_t>(count)) std::abort();
    });
    const auto index = std::move(*store::ProjectIndex::open(project));
    report("refresh, nothing changed", 1e3, "ms", 5, [&] { (void)index->refresh(); });
    const auto runs = *index->runs();
    report("filter 'metric7<0.5 family:sclm state:completed run-0'", 1e3, "ms", 9, [&] {
        const auto filter = *store::RunFilter::parse("metric7<0.5 family:sclm state:completed run-0");
        const auto hits =
            std::count_if(runs.begin(), runs.end(), [&](const auto& run) { return filter.matches(run); });
        if (hits == 0) std::abort();
    });
}

void benchPyramid(std::size_t points) {
    series::Pyramid pyramid;
    RandomStream random(1, "bench.curve");
    const double append = seconds([&] {
        for (std::size_t i = 0; i < points; ++i) pyramid.append(static_cast<double>(i), random.uniform());
    });
    fmt::print("\nA curve of {} points, built in {:.1f} ns a point\n", points,
               append * 1e9 / static_cast<double>(points));
    const auto n = static_cast<double>(points);
    double centre = 0.1;
    const auto frame = [&](double fraction) {
        centre = centre > 0.9 ? 0.1 : centre + 0.0137;
        const auto edges =
            series::linearEdges(n * (centre - fraction / 2), n * (centre + fraction / 2), 1920);
        if (pyramid.columns(edges).size() != 1920) std::abort();
    };
    report("1,920 exact columns, whole curve", 1e3, "ms", 51, [&] { frame(2.0); });
    report("1,920 exact columns, a tenth", 1e3, "ms", 51, [&] { frame(0.1); });
    report("1,920 exact columns, a thousandth", 1e3, "ms", 51, [&] { frame(0.001); });
}

/// Prints seconds until the runs are listed, seconds until every curve is read, and the number of points.
int readCurves(const std::filesystem::path& folder, const std::string& metric) {
    const double start = steadySeconds();
    const auto project = *store::Project::open(folder);
    const auto index = std::move(*store::ProjectIndex::open(project));
    (void)index->refresh();
    const auto runs = *index->runs();
    const double listed = steadySeconds() - start;
    std::size_t points = 0;
    for (const auto& run : runs) {
        const auto reader = std::move(*store::RunReader::open(project.runFolder(run.id)));
        store::SeriesCursor cursor;
        store::Series series;
        reader->points(metric, cursor, series);
        points += series.size();
    }
    fmt::print("{:.4f} {:.4f} {}\n", listed, steadySeconds() - start, points);
    return points > 0 ? 0 : 1;
}

}  // namespace
}  // namespace kurve

int main(int argc, char** argv) {
    if (argc == 4 && std::string(argv[1]) == "--curves") return kurve::readCurves(argv[2], argv[3]);
    kurve::benchLog();
    kurve::benchProject(1000);
    const int runs = argc > 1 ? std::atoi(argv[1]) : 10'000;
    if (runs > 1000) kurve::benchProject(runs);
    kurve::benchPyramid(1'000'000);
    kurve::benchPyramid(10'000'000);
}
