#include "views/common/chart/chart_ranges.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/series/percentile_range.h"
#include "views/common/chart/axis_glyphs.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr double kMargin = 0.06;  ///< above and below the values, as a fraction of their range

/// Relative: smaller differences are float rounding.
constexpr double kRounding = 4.0 * std::numeric_limits<float>::epsilon();

using Range = ChartCurve::Range;

void widen(std::optional<Range>& range, const std::optional<Range>& more) {
    if (!more) return;
    range = range ? Range(std::min(range->first, more->first), std::max(range->second, more->second)) : *more;
}

/// The coordinate of a limit, if this scale can show it.
std::optional<double> coordOf(std::optional<double> limit, const AxisScale& scale) {
    if (!limit || (scale.isLog() && *limit <= 0)) return std::nullopt;
    return scale.toCoord(*limit);
}

/// The range with the user-set ends. If all data are beyond such an end, the other one is moved by the length
/// of the data.
QCPRange limited(QCPRange range, const AxisLimits& limits, const AxisScale& scale) {
    const auto from = coordOf(limits.from, scale), to = coordOf(limits.to, scale);
    const double length = range.size() > 0 ? range.size() : 1, ratio = scale.isLog() ? 10 : 0;
    if (from) range.lower = *from;
    if (to) range.upper = *to;
    if (range.lower < range.upper) return range;
    if (!to) range.upper = ratio > 0 ? range.lower * ratio : range.lower + length;
    if (!from && to) range.lower = ratio > 0 ? range.upper / ratio : range.upper - length;
    return range;
}

}  // namespace

ChartRanges::ChartRanges(QCustomPlot& plot, const ChartScales& scales, const Curves& curves)
    : plot_(plot), scales_(scales), curves_(curves), glyphs_(new AxisGlyphs(&plot)) {}

bool ChartRanges::fitKeys() {
    std::optional<Range> all;
    for (const auto& [id, curve] : curves_) widen(all, curve->keyRange());
    if (!all) return false;
    QCPRange keys(all->first, all->second);
    const bool dates = !plot_.xAxis->ticker().dynamicCast<QCPAxisTickerDateTime>().isNull();
    if (keys.size() <= 0)  // one point: from zero to it, or a minute about a date
        keys = dates                                     ? QCPRange(keys.lower - 30, keys.upper + 30)
               : keys.lower > 0 && !scales_.keys.isLog() ? QCPRange(0, keys.upper * 1.05)
                                                         : QCPRange(keys.lower - 0.5, keys.upper + 0.5);
    plot_.xAxis->setRange(limited(keys, keyLimits, scales_.keys));
    return true;
}

std::optional<Range> ChartRanges::valuesOfData(bool part) const {
    const QCPRange keys = plot_.xAxis->range();
    const Range within(keys.lower, keys.upper);
    std::optional<Range> found;
    if (ignoresOutliers) {
        std::vector<std::span<const double>> all;
        for (const auto& [id, curve] : curves_) curve->addValues(within, all);
        found = series::percentileRange(
            all, scales_.values.isLog() ? series::Values::Positive : series::Values::All);
    } else {
        const Range* only = part || keyLimits.any() ? &within : nullptr;
        for (const auto& [id, curve] : curves_) widen(found, curve->valueRange(only));
    }
    return found;
}

void ChartRanges::fitValues(bool part, std::span<const double> references) {
    auto found = valuesOfData(part);
    if (!found) return;
    for (const double reference : references)
        if (!scales_.values.isLog() || reference > 0) {
            const double at = scales_.values.toCoord(reference);
            widen(found, Range(at, at));
        }
    plot_.yAxis->setRange(limited(withMargins(found->first, found->second), valueLimits, scales_.values));
}

QCPRange ChartRanges::withMargins(double low, double high) const {
    if (scales_.values.isLog()) {
        const double ratio = std::max(std::pow(high / low, kMargin), 1.05);
        return {low / ratio, high * ratio};
    }
    const bool several = high - low > kRounding * std::max(std::abs(low), std::abs(high));
    const double margin = several ? (high - low) * kMargin : std::max(std::abs(high) * 0.1, 0.5);
    return {low - margin, high + margin};
}

void ChartRanges::countOutside() {
    const QCPRange keys = plot_.xAxis->range(), values = plot_.yAxis->range();
    Outside sum;
    for (const auto& [id, curve] : curves_) {
        const Outside one = curve->outside({keys.lower, keys.upper}, {values.lower, values.upper});
        sum.above += one.above;
        sum.below += one.below;
        if (!keyLimits.any()) continue;
        sum.left += one.left;
        sum.right += one.right;
    }
    const auto locked = [](std::optional<double> limit, const AxisScale& scale) {
        return coordOf(limit, scale).has_value();
    };
    glyphs_->set({locked(keyLimits.from, scales_.keys), locked(keyLimits.to, scales_.keys),
                  locked(valueLimits.from, scales_.values), locked(valueLimits.to, scales_.values)},
                 sum);
    glyphs_->setVisible(plot_.axisRect()->visible());
}

QString ChartRanges::outsideText() const {
    const Outside& out = glyphs_->outside();
    QStringList parts;
    const auto add = [&](std::size_t count, const QString& where) {
        if (count > 0) parts << QObject::tr("%1 %2").arg(countText(static_cast<qint64>(count)), where);
    };
    add(out.above, QObject::tr("above"));
    add(out.below, QObject::tr("below"));
    add(out.left, QObject::tr("before"));
    add(out.right, QObject::tr("after"));
    return parts.isEmpty()
               ? QString()
               : QObject::tr("Points outside the range: %1").arg(parts.join(QStringLiteral(", ")));
}

}  // namespace kurve::views
