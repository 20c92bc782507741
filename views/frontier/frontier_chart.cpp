#include "views/frontier/frontier_chart.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/shell/page_wheel.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

double secondsOf(const frontier::SweepPoint& point) {
    return std::max(point.cost.seconds, 1e-6);
}

/// Text with the plot's background, above its lines.
QCPItemText* addText(QCustomPlot* plot, const QString& text, Qt::Alignment alignment) {
    const QString layer = QStringLiteral("texts");
    if (plot->layer(layer) == nullptr) plot->addLayer(layer);
    auto* label = new QCPItemText(plot);
    label->setLayer(layer);
    label->setBrush(theme().surface);
    label->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    label->setPositionAlignment(alignment);
    label->setPadding({px(4), px(2), px(4), px(2)});
    label->setText(text);
    label->setFont(smallFont());
    label->setColor(theme().muted);
    return label;
}

/// A disc of 6 to 16 pixels at 100 % (runMarker() scales): equal ratios of cost look equally different.
double pointSize(double seconds, double cheapest, double dearest) {
    const double range = std::log(dearest / cheapest);
    return range > 0 ? 6 + 10 * std::log(seconds / cheapest) / range : 9;
}

double margin(double value) {
    return value == 0 ? 1 : std::abs(value) / 10;
}

void addAt(QCPCurve* curve, double t, const QPointF& point) {
    curve->addData(t, point.x(), point.y());
}

void addEllipse(QCustomPlot* plot, const frontier::Ellipse& ellipse, const QColor& color) {
    auto* outline = new QCPCurve(plot->xAxis, plot->yAxis);
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

}  // namespace

FrontierChart::FrontierChart(QWidget* parent) : QWidget(parent), plot_(new QCustomPlot) {
    plot_->setObjectName(QStringLiteral("frontier.plot"));
    plot_->setAccessibleName(tr("Quality against diversity"));
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->setMinimumSize(px(190), px(200));
    plot_->setFocusPolicy(Qt::StrongFocus);
    plot_->installEventFilter(this);
    new PageWheel(*plot_, *plot_);
    plot_->setMouseTracking(true);
    plot_->setAttribute(Qt::WA_NoMousePropagation, false);  // QCustomPlot's: it would keep the menu's request
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(plot_);
    connect(plot_, &QCustomPlot::afterLayout, this, &FrontierChart::reserveTextSpace);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &FrontierChart::rebuild);
}

void FrontierChart::show(const Plane& plane, const std::function<QString(const QString&)>& axisText) {
    const bool otherAxes =
        plane_ == nullptr || xTitle_ != axisText(plane.diversity) || yTitle_ != axisText(plane.quality);
    plane_ = &plane;
    xTitle_ = axisText(plane.diversity);
    yTitle_ = axisText(plane.quality);
    pinned_ = hovered_ = {};
    chosen_.clear();
    low_ = bottom_ = INFINITY;
    high_ = top_ = -INFINITY;
    for (const auto& curve : plane.curves)
        for (const auto& each : curve.planePoints) {
            const QPointF point = plane.values(each);
            low_ = std::min(low_, point.x());
            high_ = std::max(high_, point.x());
            bottom_ = std::min(bottom_, point.y());
            top_ = std::max(top_, point.y());
        }
    if (otherAxes || !sliced_) {
        slice_ = (low_ + high_) / 2;
        level_ = (bottom_ + top_) / 2;
    }
    sliced_ = !plane.isEmpty();
    slice_ = std::clamp(slice_, low_, std::max(low_, high_));
    level_ = std::clamp(level_, bottom_, std::max(bottom_, top_));
    rebuild();
    Q_EMIT pinnedChanged(pinned_);
    Q_EMIT chosenChanged();
}

void FrontierChart::rebuild() {
    plot_->clearItems();
    sizes_ = nullptr;
    plot_->clearPlottables();
    stylePlot(plot_);
    plot_->yAxis->setRangeReversed(plane_ != nullptr && plane_->direction < 0);  // better is up
    if (plane_ != nullptr && !plane_->isEmpty()) {
        double cheapest = INFINITY, dearest = 0;
        for (const auto& curve : plane_->curves)
            for (const auto* point : curve.points) {
                cheapest = std::min(cheapest, secondsOf(*point));
                dearest = std::max(dearest, secondsOf(*point));
            }
        for (const auto& curve : plane_->curves) addCurve(curve, cheapest, dearest);
        if (isPerplexity(*plane_)) crossOutRepetitive();
        plot_->rescaleAxes();
        // A single value gives no scale.
        if (high_ == low_) plot_->xAxis->setRange(low_ - margin(low_), low_ + margin(low_));
        if (top_ == bottom_) plot_->yAxis->setRange(top_ - margin(top_), top_ + margin(top_));
        addReference();
        plot_->xAxis->scaleRange(1.12);
        plot_->yAxis->scaleRange(1.15);
        pointsEdge_ = textEdge_ = bottomEdge();
        addSizes();
        addMarks();
    }
    setAxisTitle(plot_->xAxis, xTitle_);
    setAxisTitle(plot_->yAxis,
                 plot_->yAxis->rangeReversed() ? tr("%1 (lower is better)").arg(yTitle_) : yTitle_);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void FrontierChart::addCurve(const FrontCurve& curve, double cheapest, double dearest) {
    const RunStyle style = runStyle(curve.runId);
    auto* line = new QCPCurve(plot_->xAxis, plot_->yAxis);
    line->setPen(style.pen());
    for (std::size_t k = 0; k < curve.front.size(); ++k)
        addAt(line, static_cast<double>(k), plane_->values(curve.planePoints[curve.front[k]]));
    for (std::size_t i = 0; i < curve.planePoints.size(); ++i) {
        const bool onFront = std::find(curve.front.begin(), curve.front.end(), i) != curve.front.end();
        QColor fill = style.color;
        fill.setAlphaF(onFront ? 0.9F : 0.25F);
        if (onFront && curve.ellipses[i]) addEllipse(plot_, *curve.ellipses[i], style.color);
        auto* point = new QCPCurve(plot_->xAxis, plot_->yAxis);
        point->setLineStyle(QCPCurve::lsNone);
        QCPScatterStyle marker = runMarker(style, pointSize(secondsOf(*curve.points[i]), cheapest, dearest));
        if (marker.shape() == QCPScatterStyle::ssDisc)
            marker.setShape(QCPScatterStyle::ssCircle);  // takes a brush
        marker.setPen(QPen(style.color, 1.2));
        marker.setBrush(fill);
        point->setScatterStyle(marker);
        addAt(point, 0, plane_->values(curve.planePoints[i]));
    }
}

/// Perplexity rewards repetition, whatever the other axis is.
void FrontierChart::crossOutRepetitive() {
    auto* crosses = new QCPCurve(plot_->xAxis, plot_->yAxis);
    crosses->setLineStyle(QCPCurve::lsNone);
    crosses->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssCross, QPen(theme().text, 1.6), Qt::NoBrush, px(15)));
    for (const auto& curve : plane_->curves)
        for (std::size_t i = 0; i < curve.planePoints.size(); ++i)
            if (frontier::isRepetitive(*curve.points[i]))
                addAt(crosses, 0, plane_->values(curve.planePoints[i]));
}

/// The references' quality by the scorer: a star where the two lines meet.
void FrontierChart::addReferenceQuality(double x, double y) {
    plot_->yAxis->setRange(plot_->yAxis->range().expanded(QCPRange(std::min(bottom_, y), std::max(top_, y))));
    auto* line = new QCPItemStraightLine(plot_);
    line->point1->setCoords(0, y);
    line->point2->setCoords(1, y);
    line->setPen(QPen(theme().muted, 1, Qt::DotLine));
    auto* star = new QCPCurve(plot_->xAxis, plot_->yAxis);
    star->setLineStyle(QCPCurve::lsNone);
    star->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssStar, QPen(theme().text, 1.6), Qt::NoBrush, px(13)));
    star->addData(0, x, y);
}

/// The references' diversity, and the zone clearly below it.
void FrontierChart::addReference() {
    if (!plane_->referenceDiversity) return;
    const double at = *plane_->referenceDiversity, limit = frontier::kRepetitiveFraction * at;
    plot_->xAxis->setRange(plot_->xAxis->range().expanded(QCPRange(std::min(low_, at), std::max(high_, at))));
    if (plot_->xAxis->range().lower < limit) {
        auto* zone = new QCPItemRect(plot_);
        zone->topLeft->setTypeX(QCPItemPosition::ptPlotCoords);
        zone->topLeft->setTypeY(QCPItemPosition::ptAxisRectRatio);
        zone->bottomRight->setTypeX(QCPItemPosition::ptPlotCoords);
        zone->bottomRight->setTypeY(QCPItemPosition::ptAxisRectRatio);
        zone->topLeft->setCoords(-1e9, 0);
        zone->bottomRight->setCoords(limit, 1);
        zone->setPen(Qt::NoPen);
        zone->setBrush(QBrush(theme().grid, Qt::BDiagPattern));
        zone->setLayer(QStringLiteral("background"));
    }
    auto* line = new QCPItemStraightLine(plot_);
    line->point1->setCoords(at, 0);
    line->point2->setCoords(at, 1);
    line->setPen(QPen(theme().muted, 1, Qt::DotLine));
    if (plane_->referenceQuality) addReferenceQuality(at, *plane_->referenceQuality);
    const bool left = at < plot_->xAxis->range().center();  // towards the longer side
    QCPItemText* label =
        addText(plot_, tr("★ reference texts"), Qt::AlignTop | (left ? Qt::AlignLeft : Qt::AlignRight));
    label->position->setTypeX(QCPItemPosition::ptPlotCoords);
    label->position->setCoords(at, 0.01);
}

/// The evaluation settings are part of the picture, also where it is exported.
void FrontierChart::addSizes() {
    const auto& point = *plane_->curves.front().points.front();
    QStringList parts{tr("%1 × %2, %3")
                          .arg(countedText(point.sentences, tr("sentence")),
                               countedText(static_cast<qint64>(point.seeds.size()), tr("seed")),
                               QString::fromStdString(point.split))};
    if (plane_->leftOut > 0) parts << tr("Excluded: other evaluation settings (%1)").arg(plane_->leftOut);
    QString text = parts.join(QStringLiteral("; "));
    if (isPerplexity(*plane_)) text += tr("\nPerplexity rewards repetition: crossed out where likely");
    QCPItemText* label = addText(plot_, text, Qt::AlignBottom | Qt::AlignRight);
    label->setTextAlignment(Qt::AlignRight);
    label->position->setTypeX(QCPItemPosition::ptAxisRectRatio);
    label->position->setCoords(0.995, 0.99);
    sizes_ = label;
}

double FrontierChart::bottomEdge() const {
    const QCPRange shown = plot_->yAxis->range();
    return plot_->yAxis->rangeReversed() ? shown.upper : shown.lower;
}

/// The text at the bottom covers what is under it. How much of the axis that is depends on the plot's height.
void FrontierChart::reserveTextSpace() {
    if (sizes_ == nullptr || bottomEdge() != textEdge_) return;  // the user has moved it
    QCPAxis* axis = plot_->yAxis;
    const bool reversed = axis->rangeReversed();
    const QCPAxisRect* rect = axis->axisRect();
    const double height = rect->bottom() - sizes_->topLeft->pixelPosition().y() + px(8);
    const double part = std::min(height / rect->height(), 0.4);
    const double topEdge = reversed ? axis->range().lower : axis->range().upper;
    const double edge = (pointsEdge_ - part * topEdge) / (1 - part);
    reversed ? axis->setRangeUpper(edge) : axis->setRangeLower(edge);
    textEdge_ = bottomEdge();
}

void FrontierChart::addMarks() {
    const auto marker = [this](QCPScatterStyle::ScatterShape shape, double size) {
        auto* curve = new QCPCurve(plot_->xAxis, plot_->yAxis);
        curve->setLineStyle(QCPCurve::lsNone);
        curve->setScatterStyle(QCPScatterStyle(shape, QPen(theme().accent, 2), Qt::NoBrush, px(size)));
        return curve;
    };
    ring_ = marker(QCPScatterStyle::ssCircle, 22);
    marks_ = marker(QCPScatterStyle::ssSquare, 19);
    outline_ = new QCPCurve(plot_->xAxis, plot_->yAxis);
    outline_->setPen(QPen(theme().accent, 1.5));
    QColor fill = theme().accent;
    fill.setAlphaF(0.12F);
    outline_->setBrush(fill);
    line_ = new QCPItemStraightLine(plot_);
    line_->setPen(QPen(theme().accent, 1.5, Qt::DashLine));
    levelLine_ = new QCPItemStraightLine(plot_);
    levelLine_->setPen(QPen(theme().accent, 1.5, Qt::DashDotDotLine));
    updateMarks();
}

QPointF FrontierChart::pointAt(PointIndex index) const {
    return plane_->values(plane_->curves[static_cast<std::size_t>(index.curve)]
                              .planePoints[static_cast<std::size_t>(index.point)]);
}

void FrontierChart::updateMarks() {
    ring_->data()->clear();
    if (pinned_.valid()) addAt(ring_, 0, pointAt(pinned_));
    marks_->data()->clear();
    for (std::size_t i = 0; i < chosen_.size(); ++i)
        addAt(marks_, static_cast<double>(i), pointAt(chosen_[i]));
    line_->point1->setCoords(slice_, 0);
    line_->point2->setCoords(slice_, 1);
    levelLine_->point1->setCoords(0, level_);
    levelLine_->point2->setCoords(1, level_);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void FrontierChart::drawLasso() {
    outline_->data()->clear();
    for (qsizetype i = 0; i < drawn_.size(); ++i)
        outline_->addData(static_cast<double>(i), plot_->xAxis->pixelToCoord(drawn_[i].x()),
                          plot_->yAxis->pixelToCoord(drawn_[i].y()));
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void FrontierChart::setLevel(double y) {
    if (plane_ == nullptr || plane_->isEmpty()) return;
    level_ = std::clamp(y, bottom_, top_);
    updateMarks();
    Q_EMIT levelChanged(level_);
}

void FrontierChart::nudgeLevel(int direction) {
    if (plane_ != nullptr) setLevel(level_ + direction * plane_->direction * (top_ - bottom_) / 100);
}

void FrontierChart::openPinned() {
    if (pinned_.valid()) Q_EMIT opened(pinned_);
}

void FrontierChart::fit() {
    rebuild();
}

void FrontierChart::choose(std::vector<PointIndex> indices) {
    if (plane_ == nullptr || plane_->isEmpty()) return;
    chosen_ = std::move(indices);
    updateMarks();
    Q_EMIT chosenChanged();
}

void FrontierChart::toggle(PointIndex index) {
    if (!index.valid()) return;
    std::vector<PointIndex> indices = chosen_;
    const auto found = std::find(indices.begin(), indices.end(), index);
    found == indices.end() ? indices.push_back(index) : static_cast<void>(indices.erase(found));
    choose(std::move(indices));
}

void FrontierChart::setLasso(bool on) {
    if (lassoMode_ == on) return;
    lassoMode_ = on;
    plot_->setCursor(on ? Qt::CrossCursor : Qt::ArrowCursor);
    Q_EMIT lassoChanged(on);
}

void FrontierChart::setSlice(double x) {
    if (plane_ == nullptr || plane_->isEmpty()) return;
    slice_ = std::clamp(x, low_, high_);
    updateMarks();
    Q_EMIT sliceChanged(slice_);
}

void FrontierChart::nudgeSlice(int direction) {
    setSlice(slice_ + direction * (high_ - low_) / 100);
}

void FrontierChart::pin(PointIndex index) {
    if (plane_ == nullptr || plane_->isEmpty()) return;
    pinned_ = index;
    updateMarks();
    Q_EMIT pinnedChanged(index);
}

void FrontierChart::pinNext(int direction) {
    if (plane_ == nullptr || plane_->isEmpty()) return;
    std::vector<std::pair<double, PointIndex>> order;
    for (std::size_t c = 0; c < plane_->curves.size(); ++c)
        for (std::size_t d = 0; d < plane_->curves[c].planePoints.size(); ++d)
            order.push_back({plane_->curves[c].planePoints[d].x, {static_cast<int>(c), static_cast<int>(d)}});
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto here =
        std::find_if(order.begin(), order.end(), [&](const auto& o) { return o.second == pinned_; });
    const auto count = static_cast<std::ptrdiff_t>(order.size());
    std::ptrdiff_t next =
        here == order.end() ? (direction > 0 ? 0 : count - 1) : here - order.begin() + direction;
    pin(order[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, count - 1))].second);
}

}  // namespace kurve::views
