#include "views/common/chart/plot_style.h"

#include "views/common/chart/linear_ticker.h"
#include "views/common/chart/log_ticker.h"
#include "views/common/chart/qcustomplot.h"

#include <algorithm>
#include <typeinfo>

namespace kurve::views {

namespace {

int wantedTicks(const QCPAxis* axis) {
    return axis->orientation() == Qt::Vertical ? 3 : 4;
}

void styleAxis(QCPAxis* axis) {
    const Theme& t = theme();
    axis->setBasePen(QPen(t.border, 1));
    axis->setTickPen(QPen(t.border, 1));
    axis->setSubTickPen(Qt::NoPen);
    axis->setTickLength(0, px(4));
    axis->setTickLabelFont(smallFont());
    axis->setTickLabelColor(t.muted);
    axis->setTickLabelPadding(px(4));
    axis->setLabelFont(smallFont());
    axis->setLabelColor(t.muted);
    axis->setLabelPadding(px(3));
    axis->setSelectedBasePen(axis->basePen());
    axis->setSelectedTickLabelColor(t.text);
    axis->grid()->setPen(QPen(t.grid, 1));
    axis->grid()->setZeroLinePen(QPen(t.grid, 1));
    axis->grid()->setSubGridVisible(false);
    const QCPAxisTicker& ticker = *axis->ticker();
    if (typeid(ticker) == typeid(QCPAxisTicker)) setLinearTicks(axis);
    axis->ticker()->setTickCount(wantedTicks(axis));
}

}  // namespace

void stylePlot(QCustomPlot* plot) {
    // QCustomPlot's own legend is shown nowhere, and an entry for each of 1,000 curves costs half a second.
    plot->setAutoAddPlottableToLegend(false);
    // With it a right click would end in the plot, and no chart or view would offer its menu.
    plot->setAttribute(Qt::WA_NoMousePropagation, false);
    const Theme& t = theme();
    plot->setBackground(QBrush(t.surface));
    plot->setNoAntialiasingOnDrag(true);
    plot->setFont(smallFont());
    for (QCPAxisRect* rect : plot->axisRects()) {
        rect->setMinimumMargins(QMargins(px(8), px(6), px(10), px(4)));
        for (QCPAxis* axis : rect->axes()) styleAxis(axis);
    }
}

void setAxisTitle(QCPAxis* axis, const QString& title, const QString& unit) {
    axis->setLabel(unit.isEmpty() ? title : QStringLiteral("%1 / %2").arg(title, unit));
}

void setLinearTicks(QCPAxis* axis) {
    axis->setTicker(QSharedPointer<LinearTicker>::create(*axis));
    axis->ticker()->setTickCount(wantedTicks(axis));
}

void setAxisLog(QCPAxis* axis, bool on) {
    const QCPAxis::ScaleType wanted = on ? QCPAxis::stLogarithmic : QCPAxis::stLinear;
    const bool isLog = !axis->ticker().dynamicCast<LogTicker>().isNull();
    if (axis->scaleType() == wanted && isLog == on) return;
    axis->setScaleType(wanted);
    axis->setNumberFormat(QStringLiteral("gb"));
    axis->setNumberPrecision(on ? 4 : 6);
    if (!on) return setLinearTicks(axis);
    axis->setTicker(QSharedPointer<LogTicker>::create());
    axis->ticker()->setTickCount(wantedTicks(axis));
    if (axis->range().lower > 0) return;
    const double upper = std::max(axis->range().upper, 1e-6);
    axis->setRange(upper * 1e-4, upper);
}

void paintFocusFrame(QWidget& card) {
    QPainter painter(&card);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().accent, px(2)));
    painter.drawRoundedRect(QRectF(card.rect()).adjusted(1, 1, -1, -1), px(5), px(5));
}

QCPScatterStyle runMarker(const RunStyle& style, double size) {
    static constexpr QCPScatterStyle::ScatterShape kShapes[] = {
        QCPScatterStyle::ssDisc,     QCPScatterStyle::ssSquare, QCPScatterStyle::ssDiamond,
        QCPScatterStyle::ssTriangle, QCPScatterStyle::ssCross,  QCPScatterStyle::ssPlus};
    return {kShapes[style.marker % 6], QPen(style.color, 1.2 * theme().scale), QBrush(style.color),
            size * theme().scale};
}

}  // namespace kurve::views
