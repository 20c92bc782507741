#include "views/monitor/monitor_statement.h"

#include <algorithm>
#include <set>

#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/data/run_ranking.h"
#include "views/common/text/format.h"
#include "views/monitor/run_curves.h"

namespace kurve::views {

namespace {

/// Charts of quality; the others steer or explain it.
const std::set<QString> kStatementCharts{"loss", "quality", "nll"};

constexpr qsizetype kMostImportedStated = 3;

QString tr(const char* text) {
    return MonitorCharts::tr(text);
}

/// "Loss 3.56 (EMA 0.94)": an average says that it is one.
QString valueText(const LineChart& chart, double value, QString note = {}) {
    const QString smoothing = chart.smoothingText();
    if (!smoothing.isEmpty()) note = note.isEmpty() ? smoothing : note + QStringLiteral(", ") + smoothing;
    const QString text = chart.title() + QLatin1Char(' ') + numberText(value);
    return note.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, note);
}

bool isStated(const MonitorChart& chart) {
    return chart.imported || kStatementCharts.contains(chart.id);
}

/// "restore-sclm at step 12 000: Loss 3.56 (EMA 0.94), Validation BLEU 31.2."
QString statementOfOne(const MonitorCharts& charts, const QString& run, const RunCatalog& catalog) {
    const auto data = catalog.data(run);
    QStringList values;
    std::int64_t step = -1;
    for (const MonitorChart& chart : charts.all()) {
        if (!isStated(chart) || (chart.imported && values.size() >= kMostImportedStated)) continue;
        const std::string& metric = chart.metrics.front();
        const auto last = chart.chart->lastValue(RunCurves::curveOf(run, metric));
        const auto series = data ? data->find(metric) : nullptr;
        if (!last || !series || series->size() == 0) continue;
        values << valueText(*chart.chart, *last);
        step = std::max(step, static_cast<std::int64_t>(series->step.back()));
    }
    if (values.isEmpty()) return tr("%1: no points yet.").arg(catalog.nameOf(run));
    return tr("%1 at step %2: %3.")
        .arg(catalog.nameOf(run), countText(step), values.join(QStringLiteral(", ")));
}

/// "4 runs; best last values: Loss 1.42 (restore-sclm, EMA 0.94), Validation BLEU 75.4 (restore-repeat)."
QString statementOfSeveral(const MonitorCharts& charts, const QStringList& runs,
                           const StudioContext& context) {
    QStringList best;
    QStringList drawn;
    for (const MonitorChart& chart : charts.all()) {
        if (!isStated(chart)) continue;
        const std::string& metric = chart.metrics.front();
        std::vector<std::pair<double, QString>> valued;
        for (const QString& run : runs)
            if (const auto last = chart.chart->lastValue(RunCurves::curveOf(run, metric)))
                valued.emplace_back(*last, run);
        if (valued.empty()) continue;
        drawn << chart.chart->title();
        const QString first = bestRuns(valued, context.engine->metric(metric).higherIsBetter, 1).value(0);
        // Nobody says which way another program's metric is better.
        if (!chart.imported && !first.isEmpty())
            best << valueText(*chart.chart, *chart.chart->lastValue(RunCurves::curveOf(first, metric)),
                              context.catalog->nameOf(first));
    }
    const QString count = tr("%1 runs").arg(runs.size());
    if (drawn.isEmpty()) return count + tr("; no points yet.");
    if (best.isEmpty()) return tr("%1: curves of %2.").arg(count, drawn.join(QStringLiteral(", ")));
    return tr("%1; best last values: %2.").arg(count, best.join(QStringLiteral(", ")));
}

}  // namespace

QString curvesStatement(const MonitorCharts& charts, const QStringList& runs, const StudioContext& context) {
    return runs.size() == 1 ? statementOfOne(charts, runs.front(), *context.catalog)
                            : statementOfSeveral(charts, runs, context);
}

}  // namespace kurve::views
