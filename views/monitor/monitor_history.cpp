// What came before the curves of the selected runs: the run they were forked from, and attempts that were
// abandoned.
#include <algorithm>

#include "views/common/line_chart.h"
#include "views/common/selection.h"
#include "views/monitor/monitor_bar.h"
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

/// The points up to a step.
store::Series upTo(const store::Series& series, std::int64_t step) {
    const auto end = std::upper_bound(series.step.begin(), series.step.end(), step) - series.step.begin();
    store::Series part;
    part.step.assign(series.step.begin(), series.step.begin() + end);
    part.value.assign(series.value.begin(), series.value.begin() + end);
    part.wall.assign(series.wall.begin(), series.wall.begin() + end);
    return part;
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

QStringList MonitorPanel::addHistory(const Place& place, const RunData& data) {
    QStringList ids;
    if (bar_->showsEarlier()) ids << addAttempts(place, data);
    if (const QString id = addParent(place, data); !id.isEmpty()) ids << id;
    return ids;
}

QStringList MonitorPanel::addAttempts(const Place& place, const RunData& data) {
    const QString run = QString::fromStdString(data.summary.id);
    const std::string& metric = place.metrics.front();
    const auto found = data.shadowed.find(metric);
    QStringList ids;
    if (found == data.shadowed.end()) return ids;
    const RunStyle style = runs_.size() == 1 ? RunStyle{categoryColor(0), Qt::SolidLine, 0} : runStyle(run);
    for (const store::Series& attempt : found->second) {
        const std::vector<double> x = keys_.axis().of(data, attempt);
        if (x.empty()) continue;
        ids << QStringLiteral("%1|%2|attempt%3").arg(run, QString::fromStdString(metric)).arg(ids.size());
        place.chart->setCurve(ids.last(), dimmed(style, Qt::DotLine), x, attempt.value);
    }
    return ids;
}

QString MonitorPanel::addParent(const Place& place, const RunData& data) {
    const QString run = QString::fromStdString(data.summary.id), parent = parentOf(run);
    const auto before = context().catalog->data(parent);
    const std::int64_t fork = forkStepOf(data);
    const auto series = before && fork >= 0 ? before->find(place.metrics.front()) : nullptr;
    if (!series) return {};
    const store::Series part = upTo(*series, fork);
    std::vector<double> x = keys_.axis().of(*before, part);
    if (x.empty()) return {};
    // A fork's training time begins with the fork: what came before has negative times, and ends at zero.
    if (keys_.axis().kind == RunAxis::Kind::Training) {
        const double end = x.back();
        for (double& value : x) value -= end;
    }
    const QString id = QStringLiteral("%1|%2|parent").arg(run, QString::fromStdString(place.metrics.front()));
    place.chart->setCurve(id, dimmed(runStyle(parent), Qt::SolidLine), x, part.value);
    return id;
}

}  // namespace kurve::views
