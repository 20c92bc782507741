// The comparison's curves: every run with its parent, or the means of groups.
#include <algorithm>
#include <cmath>
#include <span>

#include "core/series/smoothing.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/smoothing_control.h"
#include "views/common/data/lineage.h"
#include "views/common/form/choice_box.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/compare/compare_chart.h"
#include "views/compare/metric_value.h"
#include "views/compare/value_points.h"

namespace kurve::views {

namespace {

constexpr std::size_t kSmoothFrom = 50;  ///< fewer points are shown as they are
constexpr std::size_t kMarkersUpTo = 60;

}  // namespace

std::pair<std::vector<double>, std::vector<double>> CompareChart::pointsOf(const ComparedRun& run) const {
    std::pair<std::vector<double>, std::vector<double>> points;
    auto& [x, y] = points;
    if (shownAxis().kind == RunAxis::Kind::Number) {
        const auto shown = numberedMetric(shownMetric());
        std::map<int, double> values;
        for (const std::string& name : metricsOf({run})) {
            const auto other = numberedMetric(name);
            if (!shown || !other || other->first != shown->first) continue;
            if (const auto value = lastValue(run, name)) values[other->second] = *value;
        }
        for (const auto& [number, value] : values) x.push_back(number), y.push_back(value);
    } else if (const auto series = run.data->find(shownMetric())) {
        const auto keys = shownAxis().of(*run.data, *series);
        for (std::size_t i = 0; i < keys.size(); ++i)  // NaN where an axis that is a metric has no value
            if (std::isfinite(keys[i])) x.push_back(keys[i]), y.push_back(series->value[i]);
    }
    return points;
}

QStringList CompareChart::drawRuns(QStringList& missing) {
    QStringList drawn;
    for (const ComparedRun& run : runs_) {
        if (hidden_.contains(run.id)) continue;
        if (!run.data) continue;  // being read
        const auto [x, y] = pointsOf(run);
        if (x.empty()) {
            missing << run.title;
            continue;
        }
        drawn << curveId(run);
        chart_->setCurve(
            drawn.back(),
            {titleOf(run), runStyle(run.id), x.size() >= kSmoothFrom, x.size() <= kMarkersUpTo, 1.8}, x, y);
        if (const QString before = drawParent(run); !before.isEmpty()) drawn << before;
    }
    return drawn;
}

/// A fork has its fork step in the legend.
QString CompareChart::titleOf(const ComparedRun& run) const {
    const std::int64_t fork = run.parent.id.isEmpty() ? -1 : run.data->summary.parentStep;
    return fork < 0 ? run.title : QStringLiteral("%1 (fork at %2)").arg(run.title, countText(fork));
}

QString CompareChart::drawParent(const ComparedRun& run) {
    if (!run.parent.data) return {};
    // Drawn in full already.
    for (const ComparedRun& other : runs_)
        if (other.id == run.parent.id && !hidden_.contains(other.id)) return {};
    const auto points = parentCurve(*run.data, *run.parent.data, shownMetric(), shownAxis());
    if (points.x.empty()) return {};
    CurveSpec look = dimmedCurve(runStyle(run.parent.id), Qt::DashLine);
    look.label = QStringLiteral("%1 until %2").arg(run.parent.title, countText(run.data->summary.parentStep));
    look.smooth = points.x.size() >= kSmoothFrom;
    const QString id = curveId(run) + QStringLiteral(" parent");
    chart_->setCurve(id, look, points.x, points.y);
    return id;
}

/// Members are smoothed before their mean is taken, so that the band is that of the smoothed curves.
std::vector<double> CompareChart::smoothed(const std::vector<double>& x, std::span<const double> y) const {
    if (x.size() < kSmoothFrom) return {y.begin(), y.end()};
    return series::smooth(x, y, smoothing());
}

QString CompareChart::membersSmoothing() const {
    if (shownAxis().kind == RunAxis::Kind::Number) return {};
    const bool any = !groupKey().isEmpty() && std::ranges::any_of(runs_, [this](const auto& run) {
        const auto series = run.data ? run.data->find(shownMetric()) : nullptr;
        return series && series->size() >= kSmoothFrom;
    });
    const QString name = any ? smoothingName(smoothing()) : QString();
    return name.isEmpty() ? name : QStringLiteral("members: %1").arg(name);
}

QString CompareChart::groupCurveId(const QString& group) {
    return QStringLiteral("group %1").arg(group);
}

QStringList CompareChart::drawGroups(QStringList& missing) {
    chart_->keepOnly({});  // a mean changes all along when one member grows
    QStringList drawn;
    const auto& groups = grouping_.groups();
    for (std::size_t g = 0; g < groups.size(); ++g) {
        std::vector<std::vector<double>> xs, ys;
        // Hidden ones too: a mean does not depend on what is drawn.
        for (const std::size_t member : groups[g].members) {
            const ComparedRun& run = runs_[member];
            auto [x, y] = pointsOf(run);
            if (x.empty() || !std::ranges::is_sorted(x)) {
                missing << run.title;  // a mean over an axis that goes back and forth has no meaning
                continue;
            }
            ys.push_back(smoothed(x, y));
            xs.push_back(std::move(x));
        }
        if (xs.empty()) continue;
        std::vector<series::Member> members;
        for (std::size_t i = 0; i < xs.size(); ++i) members.push_back({xs[i], ys[i]});
        const auto band =
            series::groupBand(members, static_cast<series::BandKind>(band_->currentData().toInt()));
        const QString& title = groups[g].title;
        drawn << groupCurveId(title);
        chart_->setCurve(drawn.back(),
                         {QStringLiteral("%1 (n %2)").arg(title).arg(members.size()), RunGrouping::style(g),
                          false, band.x.size() <= kMarkersUpTo, 1.8},
                         band.x, band.mean);
        chart_->setBand(drawn.back(), band.x, band.low, band.high);
    }
    return drawn;
}

bool CompareChart::isCurve() const {
    if (shownAxis().kind == RunAxis::Kind::Number && numberedMetric(shownMetric())) return true;
    bool known = false;
    for (const ComparedRun& run : runs_) {
        if (!run.data) continue;
        const auto series = run.data->find(shownMetric());
        if (series && series->size() > 0) return true;
        known |= run.data->summary.metrics.contains(shownMetric());
    }
    return !known;  // nothing is read yet
}

void CompareChart::drawPoints() {
    std::vector<ValuePoints::Row> rows;
    const std::string metric = shownMetric();
    for (const ComparedRun& run : runs_) {
        const auto value = lastValue(run, metric);
        if (grouping_.isOn() || hidden_.contains(run.id) || !value || !std::isfinite(*value)) continue;
        rows.push_back(
            {run.id, run.title, runStyle(run.id), series::sampleStatistics(std::span(&*value, 1))});
    }
    const bool isRange = band_->currentData().toInt() == static_cast<int>(series::BandKind::Range);
    for (std::size_t g = 0; g < grouping_.groups().size(); ++g) {
        const auto& group = grouping_.groups()[g];
        ValuePoints::Row row{groupCurveId(group.title), group.title, RunGrouping::style(g), {}};
        std::vector<double> values;
        for (const std::size_t member : group.members)
            if (const auto value = lastValue(runs_[member], metric); value && std::isfinite(*value)) {
                values.push_back(*value);
                row.members.emplace_back(runs_[member].title, *value);
            }
        row.statistics = series::sampleStatistics(values);
        row.low = isRange ? row.statistics.min : row.statistics.mean - row.statistics.half;
        row.high = isRange ? row.statistics.max : row.statistics.mean + row.statistics.half;
        rows.push_back(std::move(row));
    }
    const auto text = engine_.metric(metric);
    points_->setToolTip(text.doc);
    points_->setRows(text.unit.isEmpty() ? text.title : QStringLiteral("%1 / %2").arg(text.title, text.unit),
                     grouping_.isOn() ? band_->currentText() : QString(), std::move(rows));
}

}  // namespace kurve::views
