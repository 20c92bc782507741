// What came before the curves of the selected runs: the run they were forked from, and attempts that were
// abandoned.
#include <QPushButton>
#include <algorithm>

#include "views/common/line_chart.h"
#include "views/common/selection.h"
#include "views/monitor/monitor_panel.h"

namespace kurve::views {

namespace {

constexpr float kDim = 0.38f;

/// Faint, dotted and without a name in the legend: seen, but not taken for the run's own.
CurveLook dimmed(RunStyle style, Qt::PenStyle dash) {
    CurveLook look;
    look.style = style;
    look.style.color.setAlphaF(kDim);
    look.style.dash = dash;
    look.width = 1.1;
    return look;
}

}  // namespace

std::int64_t forkStepOf(const RunData& data) {
    const auto found = data.values.find("parent_checkpoint");  // "step-00000400"
    if (found == data.values.end()) return -1;
    const auto digits = found->second.find_first_of("0123456789");
    return digits == std::string::npos ? -1 : std::strtoll(found->second.c_str() + digits, nullptr, 10);
}

QString MonitorPanel::parentOf(const QString& runId) const {
    const store::RunSummary* run = context().catalog->run(runId);
    const QString parent = run ? QString::fromStdString(run->parent) : QString();
    return context().catalog->run(parent) ? parent : QString();
}

void MonitorPanel::watchParents() {
    QStringList wanted;
    for (const QString& run : runs_)
        if (const QString parent = parentOf(run); !parent.isEmpty() && !wanted.contains(parent))
            wanted << parent;
    for (const QString& run : wanted)
        if (!parents_.contains(run)) context().catalog->watch(run);
    for (const QString& run : parents_)
        if (!wanted.contains(run)) context().catalog->unwatch(run);
    parents_ = wanted;
}

void MonitorPanel::addCurve(const Place& place, const QString& id, const CurveLook& look,
                            const store::Series& points, double start) {
    std::vector<double> x;
    for (std::size_t i = 0; i < points.size(); ++i)
        x.push_back(axis_ == KeyAxis::Step ? static_cast<double>(points.step[i]) : points.wall[i] - start);
    place.chart->setCurve(id, look, x, points.value);
}

QStringList MonitorPanel::addHistory(const Place& place, const QString& run, const RunData& data) {
    QStringList ids;
    const std::string& metric = place.metrics.front();
    const QString name = run + QLatin1Char('|') + QString::fromStdString(metric);
    if (earlier_->isChecked()) {
        if (const auto found = data.shadowed.find(metric); found != data.shadowed.end())
            for (std::size_t i = 0; i < found->second.size(); ++i) {
                ids << QStringLiteral("%1|attempt%2").arg(name).arg(i);
                addCurve(
                    place, ids.last(),
                    dimmed(runs_.size() == 1 ? RunStyle{categoryColor(0), Qt::SolidLine, 0} : runStyle(run),
                           Qt::DotLine),
                    found->second[i], startOf(run));
            }
    }
    // By time the parent has another origin: before the fork it is drawn by step only.
    const QString parent = parentOf(run);
    const auto before = context().catalog->data(parent);
    const std::int64_t fork = forkStepOf(data);
    const auto series = before && fork >= 0 && axis_ == KeyAxis::Step ? before->find(metric) : nullptr;
    if (!series) return ids;
    store::Series part;
    const auto end = std::upper_bound(series->step.begin(), series->step.end(), fork) - series->step.begin();
    part.step.assign(series->step.begin(), series->step.begin() + end);
    part.value.assign(series->value.begin(), series->value.begin() + end);
    part.wall.assign(series->wall.begin(), series->wall.begin() + end);
    if (part.size() == 0) return ids;
    ids << name + QStringLiteral("|parent");
    addCurve(place, ids.last(), dimmed(runStyle(parent), Qt::SolidLine), part, 0);
    return ids;
}

}  // namespace kurve::views
