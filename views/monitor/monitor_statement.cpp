// The monitor's statement() about its curves.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "views/common/chart/line_chart.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/text/format.h"
#include "views/monitor/monitor_panel.h"

namespace kurve::views {

namespace {

/// Charts of quality; the others steer or explain it.
constexpr std::array kStatementCharts{"loss", "quality", "nll"};

constexpr qsizetype kMostImportedInStatement = 3;

/// As the legend has it: of the average where one is drawn.
double lastOf(const LineChart& chart, const QString& run, const std::string& metric) {
    return chart.valueAt(run + QLatin1Char('|') + QString::fromStdString(metric),
                         std::numeric_limits<double>::infinity());
}

/// "Loss 3.56 (EMA 0.94)": an average says that it is one.
QString valueText(const LineChart& chart, double value, QString note = {}) {
    const QString smoothing = chart.smoothingText();
    if (!smoothing.isEmpty()) note = note.isEmpty() ? smoothing : note + QStringLiteral(", ") + smoothing;
    const QString text = chart.title() + QLatin1Char(' ') + numberText(value);
    return note.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, note);
}

}  // namespace

bool MonitorPanel::isInStatement(const ChartEntry& entry) {
    return entry.imported || std::any_of(kStatementCharts.begin(), kStatementCharts.end(),
                                         [&](const char* id) { return entry.id == QLatin1String(id); });
}

QString MonitorPanel::nameOf(const QString& run) const {
    const store::RunSummary* summary = context().catalog->run(run);
    return summary == nullptr || summary->name.empty() ? run : QString::fromStdString(summary->name);
}

/// "restore-sclm at step 12 000: Loss 3.56 (EMA 0.94), Validation BLEU 31.2."
QString MonitorPanel::statementOfOne(const QString& run) const {
    const auto data = context().catalog->data(run);
    QStringList values;
    std::int64_t step = -1;
    for (const ChartEntry& entry : entries_) {
        if (!isInStatement(entry) || (entry.imported && values.size() >= kMostImportedInStatement)) continue;
        const std::string& metric = entry.metrics.front();
        const double last = lastOf(*entry.chart, run, metric);
        const auto series = data ? data->find(metric) : nullptr;
        if (!std::isfinite(last) || !series || series->size() == 0) continue;
        values << valueText(*entry.chart, last);
        step = std::max(step, static_cast<std::int64_t>(series->step.back()));
    }
    if (values.isEmpty()) return tr("%1: no points yet.").arg(nameOf(run));
    return tr("%1 at step %2: %3.").arg(nameOf(run), countText(step), values.join(QStringLiteral(", ")));
}

/// "4 runs; best last values: Loss 1.42 (restore-sclm, EMA 0.94), Validation BLEU 75.4 (restore-repeat)."
QString MonitorPanel::statementOfSeveral(const QStringList& runs) const {
    QStringList best;
    QStringList drawn;
    for (const ChartEntry& entry : entries_) {
        if (!isInStatement(entry)) continue;
        const bool higher = context().engine->metric(entry.metrics.front()).higherIsBetter;
        QString first;
        double value = std::nan("");
        for (const QString& run : runs) {
            const double last = lastOf(*entry.chart, run, entry.metrics.front());
            if (!std::isfinite(last) || (std::isfinite(value) && (higher ? last <= value : last >= value)))
                continue;
            value = last;
            first = nameOf(run);
        }
        if (first.isEmpty()) continue;
        drawn << entry.chart->title();
        // Nobody says which way another program's metric is better.
        if (!entry.imported) best << valueText(*entry.chart, value, first);
    }
    const QString count = tr("%1 runs").arg(runs.size());
    if (drawn.isEmpty()) return count + tr("; no points yet.");
    if (best.isEmpty()) return tr("%1: curves of %2.").arg(count, drawn.join(QStringLiteral(", ")));
    return tr("%1; best last values: %2.").arg(count, best.join(QStringLiteral(", ")));
}

QString MonitorPanel::statement() const {
    if (runs_.isEmpty()) return tr("No run selected.");
    const QStringList drawn = drawnRuns();
    if (drawn.isEmpty()) return tr("Selected runs are hidden.");
    QString text = drawn.size() == 1 ? statementOfOne(drawn.front()) : statementOfSeveral(drawn);
    if (leftOut_ > 0) text += tr(" %1 more selected, not drawn.").arg(leftOut_);
    if (drawn.size() < runs_.size()) text += tr(" %1 hidden.").arg(runs_.size() - drawn.size());
    return text;
}

}  // namespace kurve::views
