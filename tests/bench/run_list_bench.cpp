// The list of runs with many runs and many metrics, off screen: run_list_bench [RUNS] [METRICS] (default
// 10,000 of each 20 of 12,000 metrics, and one run that has them all). Results lie in results/.
#include <fmt/format.h>

#include <QApplication>
#include <QLineEdit>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/random_stream.h"
#include "tests/support/run_list.h"
#include "views/common/form/choice_list.h"
#include "views/common/theme/theme.h"
#include "views/runs/column_chooser.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/run_table.h"
#include "views/runs/run_table_model.h"

namespace kurve::views {
namespace {

store::RunList manyRuns(int count, int metrics) {
    RandomStream random(1, "bench.runs");
    std::vector<store::RunSummary> runs;
    for (int i = 0; i < count; ++i) {
        store::RunSummary run;
        run.id = run.name = fmt::format("run-{:06}", i);
        run.family = "toy";
        run.state = "completed";
        run.started = 1e9 + i;
        run.version = static_cast<std::uint64_t>(i) + 1;  // as of an index
        for (const char* name :
             {"loss", "valid_loss", "valid_bleu", "lr", "grad_norm", "nll", "valid_nll", "epoch"})
            run.metrics[name] = random.uniform();
        for (int k = 0; k < 12; ++k)
            run.metrics[fmt::format("grad/layer{}", random.below(static_cast<std::uint64_t>(metrics)))] =
                random.uniform();
        run.settings["train.lr"] = fmt::format("{:.6f}", random.uniform());
        runs.push_back(std::move(run));
    }
    for (auto& run : runs) {
        auto extremes = std::make_shared<store::RunExtremes>();
        for (const auto& [name, value] : run.metrics)
            extremes->metrics.push_back({.metric = name, .low = value, .high = value + random.uniform()});
        run.extremes = std::move(extremes);
    }
    for (int i = 0; i < metrics; ++i) runs.front().metrics[fmt::format("grad/layer{}", i)] = i;
    return kurve::test::listOf(std::move(runs));
}

void measure(const char* what, int times, const std::function<void(int)>& work) {
    std::vector<double> took;
    for (int i = 0; i < times; ++i) {
        const double start = steadySeconds();
        work(i);
        took.push_back(1e3 * (steadySeconds() - start));
    }
    std::sort(took.begin(), took.end());
    fmt::print("{:<58} median {:>7.1f} ms   [{:.1f} .. {:.1f}]  n {}\n", what, took[took.size() / 2],
               took.front(), took.back(), times);
}

void bench(int count, int metrics) {
    const auto runs = manyRuns(count, metrics);
    RunTableModel model;
    RunFilterModel filter(&model);
    RunTable table(&filter);
    table.resize(1400, 900);
    table.show();
    const auto paint = [&] { (void)table.grab(); };
    measure("first list to painted table", 1, [&](int) { model.setRuns(runs), table.fitColumns(), paint(); });
    measure("the same list again, as every second while one trains", 11, [&](int) { model.setRuns(runs); });
    measure("baseline pinned or let go, to painted table", 10,
            [&](int i) { model.setBaseline(i % 2 ? "" : "run-000005"), paint(); });
    model.setBaseline("run-000005");
    for (const char* id : {"metric:valid_bleu", "delta:valid_bleu"})
        measure(fmt::format("sorted by {}, to painted table", id).c_str(), 10, [&](int i) {
            table.sortByColumn(model.columnOf(QLatin1String(id)),
                               i % 2 ? Qt::AscendingOrder : Qt::DescendingOrder);
            paint();
        });
    ColumnChooser chooser(&model, &table);
    chooser.set(QStringLiteral("max:valid_bleu"), true);
    measure("sorted by max:valid_bleu, to painted table", 10, [&](int i) {
        table.sortByColumn(model.columnOf(QStringLiteral("max:valid_bleu")),
                           i % 2 ? Qt::AscendingOrder : Qt::DescendingOrder);
        paint();
    });
    measure("column chooser opened", 5, [&](int) { chooser.open(); });
    measure("a letter typed in it", 10, [&](int i) {
        chooser.list()->search()->setText(i % 2 ? QStringLiteral("layer119") : QStringLiteral("grad layer7"));
        (void)chooser.list()->grab();
    });
    chooser.list()->hide();
    measure("a column more or less, to painted table", 10, [&](int i) {
        chooser.set(QStringLiteral("metric:grad/layer77"), i % 2 == 0);
        paint();
    });
    measure("filtered, to painted table", 9, [&](int i) {
        (void)filter.setExpression(i % 3 == 0 ? "valid_bleu>0.5" : i % 3 == 1 ? "0042" : "");
        paint();
    });
}

}  // namespace
}  // namespace kurve::views

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    kurve::views::applyTheme(kurve::views::ThemeMode::Light, 1.0);
    kurve::views::bench(argc > 1 ? std::atoi(argv[1]) : 10000, argc > 2 ? std::atoi(argv[2]) : 12000);
    return 0;
}
