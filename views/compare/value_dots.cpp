#include "views/compare/value_dots.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/common/format.h"
#include "views/common/plot_style.h"
#include "views/common/qcustomplot.h"

namespace kurve::views {

namespace {

constexpr double kLeastRow = 22, kMostRow = 40, kAxis = 26, kHead = 24;

/// A round distance between ticks, so that there are about `count`.
double tickStep(double span, double count) {
    const double raw = span / count, unit = std::pow(10, std::floor(std::log10(raw)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * unit >= raw) return factor * unit;
    return 10 * unit;
}

}  // namespace

ValueDots::ValueDots(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("compare.dots"));
    setAccessibleName(QStringLiteral("Values of the runs or groups"));
}

void ValueDots::setRows(const QString& title, const QString& barTitle, std::vector<Row> rows) {
    title_ = title;
    barTitle_ = barTitle;
    rows_ = std::move(rows);
    low_ = std::numeric_limits<double>::infinity(), high_ = -low_;
    QStringList said;
    for (const Row& row : rows_) {
        for (const double value : {row.facts.least, row.facts.most, row.low, row.high})
            if (std::isfinite(value)) low_ = std::min(low_, value), high_ = std::max(high_, value);
        said << QStringLiteral("%1: %2").arg(row.label, textOf(row));
    }
    if (low_ > high_) low_ = 0, high_ = 1;
    const double margin = high_ > low_ ? 0.05 * (high_ - low_) : std::max(std::abs(low_), 1.0) / 10;
    low_ -= margin, high_ += margin;
    setAccessibleDescription(said.join(QStringLiteral("; ")));
    updateGeometry();
    update();
}

QSize ValueDots::sizeHint() const {
    return {px(420), px(kHead + kAxis + kMostRow * 0.75 * static_cast<double>(rows_.size()))};
}

QSize ValueDots::minimumSizeHint() const {
    return {px(260), px(kHead + kAxis + kLeastRow * static_cast<double>(rows_.size()))};
}

QString ValueDots::textOf(const Row& row) const {
    if (row.facts.n == 0) return QStringLiteral("–");
    if (row.members.empty()) return numberText(row.facts.mean);
    const QString half = row.facts.n > 1 ? QStringLiteral(" ± ") + numberText(row.facts.half, 2) : QString();
    return QStringLiteral("%1%2 (n %3)").arg(numberText(row.facts.mean), half).arg(row.facts.n);
}

int ValueDots::labelWidth() const {
    int width = 0;
    for (const Row& row : rows_) width = std::max(width, fontMetrics().horizontalAdvance(row.label));
    return std::min(width + px(16), 2 * this->width() / 5);
}

int ValueDots::textWidth() const {
    int width = 0;
    const QFontMetrics metrics(monoFont());
    for (const Row& row : rows_) width = std::max(width, metrics.horizontalAdvance(textOf(row)));
    return width + px(20);
}

double ValueDots::placeOf(double value) const {
    const double left = labelWidth(), right = width() - textWidth();
    return left + (value - low_) / (high_ - low_) * std::max(right - left, 1.0);
}

double ValueDots::rowHeight() const {
    const double room = height() - px(kHead) - px(kAxis);
    const double each = room / std::max<double>(1, static_cast<double>(rows_.size()));
    return std::clamp<double>(each, px(kLeastRow), px(kMostRow));
}

double ValueDots::middleOf(std::size_t row) const {
    return px(kHead) + (static_cast<double>(row) + 0.5) * rowHeight();
}

const ValueDots::Row* ValueDots::rowAt(const QPoint& place) const {
    const double at = (place.y() - px(kHead)) / rowHeight();
    return at >= 0 && at < static_cast<double>(rows_.size()) ? &rows_[static_cast<std::size_t>(at)] : nullptr;
}

void ValueDots::drawAxis(QPainter& painter) const {
    const double bottom = px(kHead) + rowHeight() * static_cast<double>(rows_.size());
    painter.setFont(strongFont());
    painter.setPen(theme().text);
    painter.drawText(QRectF(px(4), 0, width() - px(8), px(kHead)), Qt::AlignVCenter | Qt::AlignLeft,
                     barTitle_.isEmpty() ? title_ : QStringLiteral("%1   (bar: %2)").arg(title_, barTitle_));
    painter.setFont(smallFont());
    const double room = placeOf(high_) - placeOf(low_);
    const double step = tickStep(high_ - low_, std::max(2.0, room / px(90)));
    for (double tick = std::ceil(low_ / step) * step; tick <= high_; tick += step) {
        const double value = std::abs(tick) < 1e-9 * step ? 0 : tick, x = placeOf(value);
        painter.setPen(theme().grid);
        painter.drawLine(QPointF(x, px(kHead)), QPointF(x, bottom));
        painter.setPen(theme().muted);
        painter.drawText(QRectF(x - px(50), bottom, px(100), px(kAxis)), Qt::AlignCenter, numberText(value));
    }
}

void ValueDots::drawRow(QPainter& painter, std::size_t index) const {
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
    if (row.facts.n == 0) return;
    painter.setPen(row.style.pen(2.2 * theme().scale));
    if (std::isfinite(row.low)) {
        const double left = placeOf(row.low), right = placeOf(row.high), cap = px(5);
        painter.drawLine(QPointF(left, y), QPointF(right, y));
        painter.setPen(QPen(row.style.color, 2.2 * theme().scale));
        for (const double x : {left, right}) painter.drawLine(QPointF(x, y - cap), QPointF(x, y + cap));
    }
    painter.setPen(QPen(theme().text, theme().scale));
    painter.setBrush(Qt::NoBrush);
    for (const auto& [name, value] : row.members)
        painter.drawEllipse(QPointF(placeOf(value), y), px(3), px(3));
}

void ValueDots::paintEvent(QPaintEvent*) {
    QCPPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme().surface);
    drawAxis(painter);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        drawRow(painter, i);
        if (rows_[i].facts.n == 0) continue;
        QCPScatterStyle marker = runMarker(rows_[i].style, 9 * theme().scale);
        marker.applyTo(&painter, QPen(rows_[i].style.color));
        marker.drawShape(&painter, placeOf(rows_[i].facts.mean), middleOf(i));
    }
}

void ValueDots::mousePressEvent(QMouseEvent* event) {
    const Row* row = rowAt(event->pos());
    if (event->button() == Qt::LeftButton && row) Q_EMIT rowClicked(row->id);
    QWidget::mousePressEvent(event);
}

bool ValueDots::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const Row* row = rowAt(help->pos());
    QStringList lines;
    if (row) {
        lines << QStringLiteral("%1: %2").arg(row->label, textOf(*row));
        if (row->facts.n > 1)
            lines << QStringLiteral("lowest %1, highest %2")
                         .arg(numberText(row->facts.least, 6), numberText(row->facts.most, 6));
        for (const auto& [name, value] : row->members)
            lines << QStringLiteral("%1 %2").arg(name, numberText(value, 6));
    }
    QToolTip::showText(help->globalPos(), lines.join(QLatin1Char('\n')), this);
    return true;
}

std::vector<ViewTable> ValueDots::tables() const {
    ViewTable table{title_, {"row", "mean", "± (95 %)", "n", "lowest", "highest"}, {}};
    for (const Row& row : rows_) {
        std::vector<ViewTable::Cell> cells{row.label};
        for (const double number :
             {row.facts.mean, row.facts.half, double(row.facts.n), row.facts.least, row.facts.most})
            cells.push_back(std::isnan(number) ? ViewTable::Cell(QString()) : ViewTable::Cell(number));
        table.rows.push_back(std::move(cells));
    }
    return {table};
}

}  // namespace kurve::views
