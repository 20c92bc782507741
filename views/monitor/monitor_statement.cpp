// What the monitor says about its curves in one line.
#include <algorithm>
#include <array>
#include <cmath>

#include "views/common/engine_info.h"
#include "views/common/format.h"
#include "views/common/line_chart.h"
#include "views/common/run_catalog.h"
#include "views/monitor/monitor_panel.h"

namespace kurve::views {

namespace {

/// Those that tell how good a run is; the others steer or explain it.
constexpr std::array kTelling{"loss", "quality", "nll"};

struct LastPoint {
    double step = -1, value = std::nan("");
};

LastPoint lastOf(const RunData& data, const std::string& metric) {
    const auto series = data.find(metric);
    if (!series || series->size() == 0) return {};
    return {static_cast<double>(series->step.back()), series->value.back()};
}

}  // namespace

QString MonitorPanel::nameOf(const QString& run) const {
    const store::RunSummary* summary = context().catalog->run(run);
    return summary == nullptr || summary->name.empty() ? run : QString::fromStdString(summary->name);
}

/// "restore-sclm at step 12 000: Loss 3.56, Validation BLEU 31.2."
QString MonitorPanel::statementOfOne(const QString& run) const {
    const auto data = context().catalog->data(run);
    QStringList values;
    double step = -1;
    for (const Place& place : places_)
        for (const char* telling : kTelling) {
            const LastPoint last = data && place.id == QLatin1String(telling)
                                       ? lastOf(*data, place.metrics.front())
                                       : LastPoint();
            if (!std::isfinite(last.value)) continue;
            values << place.chart->title() + QLatin1Char(' ') + numberText(last.value);
            step = std::max(step, last.step);
        }
    if (values.isEmpty()) return tr("%1: no points yet.").arg(nameOf(run));
    return tr("%1 at step %2: %3.")
        .arg(nameOf(run), countText(static_cast<qint64>(step)), values.join(QStringLiteral(", ")));
}

/// "4 runs; the last values are best of restore-sclm (Loss 3.56) and modernise (Validation BLEU 31.2)."
QString MonitorPanel::statementOfSeveral(const QStringList& runs) const {
    QStringList best;
    for (const Place& place : places_)
        for (const char* telling : kTelling) {
            if (place.id != QLatin1String(telling)) continue;
            const bool higher = context().engine->metric(place.metrics.front()).higherIsBetter;
            QString first;
            double value = std::nan("");
            for (const QString& run : runs) {
                const auto data = context().catalog->data(run);
                const double last = data ? lastOf(*data, place.metrics.front()).value : std::nan("");
                if (!std::isfinite(last) ||
                    (std::isfinite(value) && (higher ? last <= value : last >= value)))
                    continue;
                value = last;
                first = nameOf(run);
            }
            if (!first.isEmpty())
                best << tr("%1 %2 (%3)").arg(place.chart->title(), numberText(value), first);
        }
    const QString count = tr("%1 runs").arg(runs.size());
    if (best.isEmpty()) return count + tr("; no points yet.");
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
