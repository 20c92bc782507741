#include "views/frontier/frontier_chart.h"

#include <QMouseEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "views/common/format.h"
#include "views/common/plot_style.h"
#include "views/common/qcustomplot.h"
#include "views/common/theme.h"

namespace kurve::views {

namespace {

constexpr double kGrabPixels = 12;

double secondsOf(const frontier::SweepPoint& point) {
    return std::max(point.cost.seconds, 1e-6);
}

/// A disc of 6 to 16 pixels: equal ratios of cost look equally different.
double dotSize(double seconds, double cheapest, double dearest) {
    const double range = std::log(dearest / cheapest);
    return px(range > 0 ? 6 + 10 * std::log(seconds / cheapest) / range : 9);
}

}  // namespace

FrontierChart::FrontierChart(QWidget* parent) : QWidget(parent), plot_(new QCustomPlot) {
    plot_->setObjectName(QStringLiteral("frontier.plot"));
    plot_->setAccessibleName(tr("Quality against diversity"));
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->setMinimumSize(px(360), px(260));
    plot_->setFocusPolicy(Qt::StrongFocus);
    plot_->installEventFilter(this);
    plot_->setMouseTracking(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(plot_);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &FrontierChart::rebuild);
}

void FrontierChart::show(const Plane& plane, const std::function<QString(const QString&)>& axisText) {
    const bool otherAxes =
        plane_ == nullptr || xTitle_ != axisText(plane.diversity) || yTitle_ != axisText(plane.quality);
    plane_ = &plane;
    xTitle_ = axisText(plane.diversity);
    yTitle_ = axisText(plane.quality);
    pinned_ = hovered_ = {};
    low_ = INFINITY;
    high_ = -INFINITY;
    for (const auto& curve : plane.curves)
        for (const auto& dot : curve.dots) {
            low_ = std::min(low_, dot.x);
            high_ = std::max(high_, dot.x);
        }
    if (otherAxes || !sliced_) slice_ = (low_ + high_) / 2;
    sliced_ = !plane.isEmpty();
    slice_ = std::clamp(slice_, low_, std::max(low_, high_));
    rebuild();
    Q_EMIT pinnedChanged(pinned_);
}

void FrontierChart::rebuild() {
    plot_->clearItems();
    plot_->clearPlottables();
    stylePlot(plot_);
    if (plane_ != nullptr && !plane_->isEmpty()) {
        double cheapest = INFINITY, dearest = 0;
        for (const auto& curve : plane_->curves)
            for (const auto* point : curve.points) {
                cheapest = std::min(cheapest, secondsOf(*point));
                dearest = std::max(dearest, secondsOf(*point));
            }
        for (const auto& curve : plane_->curves) addCurve(curve, cheapest, dearest);
        plot_->rescaleAxes();
        addReference();
        plot_->xAxis->scaleRange(1.12);
        plot_->yAxis->scaleRange(1.15);
        addMarks();
    }
    setAxisTitle(plot_->xAxis, xTitle_);
    setAxisTitle(plot_->yAxis, yTitle_);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void FrontierChart::addCurve(const FrontCurve& curve, double cheapest, double dearest) {
    const RunStyle style = runStyle(curve.runId);
    auto* line = new QCPCurve(plot_->xAxis, plot_->yAxis);
    line->setPen(style.pen());
    for (std::size_t k = 0; k < curve.front.size(); ++k)
        line->addData(static_cast<double>(k), curve.dots[curve.front[k]].x, curve.dots[curve.front[k]].y);
    for (std::size_t i = 0; i < curve.dots.size(); ++i) {
        const bool onFront = std::find(curve.front.begin(), curve.front.end(), i) != curve.front.end();
        QColor fill = style.color;
        fill.setAlphaF(onFront ? 0.9F : 0.25F);
        if (onFront && curve.ellipses[i]) addEllipse(*curve.ellipses[i], style.color);
        auto* dot = new QCPCurve(plot_->xAxis, plot_->yAxis);
        dot->setLineStyle(QCPCurve::lsNone);
        QCPScatterStyle look = runMarker(style, dotSize(secondsOf(*curve.points[i]), cheapest, dearest));
        if (look.shape() == QCPScatterStyle::ssDisc)
            look.setShape(QCPScatterStyle::ssCircle);  // takes a brush
        look.setPen(QPen(style.color, 1.2));
        look.setBrush(fill);
        dot->setScatterStyle(look);
        dot->addData(0, curve.dots[i].x, curve.dots[i].y);
    }
}

void FrontierChart::addEllipse(const frontier::Ellipse& ellipse, const QColor& color) {
    auto* outline = new QCPCurve(plot_->xAxis, plot_->yAxis);
    QColor faint = color;
    faint.setAlphaF(0.12F);
    outline->setBrush(faint);
    faint.setAlphaF(0.45F);
    outline->setPen(QPen(faint, 1));
    constexpr int kCorners = 64;
    for (int k = 0; k <= kCorners; ++k) {
        const double turn = 2 * std::numbers::pi * k / kCorners;
        const double u = ellipse.major * std::cos(turn), v = ellipse.minor * std::sin(turn);
        outline->addData(k, ellipse.x + u * std::cos(ellipse.angle) - v * std::sin(ellipse.angle),
                         ellipse.y + u * std::sin(ellipse.angle) + v * std::cos(ellipse.angle));
    }
}

/// Where a perfect system would stand on the diversity axis, and what lies clearly below it.
void FrontierChart::addReference() {
    if (!plane_->referenceDiversity) return;
    const double at = *plane_->referenceDiversity, poor = 0.9 * at;
    plot_->xAxis->setRange(plot_->xAxis->range().expanded(QCPRange(std::min(low_, at), std::max(high_, at))));
    if (plot_->xAxis->range().lower < poor) {
        auto* zone = new QCPItemRect(plot_);
        zone->topLeft->setTypeX(QCPItemPosition::ptPlotCoords);
        zone->topLeft->setTypeY(QCPItemPosition::ptAxisRectRatio);
        zone->bottomRight->setTypeX(QCPItemPosition::ptPlotCoords);
        zone->bottomRight->setTypeY(QCPItemPosition::ptAxisRectRatio);
        zone->topLeft->setCoords(-1e9, 0);
        zone->bottomRight->setCoords(poor, 1);
        zone->setPen(Qt::NoPen);
        zone->setBrush(QBrush(theme().grid, Qt::BDiagPattern));
        zone->setLayer(QStringLiteral("background"));
    }
    auto* line = new QCPItemStraightLine(plot_);
    line->point1->setCoords(at, 0);
    line->point2->setCoords(at, 1);
    line->setPen(QPen(theme().muted, 1, Qt::DotLine));
    auto* label = new QCPItemText(plot_);
    label->position->setTypeX(QCPItemPosition::ptPlotCoords);
    label->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    label->position->setCoords(at, 0.01);
    label->setPositionAlignment(Qt::AlignTop | Qt::AlignRight);
    label->setPadding({px(4), px(2), px(4), px(2)});
    label->setText(tr("★ reference texts"));
    label->setFont(smallFont());
    label->setColor(theme().muted);
}

void FrontierChart::addMarks() {
    ring_ = new QCPCurve(plot_->xAxis, plot_->yAxis);
    ring_->setLineStyle(QCPCurve::lsNone);
    ring_->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(theme().accent, 2), Qt::NoBrush, px(22)));
    line_ = new QCPItemStraightLine(plot_);
    line_->setPen(QPen(theme().accent, 1.5, Qt::DashLine));
    placeMarks();
}

void FrontierChart::placeMarks() {
    ring_->data()->clear();
    if (pinned_.valid()) {
        const auto& curve = plane_->curves[static_cast<std::size_t>(pinned_.curve)];
        const auto& dot = curve.dots[static_cast<std::size_t>(pinned_.dot)];
        ring_->addData(0, dot.x, dot.y);
    }
    line_->point1->setCoords(slice_, 0);
    line_->point2->setCoords(slice_, 1);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void FrontierChart::setSlice(double x) {
    if (plane_ == nullptr || plane_->isEmpty()) return;
    slice_ = std::clamp(x, low_, high_);
    placeMarks();
    Q_EMIT sliceChanged(slice_);
}

void FrontierChart::nudgeSlice(int direction) {
    setSlice(slice_ + direction * (high_ - low_) / 100);
}

void FrontierChart::pin(Place place) {
    if (plane_ == nullptr || plane_->isEmpty()) return;
    pinned_ = place;
    placeMarks();
    Q_EMIT pinnedChanged(place);
}

void FrontierChart::pinNext(int direction) {
    if (plane_ == nullptr || plane_->isEmpty()) return;
    std::vector<std::pair<double, Place>> order;
    for (std::size_t c = 0; c < plane_->curves.size(); ++c)
        for (std::size_t d = 0; d < plane_->curves[c].dots.size(); ++d)
            order.push_back({plane_->curves[c].dots[d].x, {static_cast<int>(c), static_cast<int>(d)}});
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto here =
        std::find_if(order.begin(), order.end(), [&](const auto& o) { return o.second == pinned_; });
    const auto count = static_cast<std::ptrdiff_t>(order.size());
    std::ptrdiff_t next =
        here == order.end() ? (direction > 0 ? 0 : count - 1) : here - order.begin() + direction;
    pin(order[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, count - 1))].second);
}

FrontierChart::Place FrontierChart::nearest(const QPointF& pixel) const {
    Place best;
    double bestDistance = px(kGrabPixels);
    if (plane_ == nullptr) return best;
    for (std::size_t c = 0; c < plane_->curves.size(); ++c)
        for (std::size_t d = 0; d < plane_->curves[c].dots.size(); ++d) {
            const auto& dot = plane_->curves[c].dots[d];
            const double distance = std::hypot(plot_->xAxis->coordToPixel(dot.x) - pixel.x(),
                                               plot_->yAxis->coordToPixel(dot.y) - pixel.y());
            if (distance < bestDistance) {
                bestDistance = distance;
                best = {static_cast<int>(c), static_cast<int>(d)};
            }
        }
    return best;
}

bool FrontierChart::onSlice(const QPointF& pixel) const {
    return sliced_ && std::abs(plot_->xAxis->coordToPixel(slice_) - pixel.x()) < px(5) &&
           plot_->axisRect()->rect().contains(pixel.toPoint());
}

bool FrontierChart::eventFilter(QObject* watched, QEvent* event) {
    if (watched != plot_) return QWidget::eventFilter(watched, event);
    if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const bool slice = key->modifiers().testFlag(Qt::ShiftModifier);
        const int direction = key->key() == Qt::Key_Right ? 1 : key->key() == Qt::Key_Left ? -1 : 0;
        if (direction != 0) {
            slice ? nudgeSlice(direction) : pinNext(direction);
            return true;
        }
        if (key->key() == Qt::Key_Return && pinned_.valid()) {
            Q_EMIT opened(pinned_);
            return true;
        }
        if (key->key() == Qt::Key_F) {
            rebuild();
            return true;
        }
        return QWidget::eventFilter(watched, event);
    }
    if (event->type() != QEvent::MouseMove && event->type() != QEvent::MouseButtonPress &&
        event->type() != QEvent::MouseButtonRelease && event->type() != QEvent::MouseButtonDblClick)
        return QWidget::eventFilter(watched, event);
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const QPointF at = mouse->position();
    if (event->type() == QEvent::MouseMove) {
        if (dragging_) {
            setSlice(plot_->xAxis->pixelToCoord(at.x()));
            return true;
        }
        plot_->setCursor(onSlice(at) ? Qt::SizeHorCursor : Qt::ArrowCursor);
        const Place place = nearest(at);
        if (!(place == hovered_)) Q_EMIT hovered(hovered_ = place);
    } else if (mouse->button() == Qt::LeftButton && event->type() == QEvent::MouseButtonPress) {
        const Place place = nearest(at);
        if (place.valid()) {
            pin(place);
            return true;
        }
        if (onSlice(at)) return dragging_ = true;
    } else if (event->type() == QEvent::MouseButtonDblClick) {
        const Place place = nearest(at);
        if (place.valid()) {
            Q_EMIT opened(place);
            return true;
        }
    } else if (event->type() == QEvent::MouseButtonRelease && dragging_) {
        dragging_ = false;
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace kurve::views
