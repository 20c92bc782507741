#include "views/states/heat_strip.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/common/text/distinguishing_label.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {
constexpr double kTitle = 92, kHead = 20, kFoot = 18, kMaxRow = 26;
constexpr double kMaxTitles = 0.25;  ///< of the width
}  // namespace

HeatStrip::HeatStrip(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("similarity.strip"));
    setMinimumHeight(px(70));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void HeatStrip::show(const QString& title, std::vector<Row> rows) {
    title_ = title;
    rows_ = std::move(rows);
    setAccessibleName(tr("%1, heat map").arg(title));
    update();
}

void HeatStrip::setPlayhead(int step) {
    step_ = step;
    update();
}

QSize HeatStrip::minimumSizeHint() const {
    return {px(180), px(70)};
}

int HeatStrip::steps() const {
    std::size_t most = 0;
    for (const Row& row : rows_) most = std::max(most, row.values.size());
    return static_cast<int>(most);
}

std::pair<double, double> HeatStrip::range() const {
    double low = INFINITY, high = -INFINITY;
    for (const Row& row : rows_)
        for (const double value : row.values)
            if (std::isfinite(value)) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
    return low > high ? std::pair(0.0, 0.0) : std::pair(low, high);
}

QRectF HeatStrip::area() const {
    double titles = px(kTitle);  // more of them in a wide view
    for (const Row& row : rows_)
        titles = std::max(
            titles, std::min(kMaxTitles * width(), QFontMetrics(smallFont()).horizontalAdvance(row.title) +
                                                       static_cast<double>(px(12))));
    const double left = std::min<double>(titles, 0.4 * width());
    const double height = std::min<double>(this->height() - px(kHead) - px(kFoot),
                                           px(kMaxRow) * static_cast<double>(rows_.size()));
    return {left, static_cast<double>(px(kHead)), std::max(1.0, width() - left - px(4)),
            std::max(1.0, height)};
}

QPoint HeatStrip::cellAt(const QPoint& pixel) const {
    const QRectF cells = area();
    if (rows_.empty() || steps() == 0 || !cells.contains(pixel)) return {-1, -1};
    const auto row = static_cast<std::size_t>((pixel.y() - cells.top()) / cells.height() *
                                              static_cast<double>(rows_.size()));
    return {std::min(steps() - 1, static_cast<int>((pixel.x() - cells.left()) / cells.width() * steps())),
            static_cast<int>(std::min(row, rows_.size() - 1))};
}

void HeatStrip::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setFont(smallFont());
    const QFontMetrics metrics(painter.font());
    const QRectF cells = area();
    const auto [low, high] = range();
    painter.setPen(theme().text);
    painter.drawText(QRectF(0, 0, width(), px(kHead)), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(title_, Qt::ElideRight, width()));
    const double w = cells.width() / std::max(1, steps()),
                 h = cells.height() / std::max<double>(1, static_cast<double>(rows_.size()));
    QStringList titles;
    for (const Row& row : rows_) titles << row.title;
    const int available = static_cast<int>(cells.left()) - px(6);
    const auto measure = [&](const QString& text) { return metrics.horizontalAdvance(text); };
    // Rows that are lower than a line of text share the titles: every second, every third …
    const auto named =
        static_cast<std::size_t>(std::max(1.0, std::ceil(0.8 * metrics.height() / std::max(h, 1.0))));
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const double top = cells.top() + h * static_cast<double>(row);
        painter.setPen(theme().muted);
        if (row % named == 0)
            painter.drawText(QRectF(0, top, cells.left() - px(4), std::max<double>(h, metrics.height())),
                             Qt::AlignRight | Qt::AlignVCenter,
                             distinguishingLabel(rows_[row].title, titles, available, measure));
        for (std::size_t step = 0; step < rows_[row].values.size(); ++step) {
            const double value = rows_[row].values[step];
            const QColor color =
                std::isfinite(value)
                    ? theme().ramp(high > low ? 0.08 + 0.92 * (value - low) / (high - low) : 0.5)
                    : theme().grid;
            painter.fillRect(QRectF(cells.left() + w * static_cast<double>(step), top, w + 0.5, h - 1),
                             color);
        }
    }
    painter.setPen(QPen(theme().text, px(1.5)));
    if (step_ < steps())
        painter.drawRect(QRectF(cells.left() + w * step_, cells.top() - 1, w, cells.height()));
    painter.setPen(theme().muted);
    if (!rows_.empty())
        painter.drawText(QRectF(0, cells.bottom() + px(2), cells.right(), px(kFoot)),
                         Qt::AlignRight | Qt::AlignTop,
                         tr("light %1 … dark %2").arg(numberText(low, 3), numberText(high, 3)));
}

void HeatStrip::mousePressEvent(QMouseEvent* event) {
    const QPoint cell = cellAt(event->pos());
    if (cell.x() >= 0 && event->button() == Qt::LeftButton) Q_EMIT stepChosen(cell.x());
}

bool HeatStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QPoint cell = cellAt(help->pos());
    if (cell.x() < 0) {
        QToolTip::hideText();
        return true;
    }
    const Row& row = rows_[static_cast<std::size_t>(cell.y())];
    const auto step = static_cast<std::size_t>(cell.x());
    QToolTip::showText(help->globalPos(),
                       tr("%1, step %2: %3")
                           .arg(row.title)
                           .arg(cell.x() + 1)
                           .arg(step < row.values.size() ? numberText(row.values[step], 4) : tr("none")));
    return true;
}

std::vector<ViewTable> HeatStrip::tables() const {
    ViewTable table{title_, {"step"}, {}};
    for (const Row& row : rows_) table.columns << row.title;
    for (int step = 0; step < steps(); ++step) {
        table.rows.push_back({step + 1.0});
        for (const Row& row : rows_)
            table.rows.back().emplace_back(step < static_cast<int>(row.values.size())
                                               ? row.values[static_cast<std::size_t>(step)]
                                               : NAN);
    }
    return {table};
}

}  // namespace kurve::views
