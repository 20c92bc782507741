#include "views/frontier/frontier_chart.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "views/common/chart/plot_points.h"
#include "views/common/chart/plot_style.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/page_wheel.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

using Form = ChartLayer::Form;

double secondsOf(const frontier::SweepPoint& point) {
    return std::max(point.cost.seconds, 1e-6);
}

/// A disc of 6 to 16 pixels at 100 % (runMarker() scales): equal ratios of cost look equally different.
double pointSize(double seconds, double cheapest, double dearest) {
    const double range = std::log(dearest / cheapest);
    return range > 0 ? 6 + 10 * std::log(seconds / cheapest) / range : 9;
}

double margin(double value) {
    return value == 0 ? 1 : std::abs(value) / 10;
}

QPen dotted() {
    return {theme().muted, 1, Qt::DotLine};
}

/// Markers at points, without a line.
ChartLayer markersAt(const std::vector<QPointF>& points, const QCPScatterStyle& marker) {
    ChartLayer layer{Form::Path};
    for (const QPointF& point : points) {
        layer.x.push_back(point.x());
        layer.y.push_back(point.y());
    }
    layer.marker = marker;
    return layer;
}

ChartLayer ellipseOf(const frontier::Ellipse& ellipse, const QColor& color) {
    ChartLayer outline{Form::Path};
    QColor faint = color;
    faint.setAlphaF(0.12F);
    outline.brush = faint;
    faint.setAlphaF(0.45F);
    outline.pen = QPen(faint, 1);
    constexpr int kCorners = 64;
    for (int k = 0; k <= kCorners; ++k) {
        const double turn = 2 * std::numbers::pi * k / kCorners;
        const double u = ellipse.major * std::cos(turn), v = ellipse.minor * std::sin(turn);
        outline.x.push_back(ellipse.x + u * std::cos(ellipse.angle) - v * std::sin(ellipse.angle));
        outline.y.push_back(ellipse.y + u * std::sin(ellipse.angle) + v * std::cos(ellipse.angle));
    }
    return outline;
}

}  // namespace

FrontierChart::FrontierChart(QWidget* parent)
    : QWidget(parent), plot_(new QCustomPlot), layers_(*plot_), marks_(*plot_, QStringLiteral("marks")) {
    describe(plot_, "frontier.plot", tr("Quality against diversity"));
    plot_->setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot_->setMinimumSize(px(190), px(200));
    plot_->setFocusPolicy(Qt::StrongFocus);
    plot_->installEventFilter(this);
    new PageWheel(*plot_, *plot_);
    plot_->setMouseTracking(true);
    plot_->setAttribute(Qt::WA_NoMousePropagation, false);  // QCustomPlot's: it would keep the menu's request
    vboxIn(this, {plot_}, {.margins = 0});
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
    for (QCPAbstractItem* note : notes_) plot_->removeItem(note);
    notes_.clear();
    sizes_ = nullptr;
    marks_.show({});
    stylePlot(plot_);
    plot_->yAxis->setRangeReversed(plane_ != nullptr && plane_->direction < 0);  // better is up
    std::vector<ChartLayer> layers;
    if (plane_ != nullptr && !plane_->isEmpty()) {
        double cheapest = INFINITY, dearest = 0;
        for (const auto& curve : plane_->curves)
            for (const auto* point : curve.points) {
                cheapest = std::min(cheapest, secondsOf(*point));
                dearest = std::max(dearest, secondsOf(*point));
            }
        for (const auto& curve : plane_->curves) addCurve(layers, curve, cheapest, dearest);
        if (isPerplexity(*plane_)) crossOutRepetitive(layers);
        addReference(layers);
        layers_.show(layers);
        plot_->rescaleAxes();
        // A single value gives no scale.
        if (high_ == low_) plot_->xAxis->setRange(low_ - margin(low_), low_ + margin(low_));
        if (top_ == bottom_) plot_->yAxis->setRange(top_ - margin(top_), top_ + margin(top_));
        markReference();
        plot_->xAxis->scaleRange(1.12);
        plot_->yAxis->scaleRange(1.15);
        pointsEdge_ = textEdge_ = bottomEdge();
        addSizes();
        updateMarks();
    } else {
        layers_.show({});
    }
    setAxisTitle(plot_->xAxis, xTitle_);
    setAxisTitle(plot_->yAxis,
                 plot_->yAxis->rangeReversed() ? tr("%1 (lower is better)").arg(yTitle_) : yTitle_);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void FrontierChart::addCurve(std::vector<ChartLayer>& layers, const FrontCurve& curve, double cheapest,
                             double dearest) const {
    const RunStyle style = runStyle(curve.runId);
    std::vector<QPointF> front;
    for (const std::size_t point : curve.front) front.push_back(plane_->values(curve.planePoints[point]));
    layers.push_back(markersAt(front, {}));
    layers.back().pen = style.pen();
    for (std::size_t i = 0; i < curve.planePoints.size(); ++i) {
        const bool onFront = std::find(curve.front.begin(), curve.front.end(), i) != curve.front.end();
        QColor fill = style.color;
        fill.setAlphaF(onFront ? 0.9F : 0.25F);
        if (onFront && curve.ellipses[i]) layers.push_back(ellipseOf(*curve.ellipses[i], style.color));
        QCPScatterStyle marker = runMarker(style, pointSize(secondsOf(*curve.points[i]), cheapest, dearest));
        if (marker.shape() == QCPScatterStyle::ssDisc)
            marker.setShape(QCPScatterStyle::ssCircle);  // takes a brush
        marker.setPen(QPen(style.color, 1.2));
        marker.setBrush(fill);
        layers.push_back(markersAt({plane_->values(curve.planePoints[i])}, marker));
    }
}

/// Perplexity rewards repetition, whatever the other axis is.
void FrontierChart::crossOutRepetitive(std::vector<ChartLayer>& layers) const {
    std::vector<QPointF> repetitive;
    for (const auto& curve : plane_->curves)
        for (std::size_t i = 0; i < curve.planePoints.size(); ++i)
            if (frontier::isRepetitive(*curve.points[i]))
                repetitive.push_back(plane_->values(curve.planePoints[i]));
    const QPen pen(theme().text, 1.6);
    layers.push_back(markersAt(repetitive, {QCPScatterStyle::ssCross, pen, Qt::NoBrush, double(px(15))}));
}

/// The references' diversity, and their quality by the scorer: a star where the two lines meet.
void FrontierChart::addReference(std::vector<ChartLayer>& layers) const {
    if (!plane_->referenceDiversity) return;
    const double x = *plane_->referenceDiversity;
    layers.push_back({Form::VerticalGuide, {}, {x}, {}, dotted()});
    if (!plane_->referenceQuality) return;
    const double y = *plane_->referenceQuality;
    const QPen pen(theme().text, 1.6);
    layers.push_back({Form::HorizontalGuide, {}, {}, {y}, dotted()});
    layers.push_back(markersAt({{x, y}}, {QCPScatterStyle::ssStar, pen, Qt::NoBrush, double(px(13))}));
}

/// Text with the plot's background, above its lines.
QCPItemText* FrontierChart::addText(const QString& text, Qt::Alignment alignment) {
    const QString layer = QStringLiteral("texts");
    if (plot_->layer(layer) == nullptr) plot_->addLayer(layer);
    auto* label = new QCPItemText(plot_);
    label->setLayer(layer);
    label->setBrush(theme().surface);
    label->position->setTypeY(QCPItemPosition::ptAxisRectRatio);
    label->setPositionAlignment(alignment);
    label->setPadding({px(4), px(2), px(4), px(2)});
    label->setText(text);
    label->setFont(smallFont());
    label->setColor(theme().muted);
    notes_.push_back(label);
    return label;
}

/// Shows the references within the axes, with the zone of clearly less diversity.
void FrontierChart::markReference() {
    if (!plane_->referenceDiversity) return;
    const double at = *plane_->referenceDiversity, limit = frontier::kRepetitiveFraction * at;
    plot_->xAxis->setRange(plot_->xAxis->range().expanded(QCPRange(std::min(low_, at), std::max(high_, at))));
    if (const auto y = plane_->referenceQuality)
        plot_->yAxis->setRange(
            plot_->yAxis->range().expanded(QCPRange(std::min(bottom_, *y), std::max(top_, *y))));
    if (plot_->xAxis->range().lower < limit) {
        auto* zone = new QCPItemRect(plot_);
        for (QCPItemPosition* corner : {zone->topLeft, zone->bottomRight})
            corner->setTypeY(QCPItemPosition::ptAxisRectRatio);
        zone->topLeft->setCoords(-1e9, 0);
        zone->bottomRight->setCoords(limit, 1);
        zone->setPen(Qt::NoPen);
        zone->setBrush(QBrush(theme().grid, Qt::BDiagPattern));
        zone->setLayer(QStringLiteral("background"));
        notes_.push_back(zone);
    }
    const bool left = at < plot_->xAxis->range().center();  // towards the longer side
    QCPItemText* label =
        addText(tr("★ reference texts"), Qt::AlignTop | (left ? Qt::AlignLeft : Qt::AlignRight));
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
    QCPItemText* label = addText(text, Qt::AlignBottom | Qt::AlignRight);
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

QPointF FrontierChart::pointAt(PointIndex index) const {
    return plane_->values(plane_->curves[static_cast<std::size_t>(index.curve)]
                              .planePoints[static_cast<std::size_t>(index.point)]);
}

void FrontierChart::updateMarks() {
    const QPen ring(theme().accent, 2);
    std::vector<QPointF> pinned, chosen, outline;
    if (pinned_.valid()) pinned.push_back(pointAt(pinned_));
    for (const PointIndex index : chosen_) chosen.push_back(pointAt(index));
    for (const QPointF& pixel : drawn_) outline.push_back(coordsOf(*plot_, pixel));
    ChartLayer lasso = markersAt(outline, {});
    lasso.pen = QPen(theme().accent, 1.5);
    QColor fill = theme().accent;
    fill.setAlphaF(0.12F);
    lasso.brush = fill;
    marks_.show({markersAt(pinned, {QCPScatterStyle::ssCircle, ring, Qt::NoBrush, double(px(22))}),
                 markersAt(chosen, {QCPScatterStyle::ssSquare, ring, Qt::NoBrush, double(px(19))}),
                 lasso,
                 {Form::VerticalGuide, {}, {slice_}, {}, QPen(theme().accent, 1.5, Qt::DashLine)},
                 {Form::HorizontalGuide, {}, {}, {level_}, QPen(theme().accent, 1.5, Qt::DashDotDotLine)}});
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
    std::vector<PointIndex> order = allPoints();
    std::stable_sort(order.begin(), order.end(),
                     [this](PointIndex a, PointIndex b) { return pointAt(a).x() < pointAt(b).x(); });
    const auto here = std::find(order.begin(), order.end(), pinned_);
    const auto count = static_cast<std::ptrdiff_t>(order.size());
    std::ptrdiff_t next =
        here == order.end() ? (direction > 0 ? 0 : count - 1) : here - order.begin() + direction;
    pin(order[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(next, 0, count - 1))]);
}

}  // namespace kurve::views
