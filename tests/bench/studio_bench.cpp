// What the studio costs, off screen: studio_bench [RUNS] (default 1,000), studio_bench --chart for the charts
// alone, --live for a run that logs five points a second, or studio_bench --large for 10,000 runs of 10,000
// points (2 GB on disk while it runs). Cold starts are whole processes (this program started again with
// --cold). Results with machine and date lie in results/.
#include <fmt/format.h>
#include <sys/resource.h>

#include <QApplication>
#include <QProcess>
#include <QSettings>
#include <QTest>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "app/studio/studio_app.h"
#include "app/studio/window/main_window.h"
#include "core/base/clock.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/temporary_folder.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"
#include "views/monitor/monitor_panel.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/runs_panel.h"

namespace kurve {
namespace {

using studio::StudioApp;
using studio::StudioOptions;
using studio::WorkspaceId;

void report(const char* what, std::vector<double> milliseconds) {
    std::sort(milliseconds.begin(), milliseconds.end());
    const auto at = [&](double q) {
        return milliseconds[static_cast<std::size_t>(q * static_cast<double>(milliseconds.size() - 1))];
    };
    fmt::print("{:<58} median {:>8.1f} ms   p95 {:>8.1f}   [{:.1f} .. {:.1f}]  n {}\n", what, at(0.5),
               at(0.95), at(0), at(1), milliseconds.size());
    std::fflush(stdout);
}

StudioOptions optionsFor(const std::filesystem::path& project) {
    StudioOptions options;
    options.project = QString::fromStdString(project.string());
    options.theme = views::ThemeMode::Light;
    options.restore = false;
    return options;
}

views::RunsPanel& runsOf(StudioApp& app) {
    return *qobject_cast<views::RunsPanel*>(app.window()->panel(QStringLiteral("runs")));
}

/// The most memory that this process has held, in MB.
double peakMegabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Processor seconds of all threads of this process.
double processSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// One cold start. Says so when the window has been painted with runs in its table, and when all are listed:
/// then with the peak memory and the longest time in between in which the window answered nobody.
int cold(const std::filesystem::path& project) {
    StudioApp app(optionsFor(project));
    app.start();
    const bool usable = QTest::qWaitFor([&] { return runsOf(app).filterModel()->rowCount() > 0; }, 20000);
    (void)app.window()->grab();
    fmt::print("usable\n");
    std::fflush(stdout);
    const double start = steadySeconds();
    double last = start, longest = 0, when = 0;
    QTimer pulse;
    QObject::connect(&pulse, &QTimer::timeout, [&] {
        const double now = steadySeconds(), took = now - std::exchange(last, now);
        if (took > longest) longest = took, when = now - start;
    });
    pulse.start(1);
    const bool all = QTest::qWaitFor([&] { return app.session()->catalog.complete(); }, 120000);
    (void)app.window()->grab();
    fmt::print("{:.0f} MB at most; longest without an answer {:.0f} ms, {:.1f} s after that\n",
               peakMegabytes(), longest * 1e3, when);
    std::fflush(stdout);
    std::_Exit(usable && all ? 0 : 1);
}

void benchColdStart(const char* what, const std::filesystem::path& project, int repetitions) {
    std::vector<double> usable, listed;
    QByteArray rest;
    for (int i = 0; i < repetitions; ++i) {
        QProcess process;
        const double start = steadySeconds();
        process.start(QCoreApplication::applicationFilePath(),
                      {"--cold", QString::fromStdString(project.string())});
        process.waitForReadyRead(60000);
        usable.push_back((steadySeconds() - start) * 1e3);
        process.waitForFinished(120000);
        listed.push_back((steadySeconds() - start) * 1e3);
        rest = process.readAllStandardOutput().replace("usable\n", "").trimmed();
    }
    report(what, usable);
    report("  until all runs are listed", listed);
    fmt::print("{:<58} {}\n", "", rest.toStdString());
}

void benchManyRuns(const std::filesystem::path& project, int runs) {
    StudioApp app(optionsFor(project));
    const double start = steadySeconds();
    app.start();
    auto* filter = runsOf(app).filterModel();
    (void)QTest::qWaitFor([&] { return filter->rowCount() >= runs; }, 60000);
    (void)app.window()->grab();
    report(fmt::format("{} runs: open to painted table", runs).c_str(), {(steadySeconds() - start) * 1e3});
    std::vector<double> times;
    for (int i = 0; i < 21; ++i) {
        const double before = steadySeconds();
        (void)filter->setExpression(i % 3 == 0 ? "valid_bleu>30 state:completed" : i % 3 == 1 ? "sclm" : "");
        (void)runsOf(app).grab();
        times.push_back((steadySeconds() - before) * 1e3);
    }
    report(fmt::format("{} runs: filter to painted table", runs).c_str(), times);
}

std::vector<double> steps(int points) {
    std::vector<double> x(static_cast<std::size_t>(points));
    std::iota(x.begin(), x.end(), 0.0);
    return x;
}

/// A slow wave under noise, as losses look.
std::vector<double> values(int points, double shift = 0) {
    std::vector<double> y(static_cast<std::size_t>(points));
    for (int i = 0; i < points; ++i)
        y[static_cast<std::size_t>(i)] = 2 + shift + std::sin(i * 10.0 / points) + 0.3 * std::sin(i * 1.7);
    return y;
}

/// With what is out of sight counted: most points, above and below, in turns.
void benchOutside(views::LineChart& chart, int points, const std::string& name) {
    chart.fit();
    double before = steadySeconds();
    chart.setIgnoringOutliers(true);
    chart.plot()->replot(QCustomPlot::rpImmediateRefresh);
    report((name + "fit without outliers").c_str(), {(steadySeconds() - before) * 1e3});
    chart.setValueLimits({1.9, 2.1});
    std::vector<double> times;
    for (int i = 0; i < 60; ++i) {
        const double width = points * std::pow(0.9, i);
        chart.setKeyRange(1000.0 * i, 1000.0 * i + width);
        before = steadySeconds();
        chart.plot()->replot(QCustomPlot::rpImmediateRefresh);
        times.push_back((steadySeconds() - before) * 1e3);
    }
    report((name + "one frame that counts what is out of sight").c_str(), times);
}

void benchChart(int points) {
    const auto x = steps(points), y = values(points);
    views::LineChart chart("bench", "Loss");
    chart.resize(900, 420);
    chart.show();
    views::CurveSpec spec;
    spec.style = {QColor(0, 114, 178), Qt::SolidLine, 0};
    spec.smooth = true;
    const std::string name = fmt::format("{} M points: ", points / 1'000'000);
    const double start = steadySeconds();
    chart.setCurve("a", spec, x, y);
    chart.plot()->replot(QCustomPlot::rpImmediateRefresh);
    report((name + "first picture with moving average").c_str(), {(steadySeconds() - start) * 1e3});
    std::vector<double> times;
    for (int i = 0; i < 60; ++i) {
        const double width = points * std::pow(0.9, i);
        chart.setKeyRange(1000.0 * i, 1000.0 * i + width);
        const double before = steadySeconds();
        chart.plot()->replot(QCustomPlot::rpImmediateRefresh);
        times.push_back((steadySeconds() - before) * 1e3);
    }
    report((name + "one pan/zoom frame, raw and smoothed").c_str(), times);
    benchOutside(chart, points, name);
}

/// Runs laid over each other: from the points in memory to the first picture.
void benchOverlay(int curves) {
    constexpr int kPoints = 10'000;
    const auto x = steps(kPoints);
    std::vector<std::vector<double>> y;
    for (int i = 0; i < curves; ++i) y.push_back(values(kPoints, 0.01 * i));
    std::vector<double> first, again;
    for (int repetition = 0; repetition < 5; ++repetition) {
        views::LineChart chart("bench", "Loss");
        chart.resize(900, 420);
        chart.show();
        const double start = steadySeconds();
        for (int i = 0; i < curves; ++i) {
            views::CurveSpec spec;
            spec.style = {QColor::fromHsv(i * 7 % 360, 200, 180), Qt::SolidLine, 0};
            chart.setCurve(QString::number(i), spec, x, y[static_cast<std::size_t>(i)]);
        }
        chart.plot()->replot(QCustomPlot::rpImmediateRefresh);
        first.push_back((steadySeconds() - start) * 1e3);
        chart.setKeyRange(100, 9000);
        const double before = steadySeconds();
        chart.plot()->replot(QCustomPlot::rpImmediateRefresh);
        again.push_back((steadySeconds() - before) * 1e3);
    }
    report(fmt::format("{} curves of 10,000 points: first picture", curves).c_str(), first);
    report(fmt::format("{} curves of 10,000 points: the next frame", curves).c_str(), again);
}

void benchCharts() {
    benchChart(1'000'000);
    benchChart(10'000'000);
    benchOverlay(200);
    benchOverlay(1000);
}

/// 10,000 runs of 10 metrics and 1,000 points each, copies of one file.
void benchLarge() {
    const testing::TemporaryFolder project;
    testing::writeSyntheticProject(project.path());
    const auto runs = project / "runs";
    {
        auto writer = std::move(*store::RunWriter::open(runs / "run-00000"));
        for (const auto& [key, value] : {std::pair{"family", "sclm"}, {"state", "completed"}})
            writer->set(key, value);
        for (int i = 0; i < 1000; ++i)
            for (int metric = 0; metric < 10; ++metric)
                writer->scalar(fmt::format("train/metric{}", metric), i, i, std::sin(i + metric));
    }
    for (int i = 1; i < 10'000; ++i) {
        const auto folder = runs / fmt::format("run-{:05}", i);
        std::filesystem::create_directories(folder);
        std::filesystem::copy_file(runs / "run-00000/run.db", folder / "run.db");
    }
    benchColdStart("10,000 runs, 100 M points: the index is made", project.path(), 1);
    benchColdStart("10,000 runs, 100 M points: start to painted table", project.path(), 5);
}

const std::string kLiveRun = "20990101-000000-live";

/// A run of 100 points that logs more.
std::unique_ptr<store::RunWriter> liveRun(const std::filesystem::path& project) {
    auto writer = std::move(*store::RunWriter::open(project / "runs" / kLiveRun));
    writer->set("id", kLiveRun);
    writer->set("name", "live");
    writer->set("state", "completed");
    writer->set("started", std::to_string(wallSeconds()));
    writer->beginSegment(0, "start");
    for (int i = 0; i < 100; ++i) testing::logPoint(*writer, i, 1000, wallSeconds(), 1);
    (void)writer->flush();
    return writer;
}

/// Five points a second for `seconds`: from each log call to the picture that shows the point, and what the
/// process (with the writer, without its engine) takes of a core meanwhile. Whole windows, nothing else is
/// done.
void benchLive(const std::filesystem::path& project, int seconds) {
    const auto writer = liveRun(project);
    StudioApp app(optionsFor(project));
    app.start();
    app.session()->selection.setRuns({QString::fromStdString(kLiveRun)});
    auto* monitor =
        qobject_cast<views::MonitorPanel*>(app.window()->workspace(WorkspaceId::Train).panel("monitor"));
    (void)QTest::qWaitFor([&] { return monitor->hasData(); }, 10000);
    QTest::qWait(8000);  // what the start left to do, and the credit of the catalog spent
    std::map<int, double> logged;
    std::vector<double> times;
    auto* plot = monitor->chart("loss")->plot();
    QObject::connect(plot, &QCustomPlot::afterReplot, plot, [&] {
        const double now = steadySeconds(), shown = plot->xAxis->range().upper;
        while (!logged.empty() && logged.begin()->first <= shown) {
            times.push_back((now - logged.begin()->second) * 1e3);
            logged.erase(logged.begin());
        }
    });
    int step = 100;
    QTimer logs;
    QObject::connect(&logs, &QTimer::timeout, [&] {
        logged[step] = steadySeconds();
        testing::logPoint(*writer, step++, 1000, wallSeconds(), 1);
    });
    const double from = processSeconds();
    logs.start(200);
    QTimer::singleShot(seconds * 1000, qApp, &QCoreApplication::quit);
    QCoreApplication::exec();
    logs.stop();
    const double used = processSeconds() - from;
    report("five points a second: log call to drawn pixel", times);
    fmt::print("{:<58} {:.1f} % of a core\n", "  meanwhile", 100 * used / seconds);
}

/// From the writer's log call to the picture that shows the point.
void benchLogToPixel(const std::filesystem::path& project) {
    const auto writer = liveRun(project);
    StudioApp app(optionsFor(project));
    app.start();
    app.session()->selection.setRuns({QString::fromStdString(kLiveRun)});
    auto* monitor =
        qobject_cast<views::MonitorPanel*>(app.window()->workspace(WorkspaceId::Train).panel("monitor"));
    (void)QTest::qWaitFor([&] { return monitor->hasData(); }, 10000);
    QTest::qWait(500);
    auto* plot = monitor->chart("loss")->plot();
    std::vector<double> times;
    for (int step = 100; step < 140; ++step) {
        double drawn = 0;
        const auto connection = QObject::connect(plot, &QCustomPlot::afterReplot, plot, [&] {
            if (drawn == 0 && plot->xAxis->range().upper >= step) drawn = steadySeconds();
        });
        const double logged = steadySeconds();
        testing::logPoint(*writer, step, 1000, wallSeconds(), 1);
        (void)QTest::qWaitFor([&] { return drawn > 0; }, 3000);
        QObject::disconnect(connection);
        times.push_back((drawn - logged) * 1e3);
        QTest::qWait(37);  // out of step with the writer's and the reader's clocks
    }
    report("log call to drawn pixel, live", times);
}

}  // namespace
}  // namespace kurve

int main(int argc, char** argv) {
    using namespace kurve;
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const testing::TemporaryFolder home, project;
    if (qEnvironmentVariableIsEmpty("KURVE_BENCH_HOME")) {
        qputenv("KURVE_BENCH_HOME", home.path().c_str());
        qputenv("XDG_CACHE_HOME", (home / "cache").c_str());
    }
    qputenv("KURVE_ENGINE", KURVE_FAKE_ENGINE);
    QCoreApplication::setOrganizationName("kurve-bench");
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                       qEnvironmentVariable("KURVE_BENCH_HOME"));
    QApplication application(argc, argv);
    if (argc == 3 && std::string(argv[1]) == "--cold") return cold(argv[2]);
    if (argc == 2 && std::string(argv[1]) == "--chart") return benchCharts(), 0;
    if (argc == 2 && std::string(argv[1]) == "--large") return benchLarge(), 0;
    if (argc == 2 && std::string(argv[1]) == "--live") {
        testing::writeSyntheticProject(project.path());
        return benchLive(project.path(), 120), 0;
    }
    const int runs = argc > 1 ? std::atoi(argv[1]) : 1000;
    testing::writeSyntheticProject(project.path());
    for (int i = 0; i < 4; ++i)
        testing::writeSyntheticRun(
            project.path(), {"20260101-00000" + std::to_string(i), "run " + std::to_string(i), "completed",
                             "", 2000, 1.0 + i});
    benchColdStart("cold start to usable window, 4 runs of 2,000 points", project.path(), 7);
    benchCharts();
    benchLogToPixel(project.path());
    const testing::TemporaryFolder many;
    testing::writeSyntheticProject(many.path());
    for (int i = 0; i < runs; ++i)
        testing::writeSyntheticRun(
            many.path(), {fmt::format("20260102-{:06}", i), i % 2 ? "sclm" : "difformer", "completed", "", 10,
                          1.0 + i % 9});
    benchManyRuns(many.path(), runs);  // the index is made here
    benchManyRuns(many.path(), runs);  // and only read here
    return 0;
}
