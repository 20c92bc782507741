#include "views/common/data/lineage.h"

#include <algorithm>

namespace kurve::views {

namespace {

constexpr float kDim = 0.38f;

std::ptrdiff_t countUpTo(const store::Series& series, std::int64_t step) {
    return std::upper_bound(series.step.begin(), series.step.end(), step) - series.step.begin();
}

/// The points up to a step.
store::Series upTo(const store::Series& series, std::int64_t step) {
    const auto end = countUpTo(series, step);
    return {{series.step.begin(), series.step.begin() + end},
            {series.wall.begin(), series.wall.begin() + end},
            {series.value.begin(), series.value.begin() + end}};
}

}  // namespace

ChartCurve::Points parentCurve(const RunData& fork, const RunData& parent, const std::string& metric,
                               const RunAxis& axis) {
    const std::int64_t step = fork.summary.parentStep;
    const auto series = step >= 0 ? parent.find(metric) : nullptr;
    if (!series) return {};
    const store::Series part = upTo(*series, step);
    ChartCurve::Points points{axis.of(parent, part), {part.value.begin(), part.value.end()}};
    if (points.x.empty()) return {};
    // A fork's training time begins with the fork: the parent's times are negative and end at zero. So do all
    // counts where only the weights were taken over and the steps restarted.
    const bool restarted = !fork.segments.empty() && fork.segments.front().startStep <= step;
    const bool counted = axis.kind != RunAxis::Kind::Wall && axis.kind != RunAxis::Kind::Metric;
    if (axis.kind == RunAxis::Kind::Training || (restarted && counted)) {
        double wall = 0;
        for (const auto& [name, each] : parent.series)
            if (const auto count = countUpTo(*each, step); count > 0)
                wall = std::max(wall, *(each->wall.begin() + count - 1));
        const double end = axis.of(parent, {{step}, {wall}, {0}}).back();
        for (double& value : points.x) value -= end;
    }
    return points;
}

CurveSpec dimmedCurve(RunStyle style, Qt::PenStyle dash) {
    CurveSpec spec;
    spec.style = style;
    spec.style.color.setAlphaF(kDim);
    spec.style.dash = dash;
    spec.width = 1.1;
    return spec;
}

void ParentWatch::follow(const QStringList& runs) {
    QStringList wanted;
    for (const QString& run : runs)
        if (const QString parent = parentOf(run); !parent.isEmpty() && !wanted.contains(parent))
            wanted << parent;
    parents_.set(wanted);
}

QString ParentWatch::parentOf(const QString& run) const {
    const store::RunSummary* found = catalog_.run(run);
    const QString parent = found ? QString::fromStdString(found->parent) : QString();
    return catalog_.run(parent) ? parent : QString();
}

}  // namespace kurve::views
