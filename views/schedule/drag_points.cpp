#include "views/schedule/drag_points.h"

#include <QMouseEvent>
#include <cmath>

#include "views/common/plot_card.h"
#include "views/common/qcustomplot.h"
#include "views/common/theme.h"

namespace kurve::views {

DragPoints::DragPoints(PlotCard* card, QCPAxis* value, Qt::KeyboardModifiers adding)
    : QObject(card), card_(card), adding_(adding) {
    QCustomPlot* plot = card->plot();
    if (value == nullptr) value = plot->yAxis;
    if (plot->layer(QStringLiteral("points")) == nullptr) plot->addLayer(QStringLiteral("points"));
    for (QCPGraph** graph : {&all_, &selected_}) {
        *graph = plot->addGraph(plot->xAxis, value);
        (*graph)->setLineStyle(QCPGraph::lsNone);
        (*graph)->setLayer(QStringLiteral("points"));
    }
    plot->setFocusPolicy(Qt::ClickFocus);
    connect(plot, &QCustomPlot::mousePress, this, &DragPoints::press);
    connect(plot, &QCustomPlot::mouseMove, this, &DragPoints::move);
    connect(plot, &QCustomPlot::mouseRelease, this, &DragPoints::release);
    connect(plot, &QCustomPlot::mouseDoubleClick, this, &DragPoints::doubleClick);
}

void DragPoints::setPoints(std::vector<Point> points, int selected) {
    points_ = std::move(points);
    selectedIndex_ = selected;
    draw();
}

void DragPoints::restyle(const QColor& color, QCPScatterStyle::ScatterShape shape) {
    const double scale = theme().scale;
    all_->setScatterStyle({shape, QPen(color, 1.6 * scale), QBrush(theme().surface), 8 * scale});
    selected_->setScatterStyle(
        {QCPScatterStyle::ssDisc, QPen(color, 1.6 * scale), QBrush(color), 11 * scale});
}

void DragPoints::draw() {
    all_->data()->clear();
    selected_->data()->clear();
    for (const Point& point : points_)
        (static_cast<int>(point.index) == selectedIndex_ ? selected_ : all_)->addData(point.x, point.y);
}

std::optional<std::size_t> DragPoints::pointUnder(const QMouseEvent& event) const {
    double nearest = px(11);
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        const QPointF place = all_->coordsToPixels(points_[i].x, points_[i].y);
        const double away = std::hypot(place.x() - event.position().x(), place.y() - event.position().y());
        if (away < nearest) {
            nearest = away;
            found = i;
        }
    }
    return found;
}

void DragPoints::press(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || (first_ != nullptr && first_->pointUnder(*event))) return;
    held_ = pointUnder(*event);
    if (!held_) return;
    const Point& point = points_[*held_];
    const QPointF place = all_->coordsToPixels(point.x, point.y);
    awayX_ = place.x() - event->position().x();
    awayY_ = place.y() - event->position().y();
    Q_EMIT grabbed(point.pane, point.index);
}

void DragPoints::move(QMouseEvent* event) {
    if (!held_) {
        const bool over = pointUnder(*event).has_value();
        card_->plot()->setCursor(over ? Qt::PointingHandCursor : Qt::ArrowCursor);
        return;
    }
    double x = 0, y = 0;
    all_->pixelsToCoords(event->position().x() + awayX_, event->position().y() + awayY_, x, y);
    Q_EMIT moved(x, y);
}

void DragPoints::release() {
    if (!held_) return;
    held_.reset();
    Q_EMIT released();
}

void DragPoints::doubleClick(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || event->modifiers() != adding_) return;
    if (const auto under = pointUnder(*event))
        Q_EMIT removeWanted(points_[*under].index);
    else
        Q_EMIT addWanted(card_->plot()->xAxis->pixelToCoord(event->position().x()));
}

}  // namespace kurve::views
