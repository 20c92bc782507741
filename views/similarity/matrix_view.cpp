#include "views/similarity/matrix_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/similarity/similarity_overview.h"

namespace kurve::views {

namespace {
constexpr double kLabelWidth = 70, kBarWidth = 56, kMargin = 6;
}

MatrixView::MatrixView(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("similarity.matrix"));
    setAccessibleName(tr("Similarity matrix"));
    setMouseTracking(true);
    setMinimumSize(px(200), px(90));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    // At once: a figure in print style does not wait for the panel's worker.
    connect(themeNotifier(), &ThemeNotifier::changed, this, &MatrixView::repaintImage);
}

void MatrixView::show(Content content) {
    const bool resized = content.a.n != content_.a.n;
    content_ = std::move(content);
    if (resized) {
        first_ = firstColumn_ = 0;
        count_ = content_.a.n;
        chosen_ = hovered_ = {-1, -1};
    }
    repaintImage();
}

void MatrixView::setFlicker(bool on) {
    flicker_ = on;
    repaintImage();
}

bool MatrixView::showsB() const {
    return (content_.mode == MatrixMode::B) != flicker_ && content_.b.n == content_.a.n;
}

float MatrixView::shownValue(int row, int column) const {
    const bool both = content_.b.n == content_.a.n;
    const bool single = content_.mode == MatrixMode::A || content_.mode == MatrixMode::B || !both || flicker_;
    if (single) return showsB() ? content_.b.at(row, column) : content_.a.at(row, column);
    if (content_.mode == MatrixMode::SplitTriangle)
        return row <= column ? content_.a.at(row, column) : content_.b.at(row, column);
    return content_.a.at(row, column) - content_.b.at(row, column);
}

std::vector<ViewTable> MatrixView::tables() const {
    const bool both = content_.b.n == content_.a.n;
    const QString title =
        content_.measure.isEmpty() ? accessibleName() : tr("%1: %2").arg(accessibleName(), content_.measure);
    ViewTable table{title, {"row", "row_name", "column", "column_name", "a"}, {}};
    if (both)
        table.columns << "b"
                      << "difference";
    for (int row = 0; row < content_.a.n; ++row)
        for (int column = 0; column < content_.a.n; ++column) {
            const double a = content_.a.at(row, column);
            table.rows.push_back({static_cast<double>(row), content_.labels.value(row),
                                  static_cast<double>(column), content_.labels.value(column), a});
            if (!both) continue;
            const double b = content_.b.at(row, column);
            table.rows.back().insert(table.rows.back().end(), {b, a - b});
        }
    return {table};
}

double MatrixView::shownScale() const {
    return content_.mode == MatrixMode::Difference && !flicker_ ? content_.differenceScale : content_.scale;
}

void MatrixView::repaintImage() {
    metrics::SimilarityMatrix shown{content_.a.n, std::vector<float>(content_.a.values.size())};
    for (int row = 0; row < shown.n; ++row)
        for (int column = 0; column < shown.n; ++column)
            shown.values[static_cast<std::size_t>(row) * static_cast<std::size_t>(shown.n) +
                         static_cast<std::size_t>(column)] =
                row == column && content_.muteDiagonal ? NAN : shownValue(row, column);
    image_ = paintMatrix(shown, matrixColors(shownScale()));
    update();
}

double MatrixView::labelRoom(int extent) {
    return std::clamp<double>(0.28 * extent, px(34), px(kLabelWidth));
}

QRectF MatrixView::square() const {
    const double left = labelRoom(width()), top = labelRoom(height());
    const double side =
        std::max(1.0, std::min(width() - left - px(kBarWidth) - px(kMargin), height() - top - px(kMargin)));
    return {left, top, side, side};
}

QPoint MatrixView::cellAt(const QPointF& pixel) const {
    const QRectF place = square();
    if (content_.a.n == 0 || !place.contains(pixel)) return {-1, -1};
    const int column = static_cast<int>(firstColumn_ + (pixel.x() - place.left()) / place.width() * count_);
    const int row = static_cast<int>(first_ + (pixel.y() - place.top()) / place.height() * count_);
    return {std::clamp(column, 0, content_.a.n - 1), std::clamp(row, 0, content_.a.n - 1)};
}

void MatrixView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    if (content_.a.n == 0) return;
    const QRectF place = square();
    painter.drawImage(place, image_, QRectF(firstColumn_, first_, count_, count_));
    painter.setPen(theme().border);
    painter.drawRect(place);
    drawLabels(painter, place);
    drawBar(painter, place);
    if (chosen_.x() >= 0) drawCross(painter, place, chosen_, theme().accent);
    if (hovered_.x() >= 0) drawCross(painter, place, hovered_, theme().text);
}

void MatrixView::drawLabels(QPainter& painter, const QRectF& place) const {
    const double cell = place.height() / count_;
    painter.setFont(smallFont());
    const QFontMetrics metrics(painter.font());
    const int each = std::max(1, static_cast<int>(std::ceil(metrics.height() / cell)));
    const auto text = [&](int i, double room) {
        const int most = static_cast<int>(room) - px(16);
        const QString name = metrics.elidedText(content_.labels.value(i), Qt::ElideRight, most);
        const bool dot = static_cast<std::size_t>(i) < content_.marked.size() &&
                         content_.marked[static_cast<std::size_t>(i)];
        return dot ? name + QStringLiteral(" •") : name;
    };
    for (int i = 0; i < content_.a.n; ++i) {
        const double row = place.top() + (i + 0.5 - first_) * cell,
                     column = place.left() + (i + 0.5 - firstColumn_) * cell;
        const bool pointed = i == hovered_.x() || i == hovered_.y();
        if (i % each != 0 && !pointed) continue;
        painter.setPen(i == hovered_.y() ? theme().text : theme().muted);
        if (row >= place.top() && row <= place.bottom() && (i % each == 0 || i == hovered_.y()))
            painter.drawText(QRectF(0, row - metrics.height() / 2.0, place.left() - px(5), metrics.height()),
                             Qt::AlignRight | Qt::AlignVCenter, text(i, place.left()));
        if (column < place.left() || column > place.right() || (i % each != 0 && i != hovered_.x())) continue;
        painter.setPen(i == hovered_.x() ? theme().text : theme().muted);
        painter.save();
        painter.translate(column, place.top() - px(5));
        painter.rotate(-90);
        painter.drawText(QRectF(0, -metrics.height() / 2.0, place.top(), metrics.height()),
                         Qt::AlignLeft | Qt::AlignVCenter, text(i, place.top()));
        painter.restore();
    }
}

void MatrixView::drawBar(QPainter& painter, const QRectF& place) const {
    const QRectF bar(place.right() + px(10), place.top(), px(10), std::min<double>(place.height(), px(160)));
    const MatrixColors colors = matrixColors(shownScale());
    const int lines = static_cast<int>(bar.height());
    for (int y = 0; y < lines; ++y) {
        const double value = shownScale() * (1 - 2.0 * y / (lines - 1));
        painter.setPen(QColor(colors.of(static_cast<float>(value))));
        painter.drawLine(QPointF(bar.left(), bar.top() + y), QPointF(bar.right(), bar.top() + y));
    }
    painter.setPen(theme().border);
    painter.drawRect(bar);
    painter.setPen(theme().muted);
    painter.setFont(smallFont());
    const int height = QFontMetrics(painter.font()).height();
    for (const double part : {1.0, 0.0, -1.0}) {
        const double y = bar.top() + (1 - part) / 2 * bar.height();
        painter.drawText(QRectF(bar.right() + px(4), y - height / 2.0, px(kBarWidth), height),
                         Qt::AlignVCenter, numberText(part * shownScale(), 2));
    }
}

void MatrixView::drawCross(QPainter& painter, const QRectF& place, QPoint cell, const QColor& color) const {
    const double size = place.width() / count_;
    const QRectF box(place.left() + (cell.x() - firstColumn_) * size,
                     place.top() + (cell.y() - first_) * size, size, size);
    if (!place.intersects(box)) return;
    painter.setClipRect(place.adjusted(-1, -1, 1, 1));
    QColor faint = color;
    faint.setAlphaF(0.35F);
    painter.setPen(QPen(faint, 1));
    painter.drawLine(QPointF(place.left(), box.center().y()), QPointF(place.right(), box.center().y()));
    painter.drawLine(QPointF(box.center().x(), place.top()), QPointF(box.center().x(), place.bottom()));
    painter.setPen(QPen(color, px(1.5)));
    painter.drawRect(box);
    painter.setClipping(false);
}

void MatrixView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint cell = cellAt(event->position());
    if (cell == hovered_) return;
    hovered_ = cell;
    update();
    Q_EMIT cellHovered(cell.y(), cell.x());
}

void MatrixView::mousePressEvent(QMouseEvent* event) {
    const QPoint cell = cellAt(event->position());
    if (cell.x() >= 0 && event->button() == Qt::LeftButton) choose(cell);
}

void MatrixView::choose(QPoint cell) {
    chosen_ = cell;
    update();
    Q_EMIT cellChosen(cell.y(), cell.x());
}

void MatrixView::mouseDoubleClickEvent(QMouseEvent* /*event*/) {
    first_ = firstColumn_ = 0;
    count_ = content_.a.n;
    update();
}

void MatrixView::wheelEvent(QWheelEvent* event) {
    const QRectF place = square();
    if (content_.a.n == 0 || !place.contains(event->position())) return QWidget::wheelEvent(event);
    const double x = (event->position().x() - place.left()) / place.width();
    const double y = (event->position().y() - place.top()) / place.height();
    const double column = firstColumn_ + x * count_, row = first_ + y * count_;
    count_ = std::clamp(count_ * std::pow(0.85, event->angleDelta().y() / 120.0),
                        std::min(4.0, double(content_.a.n)), static_cast<double>(content_.a.n));
    firstColumn_ = std::clamp(column - x * count_, 0.0, content_.a.n - count_);
    first_ = std::clamp(row - y * count_, 0.0, content_.a.n - count_);
    update();
    event->accept();
}

void MatrixView::leaveEvent(QEvent* /*event*/) {
    hovered_ = {-1, -1};
    update();
    Q_EMIT cellHovered(-1, -1);
}

}  // namespace kurve::views
