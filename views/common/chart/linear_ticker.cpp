#include "views/common/chart/linear_ticker.h"

#include <algorithm>
#include <cmath>

namespace kurve::views {

double lengthToCome(const QCPAxis& axis) {
    const QCPAxisRect* rect = axis.axisRect();
    const bool own = rect == axis.parentPlot()->axisRect();
    const QRect outer = own ? axis.parentPlot()->viewport() : rect->outerRect();
    const QSize inner = outer.marginsRemoved(rect->margins()).size();
    return axis.orientation() == Qt::Vertical ? inner.height() : inner.width();
}

double LinearTicker::labelLength(double tick) {
    const QFontMetricsF metrics(axis_.tickLabelFont());
    const double apart = metrics.height() / 2;
    if (axis_.orientation() == Qt::Vertical) return metrics.height() + apart / 2;
    const QString format = axis_.numberFormat();
    const QString label =
        getTickLabel(tick, axis_.parentPlot()->locale(), format.isEmpty() ? QLatin1Char('g') : format[0],
                     axis_.numberPrecision());
    return metrics.horizontalAdvance(label) + apart;
}

double LinearTicker::getTickStep(const QCPRange& range) {
    const double length = lengthToCome(axis_);
    double step = QCPAxisTicker::getTickStep(range);
    // Labels are not visible before the plot is laid out.
    for (int count = tickCount() - 1; count > 0 && length > 1; --count) {
        const double needed = std::max(labelLength(std::ceil(range.lower / step) * step),
                                       labelLength(std::floor(range.upper / step) * step));
        if (step / range.size() * length >= needed) break;
        step = cleanMantissa(range.size() / count);
    }
    return step;
}

QString LinearTicker::getTickLabel(double tick, const QLocale& locale, QChar format, int precision) {
    QString label = QCPAxisTicker::getTickLabel(tick, locale, format, precision);
    // The axis sets "e-05" as a power of ten by itself: only the sign in front is a minus to be set.
    if (label.startsWith(QLatin1Char('-'))) label[0] = QChar(0x2212);
    return label;
}

}  // namespace kurve::views
