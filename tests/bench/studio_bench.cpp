// What the studio costs, off screen: studio_bench [RUNS] (default 1,000), or studio_bench --chart for the
// chart alone. Cold starts are whole processes (this program started again with --cold). Results with machine
// and date lie in results/.
#include <fmt/format.h>

#include <QApplication>
#include <QProcess>
#include <QSettings>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/studio/main_window.h"
#include "app/studio/studio_app.h"
#include "core/base/clock.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/temporary_folder.h"
#include "views/common/line_chart.h"
#include "views/common/qcustomplot.h"
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

/// One cold start: ends when the window has been painted with the runs in its table.
int cold(const std::filesystem::path& project) {
    StudioApp app(optionsFor(project));
    app.start();
    const bool usable =
        QTest::qWaitFor([&] { return app.window()->runs().filterModel()->rowCount() > 0; }, 20000);
    (void)app.window()->grab();
    std::puts("usable");
    std::fflush(stdout);
    std::_Exit(usable ? 0 : 1);
}

void benchColdStart(const char* what, const std::filesystem::path& project, int repetitions) {
    std::vector<double> times;
    for (int i = 0; i < repetitions; ++i) {
        QProcess process;
        const double start = steadySeconds();
        process.start(QCoreApplication::applicationFilePath(),
                      {"--cold", QString::fromStdString(project.string())});
        process.waitForReadyRead(30000);
        times.push_back((steadySeconds() - start) * 1e3);
        process.waitForFinished();
    }
    report(what, times);
}

void benchManyRuns(const std::filesystem::path& project, int runs) {
    StudioApp app(optionsFor(project));
    const double start = steadySeconds();
    app.start();
    auto* filter = app.window()->runs().filterModel();
    (void)QTest::qWaitFor([&] { return filter->rowCount() >= runs; }, 60000);
    (void)app.window()->grab();
    report(fmt::format("{} runs: open to painted table", runs).c_str(), {(steadySeconds() - start) * 1e3});
    std::vector<double> times;
    for (int i = 0; i < 21; ++i) {
        const double before = steadySeconds();
        (void)filter->setExpression(i % 3 == 0 ? "valid_bleu>30 state:completed" : i % 3 == 1 ? "sclm" : "");
        (void)app.window()->runs().grab();
        times.push_back((steadySeconds() - before) * 1e3);
    }
    report(fmt::format("{} runs: filter to painted table", runs).c_str(), times);
}

void benchChart() {
    constexpr int kPoints = 1'000'000;
    std::vector<double> x(kPoints), y(kPoints);
    for (int i = 0; i < kPoints; ++i) {
        x[static_cast<std::size_t>(i)] = i;
        y[static_cast<std::size_t>(i)] = 2 + std::sin(i * 1e-5) + 0.3 * std::sin(i * 1.7);
    }
    views::LineChart chart("bench", "Loss");
    chart.resize(900, 420);
    chart.show();
    views::CurveLook look;
    look.style = {QColor(0, 114, 178), Qt::SolidLine, 0};
    look.smooth = true;
    const double start = steadySeconds();
    chart.setCurve("a", look, x, y);
    chart.plot()->replot(QCustomPlot::rpImmediateRefresh);
    report("1 M points: first picture with moving average", {(steadySeconds() - start) * 1e3});
    std::vector<double> times;
    for (int i = 0; i < 60; ++i) {
        const double width = kPoints * std::pow(0.9, i);
        chart.setKeyRange(1000.0 * i, 1000.0 * i + width);
        const double before = steadySeconds();
        chart.plot()->replot(QCustomPlot::rpImmediateRefresh);
        times.push_back((steadySeconds() - before) * 1e3);
    }
    report("1 M points: one pan/zoom frame, raw and smoothed", times);
}

/// From the writer's log call to the picture that shows the point.
void benchLogToPixel(const std::filesystem::path& project) {
    const std::string id = "20990101-000000-live";
    auto writer = std::move(*store::RunWriter::open(project / "runs" / id));
    writer->set("id", id);
    writer->set("name", "live");
    writer->set("state", "completed");
    writer->set("started", std::to_string(wallSeconds()));
    writer->beginSegment(0, "start");
    for (int i = 0; i < 100; ++i) testing::logPoint(*writer, i, 1000, wallSeconds(), 1);
    (void)writer->flush();
    StudioApp app(optionsFor(project));
    app.start();
    app.session()->selection.setRuns({QString::fromStdString(id)});
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
    if (argc == 2 && std::string(argv[1]) == "--chart") return benchChart(), 0;
    const int runs = argc > 1 ? std::atoi(argv[1]) : 1000;
    testing::writeSyntheticProject(project.path());
    for (int i = 0; i < 4; ++i)
        testing::writeSyntheticRun(
            project.path(), {"20260101-00000" + std::to_string(i), "run " + std::to_string(i), "completed",
                             "", 2000, 1.0 + i});
    benchColdStart("cold start to usable window, 4 runs of 2,000 points", project.path(), 7);
    benchChart();
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
