#include "views/compare/value_points.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr double kMinRow = 22, kMaxRow = 40, kAxis = 26, kHead = 24;

/// A round distance between ticks, so that there are about `count`.
double tickStep(double span, double count) {
    const double raw = span / count, unit = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * unit >= raw) return factor * unit;
    return 10 * unit;
}

}  // namespace

ValuePoints::ValuePoints(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("compare.points"));
    setAccessibleName(QStringLiteral("Values of the runs or groups"));
}

void ValuePoints::setRows(const QString& title, const QString& barTitle, std::vector<Row> rows) {
    title_ = title;
    barTitle_ = barTitle;
    rows_ = std::move(rows);
    low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
    QStringList texts;
    for (const Row& row : rows_) {
        for (const double value : {row.statistics.min, row.statistics.max, row.low, row.high})
            if (std::isfinite(value)) low_ = std::min(low_, value), high_ = std::max(high_, value);
        texts << QStringLiteral("%1: %2").arg(row.label, textOf(row));
    }
    if (low_ > high_) low_ = 0, high_ = 1;
    const double margin = high_ > low_ ? 0.05 * (high_ - low_) : std::max(std::abs(low_), 1.0) / 10;
    low_ -= margin, high_ += margin;
    setAccessibleDescription(texts.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QSize ValuePoints::sizeHint() const {
    return {px(420), px(kHead + kAxis + kMaxRow * 0.75 * static_cast<double>(rows_.size()))};
}

QSize ValuePoints::minimumSizeHint() const {
    return {px(260), px(kHead + kAxis + kMinRow * static_cast<double>(rows_.size()))};
}

QString ValuePoints::textOf(const Row& row) const {
    if (row.statistics.n == 0) return QStringLiteral("–");
    if (row.members.empty()) return numberText(row.statistics.mean);
    const QString half =
        row.statistics.n > 1 ? QStringLiteral(" ± ") + numberText(row.statistics.half, 2) : QString();
    return QStringLiteral("%1%2 (n %3)").arg(numberText(row.statistics.mean), half).arg(row.statistics.n);
}

int ValuePoints::labelWidth() const {
    int width = 0;
    for (const Row& row : rows_) width = std::max(width, fontMetrics().horizontalAdvance(row.label));
    return std::min(width + px(16), 2 * this->width() / 5);
}

int ValuePoints::textWidth() const {
    int width = 0;
    const QFontMetrics metrics(monoFont());
    for (const Row& row : rows_) width = std::max(width, metrics.horizontalAdvance(textOf(row)));
    return width + px(20);
}

double ValuePoints::xOf(double value) const {
    const double left = labelWidth(), right = width() - textWidth();
    return left + (value - low_) / (high_ - low_) * std::max(right - left, 1.0);
}

double ValuePoints::rowHeight() const {
    const double available = height() - px(kHead) - px(kAxis);
    const double each = available / std::max<double>(1, static_cast<double>(rows_.size()));
    return std::clamp<double>(each, px(kMinRow), px(kMaxRow));
}

double ValuePoints::middleOf(std::size_t row) const {
    return px(kHead) + (static_cast<double>(row) + 0.5) * rowHeight();
}

const ValuePoints::Row* ValuePoints::rowAt(const QPoint& pixel) const {
    const double at = (pixel.y() - px(kHead)) / rowHeight();
    return at >= 0 && at < static_cast<double>(rows_.size()) ? &rows_[static_cast<std::size_t>(at)] : nullptr;
}

void ValuePoints::drawAxis(QPainter& painter) const {
    const double bottom = px(kHead) + rowHeight() * static_cast<double>(rows_.size());
    painter.setFont(strongFont());
    painter.setPen(theme().text);
    painter.drawText(QRectF(px(4), 0, width() - px(8), px(kHead)), Qt::AlignVCenter | Qt::AlignLeft,
                     barTitle_.isEmpty() ? title_ : QStringLiteral("%1   (bar: %2)").arg(title_, barTitle_));
    painter.setFont(smallFont());
    const double length = xOf(high_) - xOf(low_);
    const double step = tickStep(high_ - low_, std::max(2.0, length / px(90)));
    for (double tick = std::ceil(low_ / step) * step; tick <= high_; tick += step) {
        const double value = std::abs(tick) < 1e-9 * step ? 0 : tick, x = xOf(value);
        painter.setPen(theme().grid);
        painter.drawLine(QPointF(x, px(kHead)), QPointF(x, bottom));
        painter.setPen(theme().muted);
        painter.drawText(QRectF(x - px(50), bottom, px(100), px(kAxis)), Qt::AlignCenter, numberText(value));
    }
}

void ValuePoints::drawRow(QPainter& painter, std::size_t index) const {
    const Row& row = rows_[index];
    const double y = middleOf(index), half = rowHeight() / 2;
    painter.setFont(font());
    painter.setPen(theme().text);
    const QRectF label(px(4), y - half, labelWidth() - px(12), 2 * half);
    painter.drawText(label, Qt::AlignVCenter | Qt::AlignLeft,
                     fontMetrics().elidedText(row.label, Qt::ElideMiddle, static_cast<int>(label.width())));
    painter.setFont(monoFont());
    painter.drawText(QRectF(width() - textWidth() + px(12), y - half, textWidth() - px(12), 2 * half),
                     Qt::AlignVCenter | Qt::AlignLeft, textOf(row));
    if (row.statistics.n == 0) return;
    painter.setPen(row.style.pen(2.2 * theme().scale));
    if (std::isfinite(row.low)) {
        const double left = xOf(row.low), right = xOf(row.high), cap = px(5);
        painter.drawLine(QPointF(left, y), QPointF(right, y));
        painter.setPen(QPen(row.style.color, 2.2 * theme().scale));
        for (const double x : {left, right}) painter.drawLine(QPointF(x, y - cap), QPointF(x, y + cap));
    }
    painter.setPen(QPen(theme().text, theme().scale));
    painter.setBrush(Qt::NoBrush);
    for (const auto& [name, value] : row.members) painter.drawEllipse(QPointF(xOf(value), y), px(3), px(3));
}

void ValuePoints::paintEvent(QPaintEvent*) {
    QCPPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme().surface);
    drawAxis(painter);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        drawRow(painter, i);
        if (rows_[i].statistics.n == 0) continue;
        QCPScatterStyle marker = runMarker(rows_[i].style, 9 * theme().scale);
        marker.applyTo(&painter, QPen(rows_[i].style.color));
        marker.drawShape(&painter, xOf(rows_[i].statistics.mean), middleOf(i));
    }
}

void ValuePoints::mousePressEvent(QMouseEvent* event) {
    const Row* row = rowAt(event->pos());
    if (event->button() == Qt::LeftButton && row) Q_EMIT rowClicked(row->id);
    QWidget::mousePressEvent(event);
}

bool ValuePoints::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Row* row = rowAt(help->pos());
    QStringList lines;
    if (row) {
        lines << QStringLiteral("%1: %2").arg(row->label, textOf(*row));
        if (row->statistics.n > 1)
            lines << QStringLiteral("lowest %1, highest %2")
                         .arg(numberText(row->statistics.min, 6), numberText(row->statistics.max, 6));
        for (const auto& [name, value] : row->members)
            lines << QStringLiteral("%1 %2").arg(name, numberText(value, 6));
    }
    QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')), this);
    return true;
}

std::vector<ViewTable> ValuePoints::tables() const {
    ViewTable table{title_, {"row", "mean", "± (95 %)", "n", "lowest", "highest"}, {}};
    for (const Row& row : rows_) {
        std::vector<ViewTable::Cell> cells{row.label};
        for (const double number : {row.statistics.mean, row.statistics.half, double(row.statistics.n),
                                    row.statistics.min, row.statistics.max})
            cells.push_back(std::isnan(number) ? ViewTable::Cell(QString()) : ViewTable::Cell(number));
        table.rows.push_back(std::move(cells));
    }
    return {table};
}

}  // namespace kurve::views
