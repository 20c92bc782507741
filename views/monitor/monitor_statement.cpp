// What the monitor says about its curves in one line.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "views/common/engine_info.h"
#include "views/common/format.h"
#include "views/common/line_chart.h"
#include "views/common/run_catalog.h"
#include "views/monitor/monitor_panel.h"

namespace kurve::views {

namespace {

/// Those that tell how good a run is; the others steer or explain it.
constexpr std::array kTelling{"loss", "quality", "nll"};

constexpr qsizetype kMostForeignTold = 3;

/// As the legend has it: of the average where one is drawn.
double lastOf(const LineChart& chart, const QString& run, const std::string& metric) {
    return chart.valueAt(run + QLatin1Char('|') + QString::fromStdString(metric),
                         std::numeric_limits<double>::infinity());
}

/// "Loss 3.56 (EMA 0.94)": an average says that it is one.
QString told(const LineChart& chart, double value, QString note = {}) {
    const QString smoothing = chart.smoothingText();
    if (!smoothing.isEmpty()) note = note.isEmpty() ? smoothing : note + QStringLiteral(", ") + smoothing;
    const QString text = chart.title() + QLatin1Char(' ') + numberText(value);
    return note.isEmpty() ? text : QStringLiteral("%1 (%2)").arg(text, note);
}

}  // namespace

bool MonitorPanel::isTelling(const Place& place) {
    return place.foreign || std::any_of(kTelling.begin(), kTelling.end(), [&](const char* telling) {
               return place.id == QLatin1String(telling);
           });
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
    for (const Place& place : places_) {
        if (!isTelling(place) || (place.foreign && values.size() >= kMostForeignTold)) continue;
        const std::string& metric = place.metrics.front();
        const double last = lastOf(*place.chart, run, metric);
        const auto series = data ? data->find(metric) : nullptr;
        if (!std::isfinite(last) || !series || series->size() == 0) continue;
        values << told(*place.chart, last);
        step = std::max(step, static_cast<std::int64_t>(series->step.back()));
    }
    if (values.isEmpty()) return tr("%1: no points yet.").arg(nameOf(run));
    return tr("%1 at step %2: %3.").arg(nameOf(run), countText(step), values.join(QStringLiteral(", ")));
}

/// "4 runs; best last values: Loss 1.42 (restore-sclm, EMA 0.94), Validation BLEU 75.4 (restore-repeat)."
QString MonitorPanel::statementOfSeveral(const QStringList& runs) const {
    QStringList best;
    QStringList drawn;
    for (const Place& place : places_) {
        if (!isTelling(place)) continue;
        const bool higher = context().engine->metric(place.metrics.front()).higherIsBetter;
        QString first;
        double value = std::nan("");
        for (const QString& run : runs) {
            const double last = lastOf(*place.chart, run, place.metrics.front());
            if (!std::isfinite(last) || (std::isfinite(value) && (higher ? last <= value : last >= value)))
                continue;
            value = last;
            first = nameOf(run);
        }
        if (first.isEmpty()) continue;
        drawn << place.chart->title();
        // Nobody says which way another program's metric is better.
        if (!place.foreign) best << told(*place.chart, value, first);
    }
    const QString count = tr("%1 runs").arg(runs.size());
    if (drawn.isEmpty()) return count + tr("; no points yet.");
    if (best.isEmpty()) return tr("%1: curves of %2.").arg(count, drawn.join(QStringLiteral(", ")));
    return tr("%1; best last values: %2.").arg(count, best.join(QStringLiteral(", ")));
}

QString MonitorPanel::statement() const {
    if (runs_.isEmpty()) return tr("No run is selected.");
    const QStringList drawn = drawnRuns();
    if (drawn.isEmpty()) return tr("The selected runs are hidden.");
    QString text = drawn.size() == 1 ? statementOfOne(drawn.front()) : statementOfSeveral(drawn);
    if (leftOut_ > 0) text += tr(" %1 more are selected and not drawn.").arg(leftOut_);
    if (drawn.size() < runs_.size()) text += tr(" %1 hidden.").arg(runs_.size() - drawn.size());
    return text;
}

}  // namespace kurve::views
