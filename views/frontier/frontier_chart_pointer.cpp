// Mouse actions in the plane: pinning, selecting, dragging the lines, the lasso.
#include <QContextMenuEvent>
#include <QCoreApplication>
#include <QMouseEvent>
#include <cmath>
#include <utility>

#include "views/common/chart/plot_points.h"
#include "views/common/theme/theme.h"
#include "views/frontier/frontier_chart.h"

namespace kurve::views {

namespace {
constexpr double kGrabPixels = 12;
}  // namespace

std::vector<FrontierChart::PointIndex> FrontierChart::allPoints() const {
    std::vector<PointIndex> all;
    for (std::size_t c = 0; plane_ != nullptr && c < plane_->curves.size(); ++c)
        for (std::size_t d = 0; d < plane_->curves[c].planePoints.size(); ++d)
            all.push_back({static_cast<int>(c), static_cast<int>(d)});
    return all;
}

std::vector<FrontierChart::PointIndex> FrontierChart::inside(const QPolygonF& outline) const {
    std::vector<PointIndex> found = allPoints();
    std::erase_if(found, [&](PointIndex index) {
        return !outline.containsPoint(pixelOf(*plot(), pointAt(index)), Qt::OddEvenFill);
    });
    return found;
}

FrontierChart::PointIndex FrontierChart::nearest(const QPointF& pixel) const {
    const std::vector<PointIndex> all = allPoints();
    const auto found = nearestPoint(pixel, px(kGrabPixels), all.size(),
                                    [&](std::size_t i) { return pixelOf(*plot(), pointAt(all[i])); });
    return found ? all[*found] : PointIndex();
}

FrontierChart::Drag FrontierChart::lineAt(const QPointF& pixel) const {
    if (!hasPoints() || !plot()->axisRect()->rect().contains(pixel.toPoint())) return Drag::None;
    if (std::abs(plot()->xAxis->coordToPixel(slice_) - pixel.x()) < px(5)) return Drag::Slice;
    if (std::abs(plot()->yAxis->coordToPixel(level_) - pixel.y()) < px(5)) return Drag::Level;
    return Drag::None;
}

bool FrontierChart::moved(const QPointF& at) {
    if (drag_ == Drag::Slice) setSlice(plot()->xAxis->pixelToCoord(at.x()));
    if (drag_ == Drag::Level) setLevel(plot()->yAxis->pixelToCoord(at.y()));
    if (drag_ == Drag::Lasso) {
        drawn_ << at;
        updateMarks();
    }
    if (drag_ != Drag::None) return true;
    const Drag line = lineAt(at);
    plot()->setCursor(lassoMode_            ? Qt::CrossCursor
                      : line == Drag::Slice ? Qt::SizeHorCursor
                      : line == Drag::Level ? Qt::SizeVerCursor
                                            : Qt::ArrowCursor);
    const PointIndex index = nearest(at);
    if (!(index == hovered_)) Q_EMIT pointHovered(hovered_ = index);
    return false;
}

void FrontierChart::openMenu() {
    QPoint at = plot()->rect().center();
    if (pinned_.valid()) at = pixelOf(*plot(), pointAt(pinned_)).toPoint();
    QContextMenuEvent event(QContextMenuEvent::Keyboard, at, plot()->mapToGlobal(at));
    QCoreApplication::sendEvent(plot(), &event);
}

bool FrontierChart::pressed(const QMouseEvent& mouse) {
    const QPointF at = mouse.position();
    if (mouse.button() == Qt::RightButton && nearest(at).valid()) pin(nearest(at));  // its menu is about it
    if (mouse.button() != Qt::LeftButton) return false;
    const bool startsLasso = lassoMode_ || mouse.modifiers().testFlag(Qt::ShiftModifier);
    const PointIndex index = nearest(at);
    if (index.valid() && !startsLasso) {
        mouse.modifiers().testFlag(Qt::ControlModifier) ? toggle(index) : pin(index);
        drag_ = Drag::Point;  // which moves nothing: the zoom is not told of half a click
        return true;
    }
    drag_ = startsLasso && hasPoints() ? Drag::Lasso : lineAt(at);
    if (drag_ == Drag::Lasso) drawn_ = QPolygonF{at};
    return drag_ != Drag::None;
}

bool FrontierChart::released() {
    const Drag was = std::exchange(drag_, Drag::None);
    if (was != Drag::Lasso) return was != Drag::None;
    const std::vector<PointIndex> found = inside(drawn_);
    drawn_.clear();
    updateMarks();
    choose(found);
    return true;
}

bool FrontierChart::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot()) return PlotCard::eventFilter(watched, event);
    const auto mouse = [event]() -> const QMouseEvent& { return *static_cast<QMouseEvent*>(event); };
    switch (event->type()) {
        case QEvent::MouseMove:
            return moved(mouse().position());
        case QEvent::MouseButtonPress:
            return pressed(mouse());
        case QEvent::MouseButtonRelease:
            return released();
        case QEvent::MouseButtonDblClick: {
            const PointIndex index = nearest(mouse().position());
            if (index.valid()) Q_EMIT opened(index);
            return index.valid();
        }
        default:
            return PlotCard::eventFilter(watched, event);
    }
}

}  // namespace kurve::views
