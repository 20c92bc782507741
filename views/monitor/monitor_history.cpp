// What came before the curves of the selected runs: the run they were forked from, and attempts that were
// abandoned.
#include "views/common/chart/line_chart.h"
#include "views/common/data/lineage.h"
#include "views/common/shell/selection.h"
#include "views/monitor/monitor_bar.h"
#include "views/monitor/monitor_panel.h"

namespace kurve::views {

QStringList MonitorPanel::addHistory(const ChartEntry& entry, const RunData& data) {
    QStringList ids;
    if (bar_->showsEarlier()) ids << addAttempts(entry, data);
    if (const QString id = addParent(entry, data); !id.isEmpty()) ids << id;
    return ids;
}

QStringList MonitorPanel::addAttempts(const ChartEntry& entry, const RunData& data) {
    const QString run = QString::fromStdString(data.summary.id);
    const std::string& metric = entry.metrics.front();
    const auto found = data.shadowed.find(metric);
    QStringList ids;
    if (found == data.shadowed.end()) return ids;
    const RunStyle style = runs_.size() == 1 ? RunStyle{categoryColor(0), Qt::SolidLine, 0} : runStyle(run);
    for (const store::Series& attempt : found->second) {
        const std::vector<double> x = keys_.axis().of(data, attempt);
        if (x.empty()) continue;
        ids << QStringLiteral("%1|%2|attempt%3").arg(run, QString::fromStdString(metric)).arg(ids.size());
        entry.chart->setCurve(ids.last(), dimmedCurve(style, Qt::DotLine), x, attempt.value);
    }
    return ids;
}

QString MonitorPanel::addParent(const ChartEntry& entry, const RunData& data) {
    const QString run = QString::fromStdString(data.summary.id), parent = parents_.parentOf(run);
    const auto before = context().catalog->data(parent);
    if (!before) return {};
    const auto points = parentCurve(data, *before, entry.metrics.front(), keys_.axis());
    if (points.x.empty()) return {};
    const QString id = QStringLiteral("%1|%2|parent").arg(run, QString::fromStdString(entry.metrics.front()));
    entry.chart->setCurve(id, dimmedCurve(runStyle(parent), Qt::SolidLine), points.x, points.y);
    return id;
}

}  // namespace kurve::views
