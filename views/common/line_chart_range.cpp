// What the axes of a LineChart show by themselves: all data, limits that were set by hand, with or without
// the outliers; and how many points lie beyond.
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/series/middle_range.h"
#include "views/common/axis_signs.h"
#include "views/common/format.h"
#include "views/common/line_chart.h"
#include "views/common/qcustomplot.h"

namespace kurve::views {

namespace {

constexpr double kMargin = 0.06;  ///< above and below of the values, as a share of them

/// Of a value: what differs by less is a float's rounding, and one value.
constexpr double kRounding = 4.0 * std::numeric_limits<float>::epsilon();

using Places = ChartCurve::Places;

void widen(std::optional<Places>& range, const std::optional<Places>& more) {
    if (!more) return;
    range =
        range ? Places(std::min(range->first, more->first), std::max(range->second, more->second)) : *more;
}

/// A limit that this scale can show.
std::optional<double> placeOf(std::optional<double> limit, const AxisScale& scale) {
    if (!limit || (scale.isLog() && *limit <= 0)) return std::nullopt;
    return scale.toPlace(*limit);
}

/// The range with the ends that were set by hand. Where all data lie beyond such an end, the other one gives
/// way by as much as the data are long.
QCPRange limited(QCPRange range, const AxisLimits& limits, const AxisScale& scale) {
    const auto from = placeOf(limits.from, scale), to = placeOf(limits.to, scale);
    const double length = range.size() > 0 ? range.size() : 1, ratio = scale.isLog() ? 10 : 0;
    if (from) range.lower = *from;
    if (to) range.upper = *to;
    if (range.lower < range.upper) return range;
    if (!to) range.upper = ratio > 0 ? range.lower * ratio : range.lower + length;
    if (!from && to) range.lower = ratio > 0 ? range.upper / ratio : range.upper - length;
    return range;
}

}  // namespace

void LineChart::fit() {
    following_ = true;
    valuesHeld_ = false;
    showButtons(underMouse());
    touch();
}

void LineChart::setKeyRange(double low, double high) {
    following_ = false;
    plot_->xAxis->setRange(scales_.keys.toPlace(low), scales_.keys.toPlace(high));
    showButtons(underMouse());
    queueReplot();
}

bool LineChart::areDates() const {
    return !plot_->xAxis->ticker().dynamicCast<QCPAxisTickerDateTime>().isNull();
}

void LineChart::followData() {
    if (!following_) return;
    std::optional<Places> all;
    for (const auto& [id, curve] : curves_) widen(all, curve->keyPlaces());
    if (!all) return;
    QCPRange keys(all->first, all->second);
    if (keys.size() <= 0)  // one point: from zero to it
        keys = keys.lower > 0 && !scales_.keys.isLog() ? QCPRange(0, keys.upper * 1.05)
                                                       : QCPRange(keys.lower - 0.5, keys.upper + 0.5);
    plot_->xAxis->setRange(limited(keys, keyLimits_, scales_.keys));
    if (!valuesHeld_) fitValues();
}

/// Of what lies in sight where x was limited or outliers are left out, else of all.
std::optional<Places> LineChart::valuesOfData() const {
    const QCPRange keys = plot_->xAxis->range();
    const Places within(keys.lower, keys.upper);
    std::optional<Places> found;
    if (ignoresOutliers_) {
        std::vector<std::span<const double>> all;
        for (const auto& [id, curve] : curves_) curve->addValuePlaces(within, all);
        found =
            series::middleRange(all, scales_.values.isLog() ? series::Values::Positive : series::Values::All);
    } else {
        const bool part = keyLimits_.any() || !following_;
        for (const auto& [id, curve] : curves_) widen(found, curve->valuePlaces(part ? &within : nullptr));
    }
    for (const auto& [id, reference] : references_)
        if (found && (!scales_.values.isLog() || reference.y > 0)) {
            const double at = scales_.values.toPlace(reference.y);
            widen(found, Places(at, at));
        }
    return found;
}

void LineChart::fitValues() {
    const auto found = valuesOfData();
    if (!found) return;
    plot_->yAxis->setRange(limited(withMargins(found->first, found->second), valueLimits_, scales_.values));
}

QCPRange LineChart::withMargins(double low, double high) const {
    if (scales_.values.isLog()) {
        const double ratio = std::max(std::pow(high / low, kMargin), 1.05);
        return {low / ratio, high * ratio};
    }
    const bool several = high - low > kRounding * std::max(std::abs(low), std::abs(high));
    const double margin = several ? (high - low) * kMargin : std::max(std::abs(high) * 0.1, 0.5);
    return {low - margin, high + margin};
}

// Before every picture: what it leaves out is told in it.
void LineChart::countOutside() {
    const QCPRange keys = plot_->xAxis->range(), values = plot_->yAxis->range();
    Outside sum;
    for (const auto& [id, curve] : curves_) {
        const Outside one = curve->outside({keys.lower, keys.upper}, {values.lower, values.upper});
        sum.above += one.above;
        sum.below += one.below;
        if (!keyLimits_.any()) continue;
        sum.left += one.left;
        sum.right += one.right;
    }
    const auto held = [](std::optional<double> limit, const AxisScale& scale) {
        return placeOf(limit, scale).has_value();
    };
    signs_->set({held(keyLimits_.from, scales_.keys), held(keyLimits_.to, scales_.keys),
                 held(valueLimits_.from, scales_.values), held(valueLimits_.to, scales_.values)},
                sum);
    signs_->setVisible(plot_->axisRect()->visible());
}

QString LineChart::outsideText() const {
    const Outside& out = signs_->outside();
    QStringList parts;
    const auto add = [&](std::size_t count, const QString& where) {
        if (count > 0) parts << tr("%1 %2").arg(countText(static_cast<qint64>(count)), where);
    };
    add(out.above, tr("above"));
    add(out.below, tr("below"));
    add(out.left, tr("before"));
    add(out.right, tr("after"));
    return parts.isEmpty() ? QString() : tr("Points out of sight: %1").arg(parts.join(QStringLiteral(", ")));
}

}  // namespace kurve::views
