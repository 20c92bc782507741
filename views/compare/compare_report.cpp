// The view of the comparison for a report.
#include <iterator>

#include "views/common/chart/saved_scales.h"
#include "views/common/chart/smoothing_control.h"
#include "views/common/form/choice_box.h"
#include "views/compare/compare_chart.h"

namespace kurve::views {

namespace {

interop::ReportView::Limits limitsFor(const AxisLimits& limits) {
    return {limits.from, limits.to};
}

/// Empty for an axis that a report does not have.
std::string axisName(const RunAxis& axis) {
    using enum RunAxis::Kind;
    if (axis.kind == Training) return "seconds";
    const bool isMissing = axis.kind == Wall || axis.kind == Number || axis.kind == Metric;
    return isMissing ? std::string() : axis.id().toStdString();
}

}  // namespace

interop::ReportView CompareChart::reportView() const {
    interop::ReportView view;
    view.metric = shownMetric();
    view.axis = axisName(shownAxis());
    if (view.axis.empty()) {
        view.axis = "step";
        view.notes.push_back(QStringLiteral("In the studio the x axis was %1, which a report does not have.")
                                 .arg(shownAxis().title(engine_))
                                 .toStdString());
    } else {
        view.xLimits = limitsFor(chart_->keyLimits());
    }
    view.x = kScaleIds[static_cast<std::size_t>(chart_->keyScale())];
    view.y = kScaleIds[static_cast<std::size_t>(chart_->valueScale())];
    view.yLimits = limitsFor(chart_->valueLimits());
    if (chart_->ignoresOutliers())
        view.notes.push_back("In the studio y was fitted to the 1 % to 99 % quantiles.");
    const series::Smoothing how = smoothing();
    view.strength = how.strength;
    view.smoothing = !how.isOn() ? "none" : how.kind == series::Smoothing::Kind::Median ? "median" : "ema";
    for (const QString& id : hiddenHere()) view.hidden.push_back(id.toStdString());
    view.range = band_->currentData().toInt() == static_cast<int>(series::BandKind::Range);
    QString by = group_->currentText();
    if (secondBox_->isVisibleTo(this) && !second_->currentData().toString().isEmpty())
        by += QStringLiteral(" and ") + second_->currentText();
    view.groupedBy = by.toStdString();
    for (const auto& group : grouping_.groups()) {
        std::vector<std::string> ids;
        for (const std::size_t member : group.members) ids.push_back(runs_[member].id.toStdString());
        view.groups.push_back({group.title.toStdString(), std::move(ids)});
    }
    return view;
}

}  // namespace kurve::views
