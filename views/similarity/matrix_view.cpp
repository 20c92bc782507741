#include "views/similarity/matrix_view.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QWheelEvent>
#include <cmath>
#include <utility>

#include "views/common/form/controls.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"
#include "views/states/similarity_overview.h"

namespace kurve::views {

namespace {
constexpr double kLabelWidth = 70, kBarWidth = 56, kMargin = 6;
constexpr double kClickDistance = 5;  // pixels: a shorter drag is a click
constexpr double kFewestRows = 4;     // in view

/// Of the group names beside the matrix.
double groupWidth() {
    return QFontMetrics(smallFont()).height() + px(6);
}
}  // namespace

MatrixView::MatrixView(QWidget* parent) : QWidget(parent) {
    describe(this, "similarity.matrix", tr("Similarity matrix"));
    setMouseTracking(true);
    setMinimumSize(px(200), px(90));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    // At once, for figures in print style.
    onThemeChange(this, &MatrixView::repaintImage);
}

void MatrixView::show(Content content) {
    const bool resized = content.a.n != content_.a.n || content.a.columns() != content_.a.columns();
    content_ = std::move(content);
    if (resized) {
        first_ = firstColumn_ = 0;
        count_ = longerSide();
        chosen_ = hovered_ = {-1, -1};
    }
    repaintImage();
}

void MatrixView::setFlicker(bool on) {
    if (std::exchange(flicker_, on) == on) return;
    repaintImage();
}

bool MatrixView::showsB() const {
    return (content_.mode == MatrixMode::B) != flicker_ && content_.hasB();
}

float MatrixView::shownValue(int row, int column) const {
    const bool both = content_.hasB();
    const bool single = content_.mode == MatrixMode::A || content_.mode == MatrixMode::B || !both || flicker_;
    if (single) return showsB() ? content_.b.at(row, column) : content_.a.at(row, column);
    if (content_.mode == MatrixMode::SplitTriangle)
        return row <= column ? content_.a.at(row, column) : content_.b.at(row, column);
    return content_.a.at(row, column) - content_.b.at(row, column);
}

std::vector<ViewTable> MatrixView::tables() const {
    const bool both = content_.hasB();
    const QString title =
        content_.measure.isEmpty() ? accessibleName() : tr("%1: %2").arg(accessibleName(), content_.measure);
    ViewTable table{title, {"row", "row_name", "column", "column_name", "a"}, {}};
    if (both)
        table.columns << "b"
                      << "difference";
    if (!content_.groups.empty())
        table.columns << "row_state"
                      << "column_state";
    for (int row = 0; row < content_.a.n; ++row)
        for (int column = 0; column < content_.a.columns(); ++column) {
            const double a = content_.a.at(row, column);
            table.rows.push_back({static_cast<double>(row), content_.labels.value(row),
                                  static_cast<double>(column), content_.columnLabel(column), a});
            auto& cells = table.rows.back();
            if (both) {
                const double b = content_.b.at(row, column);
                cells.insert(cells.end(), {b, a - b});
            }
            if (!content_.groups.empty()) cells.insert(cells.end(), {groupOf(row), groupOf(column)});
        }
    return {table};
}

double MatrixView::shownScale() const {
    return content_.mode == MatrixMode::Difference && !flicker_ ? content_.differenceScale : content_.scale;
}

double MatrixView::shownLowest() const {
    const bool difference = content_.mode == MatrixMode::Difference && content_.hasB() && !flicker_;
    return content_.fractions && !difference ? 0 : -shownScale();
}

void MatrixView::repaintImage() {
    metrics::SimilarityMatrix shown{content_.a.n, std::vector<float>(content_.a.values.size())};
    auto cell = shown.values.begin();
    for (int row = 0; row < shown.n; ++row)
        for (int column = 0; column < shown.columns(); ++column)
            *cell++ = row == column && content_.muteDiagonal ? NAN : shownValue(row, column);
    image_ = levelsOf(shown, shownScale());
    image_.setColorTable(matrixColorTable());
    update();
}

double MatrixView::labelExtent(int extent) {
    return std::clamp<double>(0.28 * extent, px(34), px(kLabelWidth));
}

QRectF MatrixView::area() const {
    const double left = labelExtent(width()), top = labelExtent(height());
    const double groups = isGrouped() ? groupWidth() : 0;  // names of groups
    const double side = std::max(
        1.0, std::min(width() - left - px(kBarWidth) - px(kMargin) - groups, height() - top - px(kMargin)));
    const double cell = side / std::max(1.0, count_);
    return {left, top, cell * columnsShown(), cell * rowsShown()};
}

QString MatrixView::groupOf(int row) const {
    for (const inspect::StateOrder::Group& group : content_.groups)
        if ((row -= group.count) < 0) return QString::fromStdString(group.name);
    return {};
}

/// Lines between the groups, and their names beside the matrix.
void MatrixView::drawGroups(QPainter& painter, const QRectF& area) const {
    const double cell = cellSize();
    painter.setFont(smallFont());
    const QFontMetrics metrics(painter.font());
    double first = 0;
    for (const inspect::StateOrder::Group& group : content_.groups) {
        const double from = first, to = first += group.count;
        const double top = area.top() + (std::max(from, first_) - first_) * cell,
                     bottom = std::min(area.bottom(), area.top() + (to - first_) * cell);
        painter.setPen(QPen(theme().text, px(1)));
        const double row = area.top() + (from - first_) * cell,
                     column = area.left() + (from - firstColumn_) * cell;
        if (from > 0 && row > area.top() && row < area.bottom())
            painter.drawLine(QPointF(area.left(), row), QPointF(area.right(), row));
        if (from > 0 && column > area.left() && column < area.right())
            painter.drawLine(QPointF(column, area.top()), QPointF(column, area.bottom()));
        if (bottom - top < px(3)) continue;
        const double side = area.right() + px(4);
        painter.setPen(QPen(theme().muted, px(1)));
        painter.drawLine(QPointF(side, top + px(1)), QPointF(side, bottom - px(1)));
        const QString whole = QString::fromStdString(group.name),
                      name = metrics.elidedText(whole, Qt::ElideRight, static_cast<int>(bottom - top));
        if (name.size() < 2 || (name != whole && name.size() < 4)) continue;  // not legible
        painter.save();
        painter.translate(side + px(2), (top + bottom) / 2);
        painter.rotate(90);
        painter.drawText(QRectF(-(bottom - top) / 2, -metrics.height(), bottom - top, metrics.height()),
                         Qt::AlignCenter, name);
        painter.restore();
    }
}

QPoint MatrixView::cellAt(const QPointF& pixel) const {
    if (content_.a.n == 0 || !area().contains(pixel)) return {-1, -1};
    const QPointF cell = cellsAt(pixel);
    return {std::clamp(static_cast<int>(cell.x()), 0, content_.a.columns() - 1),
            std::clamp(static_cast<int>(cell.y()), 0, content_.a.n - 1)};
}

void MatrixView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().surface);
    if (content_.a.n == 0) return;
    const QRectF area = this->area();
    painter.drawImage(area, image_, QRectF(firstColumn_, first_, columnsShown(), rowsShown()));
    painter.setPen(theme().border);
    painter.drawRect(area);
    drawLabels(painter, area);
    if (isGrouped()) drawGroups(painter, area);
    drawBar(painter, isGrouped() ? area.adjusted(0, 0, groupWidth(), 0) : area);
    if (chosen_.x() >= 0) drawCross(painter, area, chosen_, theme().accent);
    if (hovered_.x() >= 0) drawCross(painter, area, hovered_, theme().text);
    drawZoomBox(painter, area);
}

void MatrixView::drawLabels(QPainter& painter, const QRectF& area) const {
    const double cell = cellSize();
    painter.setFont(smallFont());
    const QFontMetrics metrics(painter.font());
    const int each = std::max(1, static_cast<int>(std::ceil(metrics.height() / cell)));
    const auto text = [&](int i, const QString& label, double extent, bool isMarked) {
        const int most = static_cast<int>(extent) - px(16);
        const QString name = metrics.elidedText(label, Qt::ElideRight, most);
        return isMarked && i < std::ssize(content_.marked) && content_.marked[static_cast<std::size_t>(i)]
                   ? name + QStringLiteral(" •")
                   : name;
    };
    for (int i = 0; i < content_.a.n; ++i) {
        const double row = area.top() + (i + 0.5 - first_) * cell;
        const bool pointed = i == hovered_.y();
        if (row < area.top() || row > area.bottom() || (i % each != 0 && !pointed)) continue;
        painter.setPen(pointed ? theme().text : theme().muted);
        painter.drawText(QRectF(0, row - metrics.height() / 2.0, area.left() - px(5), metrics.height()),
                         Qt::AlignRight | Qt::AlignVCenter,
                         text(i, content_.labels.value(i), area.left(), true));
    }
    for (int i = 0; i < content_.a.columns(); ++i) {
        const double column = area.left() + (i + 0.5 - firstColumn_) * cell;
        const bool pointed = i == hovered_.x();
        if (column < area.left() || column > area.right() || (i % each != 0 && !pointed)) continue;
        painter.setPen(pointed ? theme().text : theme().muted);
        painter.save();
        painter.translate(column, area.top() - px(5));
        painter.rotate(-90);
        painter.drawText(QRectF(0, -metrics.height() / 2.0, area.top(), metrics.height()),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         text(i, content_.columnLabel(i), area.top(), content_.columnLabels.isEmpty()));
        painter.restore();
    }
}

void MatrixView::drawBar(QPainter& painter, const QRectF& area) const {
    const double height = cellSize() * count_;  // also beside a low matrix
    const QRectF bar(area.right() + px(10), area.top(), px(10), std::min<double>(height, px(160)));
    const MatrixColors colors = matrixColors(shownScale());
    const int lines = static_cast<int>(bar.height());
    for (int y = 0; y < lines; ++y) {
        const double value = std::lerp(shownScale(), shownLowest(), static_cast<double>(y) / (lines - 1));
        painter.setPen(QColor(colors.of(static_cast<float>(value))));
        painter.drawLine(QPointF(bar.left(), bar.top() + y), QPointF(bar.right(), bar.top() + y));
    }
    painter.setPen(theme().border);
    painter.drawRect(bar);
    painter.setPen(theme().muted);
    painter.setFont(smallFont());
    const int line = QFontMetrics(painter.font()).height();
    for (const double part : {0.0, 0.5, 1.0}) {
        const double y = bar.top() + part * bar.height();
        painter.drawText(QRectF(bar.right() + px(4), y - line / 2.0, px(kBarWidth), line), Qt::AlignVCenter,
                         numberText(std::lerp(shownScale(), shownLowest(), part), 2));
    }
}

void MatrixView::drawCross(QPainter& painter, const QRectF& area, QPoint cell, const QColor& color) const {
    const double size = cellSize();
    const QRectF box(area.left() + (cell.x() - firstColumn_) * size, area.top() + (cell.y() - first_) * size,
                     size, size);
    if (!area.intersects(box)) return;
    painter.setClipRect(area.adjusted(-1, -1, 1, 1));
    QColor faint = color;
    faint.setAlphaF(0.35F);
    painter.setPen(QPen(faint, 1));
    painter.drawLine(QPointF(area.left(), box.center().y()), QPointF(area.right(), box.center().y()));
    painter.drawLine(QPointF(box.center().x(), area.top()), QPointF(box.center().x(), area.bottom()));
    painter.setPen(QPen(color, px(1.5)));
    painter.drawRect(box);
    painter.setClipping(false);
}

// ---- mouse ----

QPointF MatrixView::cellsAt(const QPointF& pixel) const {
    const QPointF from = (pixel - area().topLeft()) / cellSize();
    return {firstColumn_ + from.x(), first_ + from.y()};
}

/// The square that a drag spans, in pixels: of its longer side, inside the matrix.
QRectF MatrixView::zoomBox() const {
    const QRectF area = this->area();
    const QPointF to(std::clamp(dragged_.x(), area.left(), area.right()),
                     std::clamp(dragged_.y(), area.top(), area.bottom()));
    const QPointF delta = to - pressed_;
    const double right = delta.x() < 0 ? pressed_.x() - area.left() : area.right() - pressed_.x();
    const double down = delta.y() < 0 ? pressed_.y() - area.top() : area.bottom() - pressed_.y();
    const double side = std::min({std::max(std::abs(delta.x()), std::abs(delta.y())), right, down});
    return QRectF(pressed_, pressed_ + QPointF(delta.x() < 0 ? -side : side, delta.y() < 0 ? -side : side))
        .normalized();
}

void MatrixView::setWindow(double column, double row, double count) {
    const double all = longerSide();
    count_ = std::clamp(count, std::min(kFewestRows, all), all);
    firstColumn_ = std::clamp(column, 0.0, content_.a.columns() - columnsShown());
    first_ = std::clamp(row, 0.0, content_.a.n - rowsShown());
    update();
}

void MatrixView::zoomTo(double count, QPointF centre) {
    const double x = (centre.x() - firstColumn_) / count_, y = (centre.y() - first_) / count_;
    const double all = longerSide(), clamped = std::clamp(count, std::min(kFewestRows, all), all);
    setWindow(centre.x() - x * clamped, centre.y() - y * clamped, clamped);
}

void MatrixView::showAll() {
    setWindow(0, 0, longerSide());
}

void MatrixView::zoom(double factor) {
    if (content_.a.n == 0) return;
    const bool visible = chosen_.x() >= firstColumn_ && chosen_.x() < firstColumn_ + count_ &&
                         chosen_.y() >= first_ && chosen_.y() < first_ + count_;
    zoomTo(count_ / factor, visible ? QPointF(chosen_) + QPointF(0.5, 0.5)
                                    : QPointF(firstColumn_ + count_ / 2, first_ + count_ / 2));
}

void MatrixView::moveChosen(QPoint by) {
    const int lastRow = content_.a.n - 1, lastColumn = content_.a.columns() - 1;
    if (lastRow < 0) return;
    const QPoint from =
        chosen_.x() < 0 ? QPoint(static_cast<int>(firstColumn_), static_cast<int>(first_)) - by : chosen_;
    const QPoint to(std::clamp(from.x() + by.x(), 0, lastColumn), std::clamp(from.y() + by.y(), 0, lastRow));
    const auto into = [](double first, int cell, double shown) {
        return std::clamp(first, cell + 1.0 - shown, static_cast<double>(cell));
    };
    setWindow(into(firstColumn_, to.x(), columnsShown()), into(first_, to.y(), rowsShown()), count_);
    choose(to);
    Q_EMIT cellHovered(to.y(), to.x());  // shows its value
}

void MatrixView::mousePressEvent(QMouseEvent* event) {
    if (cellAt(event->position()).x() < 0) return;
    const bool left = event->button() == Qt::LeftButton, shift = event->modifiers() & Qt::ShiftModifier;
    if (!left && event->button() != Qt::MiddleButton) return;
    drag_ = left && !shift ? Drag::Zoom : Drag::Pan;
    pressed_ = dragged_ = event->position();
    before_ = window();
}

void MatrixView::mouseMoveEvent(QMouseEvent* event) {
    if (drag_ != Drag::None) {
        dragged_ = event->position();
        const QPointF delta = (dragged_ - pressed_) / cellSize();
        if (drag_ == Drag::Pan) setWindow(before_.column - delta.x(), before_.row - delta.y(), count_);
        return update();
    }
    const QPoint cell = cellAt(event->position());
    if (std::exchange(hovered_, cell) == cell) return;
    update();
    Q_EMIT cellHovered(cell.y(), cell.x());
}

void MatrixView::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = std::exchange(drag_, Drag::None);
    if (drag == Drag::None) return QWidget::mouseReleaseEvent(event);
    update();
    dragged_ = event->position();
    const QPointF delta = dragged_ - pressed_;
    if (std::hypot(delta.x(), delta.y()) < px(kClickDistance)) return choose(cellAt(pressed_));
    if (drag != Drag::Zoom) return;
    const QRectF box = zoomBox();
    const QPointF from = cellsAt(box.topLeft()), to = cellsAt(box.bottomRight());
    setWindow(std::floor(from.x()), std::floor(from.y()), std::ceil(to.x()) - std::floor(from.x()));
}

void MatrixView::choose(QPoint cell) {
    chosen_ = cell;
    update();
    Q_EMIT cellChosen(cell.y(), cell.x());
}

void MatrixView::mouseDoubleClickEvent(QMouseEvent* /*event*/) {
    showAll();
}

void MatrixView::wheelEvent(QWheelEvent* event) {
    if (content_.a.n == 0 || !area().contains(event->position())) return QWidget::wheelEvent(event);
    zoomTo(count_ * std::pow(0.85, event->angleDelta().y() / 120.0), cellsAt(event->position()));
    event->accept();
}

void MatrixView::drawZoomBox(QPainter& painter, const QRectF& area) const {
    if (drag_ != Drag::Zoom ||
        std::hypot(dragged_.x() - pressed_.x(), dragged_.y() - pressed_.y()) < px(kClickDistance))
        return;
    QColor veil = theme().surface;
    veil.setAlphaF(0.55F);
    QPainterPath outside;
    outside.addRect(area);
    outside.addRect(zoomBox());
    painter.fillPath(outside, veil);
    painter.setPen(QPen(theme().accent, px(1.5)));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(zoomBox());
}

void MatrixView::leaveEvent(QEvent* /*event*/) {
    hovered_ = {-1, -1};
    update();
    Q_EMIT cellHovered(-1, -1);
}

}  // namespace kurve::views
