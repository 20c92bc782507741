#include "views/schedule/drag_points.h"

#include <QMouseEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/common/chart/plot_card.h"
#include "views/common/chart/plot_points.h"
#include "views/common/shell/view_keys.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {
constexpr int kFar = 10;  ///< times as far, with Shift
}

DragPoints::DragPoints(PlotCard* card, const Kind& kind)
    : QObject(card), card_(card), adding_(kind.adding), keys_(new ViewKeys(card->plot(), kind.section)) {
    QCustomPlot* plot = card->plot();
    if (plot->layer(QStringLiteral("points")) == nullptr) plot->addLayer(QStringLiteral("points"));
    for (QCPGraph** graph : {&ring_, &all_, &selected_}) {
        *graph = plot->addGraph(plot->xAxis, kind.value != nullptr ? kind.value : plot->yAxis);
        (*graph)->setLineStyle(QCPGraph::lsNone);
        (*graph)->setLayer(QStringLiteral("points"));
    }
    plot->setFocusPolicy(Qt::StrongFocus);
    plot->installEventFilter(this);
    addKeys();
    connect(plot, &QCustomPlot::mousePress, this, &DragPoints::press);
    connect(plot, &QCustomPlot::mouseMove, this, &DragPoints::move);
    connect(plot, &QCustomPlot::mouseRelease, this, &DragPoints::release);
    connect(plot, &QCustomPlot::mouseDoubleClick, this, &DragPoints::doubleClick);
}

void DragPoints::giveWayTo(DragPoints* other) {
    first_ = other;
    other->after_ = this;
}

// ---- by keys ----

void DragPoints::addKeys() {
    const auto mine = [this] { return hasKeys(); };
    const auto chosen = [this] { return chosen_.has_value(); };
    keys_->add({{Qt::Key_Period}, tr("Next point"), [this] { chooseNext(1); }, {}, mine});
    keys_->add({{Qt::Key_Comma}, tr("Previous point"), [this] { chooseNext(-1); }, {}, mine});
    struct Way {
        Qt::Key key;
        int across, up;
        QString meaning, far;
    };
    const Way ways[] = {{Qt::Key_Left, -1, 0, tr("Move point left"), tr("Move point far left")},
                        {Qt::Key_Right, 1, 0, tr("Move point right"), tr("Move point far right")},
                        {Qt::Key_Up, 0, 1, tr("Move point up"), tr("Move point far up")},
                        {Qt::Key_Down, 0, -1, tr("Move point down"), tr("Move point far down")}};
    const auto let = [this] {
        if (!std::exchange(heldByKeys_, false)) return;
        release();
        read();  // the owner has drawn anew
    };
    for (const Way& way : ways) {
        const auto by = [this, way](int times) {
            return [this, way, times] { nudge(times * way.across, times * way.up); };
        };
        keys_->add({{way.key}, way.meaning, by(1), let, chosen});
        keys_->add({{Qt::SHIFT | way.key}, way.far, by(kFar), let, chosen});
    }
    keys_->add({{Qt::Key_Escape}, tr("Deselect point"), [this] { choose(std::nullopt); }, {}, chosen});
}

/// Of two kinds in one chart the one with the chosen point has the keys, else the lower one.
bool DragPoints::hasKeys() const {
    if (points_.empty() || chosen_) return !points_.empty();
    const DragPoints* other = first_ != nullptr ? first_ : after_;
    return other == nullptr || (!other->chosen_ && (first_ != nullptr || other->points_.empty()));
}

void DragPoints::chooseNext(int step) {
    if (!chosen_) {  // where the table is, else at the beginning
        const auto is = [this](const Point& p) { return static_cast<int>(p.index) == selectedIndex_; };
        const auto found = std::find_if(points_.begin(), points_.end(), is);
        return choose(found == points_.end() ? 0 : static_cast<std::size_t>(found - points_.begin()));
    }
    const bool beyond = step > 0 ? *chosen_ + 1 >= points_.size() : *chosen_ == 0;
    DragPoints* other = step > 0 ? first_ : after_;
    if (beyond && other != nullptr && !other->points_.empty()) {
        choose(std::nullopt);
        return other->choose(step > 0 ? 0 : other->points_.size() - 1);
    }
    if (!beyond) choose(step > 0 ? *chosen_ + 1 : *chosen_ - 1);
}

void DragPoints::choose(std::optional<std::size_t> point) {
    chosen_ = point;
    draw();
    card_->queueReplot();
    if (!point) return;
    Q_EMIT pointChosen(points_[*point].index);
    read();
}

void DragPoints::read() {
    if (!chosen_) return;
    const Point& point = points_[*chosen_];
    Q_EMIT card_->hovered(point.x, point.y);
    card_->plot()->setAccessibleDescription(tr("Point %1 of %2: %3, %4")
                                                .arg(*chosen_ + 1)
                                                .arg(points_.size())
                                                .arg(numberText(point.x), numberText(point.y)));
}

/// By hundredths of the chart; one press, however long, is one drag.
void DragPoints::nudge(int across, int up) {
    if (held_ && !heldByKeys_) return;  // the mouse has one
    const QSize room = card_->plot()->axisRect()->size();
    const Point& point = points_[*chosen_];
    if (!std::exchange(heldByKeys_, true)) {
        held_ = chosen_;
        Q_EMIT grabbed(point.pane, point.index);
    }
    const QPointF now = all_->coordsToPixels(points_[*chosen_].x, points_[*chosen_].y);
    double x = 0, y = 0;
    all_->pixelsToCoords(now.x() + across * room.width() / 100.0, now.y() - up * room.height() / 100.0, x, y);
    Q_EMIT moved(x, y);
    read();
}

bool DragPoints::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        draw();
        card_->queueReplot();
    }
    return QObject::eventFilter(watched, event);
}

// ---- what is drawn, and the mouse ----

void DragPoints::setPoints(std::vector<Point> points, int selected) {
    points_ = std::move(points);
    selectedIndex_ = selected;
    if (chosen_ && *chosen_ >= points_.size())
        chosen_ = points_.empty() ? std::nullopt : std::optional(points_.size() - 1);
    // Another one was selected elsewhere.
    if (chosen_ && selected >= 0 && static_cast<int>(points_[*chosen_].index) != selected)
        for (std::size_t i = points_.size(); i-- > 0;)
            if (static_cast<int>(points_[i].index) == selected) chosen_ = i;
    draw();
}

void DragPoints::restyle(const QColor& color, QCPScatterStyle::ScatterShape shape) {
    const double scale = theme().scale;
    all_->setScatterStyle({shape, QPen(color, 1.6 * scale), QBrush(theme().surface), 8 * scale});
    selected_->setScatterStyle(
        {QCPScatterStyle::ssDisc, QPen(color, 1.6 * scale), QBrush(color), 11 * scale});
    ring_->setScatterStyle(
        {QCPScatterStyle::ssCircle, QPen(theme().text, 1.6 * scale), QBrush(Qt::NoBrush), 18 * scale});
}

void DragPoints::draw() {
    all_->data()->clear();
    selected_->data()->clear();
    ring_->data()->clear();
    if (chosen_ && card_->plot()->hasFocus()) ring_->addData(points_[*chosen_].x, points_[*chosen_].y);
    for (const Point& point : points_)
        (static_cast<int>(point.index) == selectedIndex_ ? selected_ : all_)->addData(point.x, point.y);
}

std::optional<std::size_t> DragPoints::pointUnder(const QMouseEvent& event) const {
    return nearestPoint(event.position(), px(11), points_.size(),
                        [this](std::size_t i) { return all_->coordsToPixels(points_[i].x, points_[i].y); });
}

void DragPoints::press(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton || (first_ != nullptr && first_->pointUnder(*event))) return;
    held_ = pointUnder(*event);
    if (!held_) return;
    const Point& point = points_[*held_];
    const QPointF at = all_->coordsToPixels(point.x, point.y);
    awayX_ = at.x() - event->position().x();
    awayY_ = at.y() - event->position().y();
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
