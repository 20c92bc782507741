#include "views/frontier/frontier_chart.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "views/common/chart/plot_points.h"
#include "views/common/chart/plot_style.h"
#include "views/common/form/controls.h"
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

/// Text with the plot's background, above its lines.
ChartLayer textAt(const QString& text, const QPointF& at, Qt::Orientations fractions,
                  Qt::Alignment alignment) {
    ChartLayer label{Form::Label, text, {at.x()}, {at.y()}, theme().muted, theme().surface};
    label.alignment = alignment;
    label.fractions = fractions;
    return label;
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
    : PlotCard(QStringLiteral("frontier.chart"), tr("Quality against diversity"), parent),
      marks_(*plot(), QStringLiteral("marks")) {
    describe(plot(), "frontier.plot", tr("Quality against diversity"));
    setPart();
    plot()->setMinimumSize(px(190), px(200));
    plot()->setMouseTracking(true);
    makeZoomable({tr("Quality against diversity"), [this] { fitAll(); },
                  [this] { return pinned_.valid() ? pointAt(pinned_) : QPointF(NAN, NAN); },
                  ChartZoom::Arrows::Chart});
    connect(plot(), &QCustomPlot::afterLayout, this, &FrontierChart::reserveTextSpace);
    connect(this, &PlotCard::restyled, this, &FrontierChart::draw);
}

void FrontierChart::show(const Plane& plane, const std::function<QString(const QString&)>& axisText) {
    plane_ = &plane;
    pinned_ = hovered_ = {};
    chosen_.clear();
    if (hasPoints()) takeRange(axisText(plane.diversity), axisText(plane.quality));
    draw();
    Q_EMIT pinnedChanged(pinned_);
    Q_EMIT chosenChanged();
}

bool FrontierChart::hasPoints() const {
    return plane_ != nullptr && !plane_->isEmpty();
}

void FrontierChart::takeRange(const QString& xTitle, const QString& yTitle) {
    const bool otherAxes = xTitle_ != xTitle || yTitle_ != yTitle;
    xTitle_ = xTitle;
    yTitle_ = yTitle;
    low_ = bottom_ = INFINITY;
    high_ = top_ = -INFINITY;
    QStringList runs;
    for (const auto& curve : plane_->curves) {
        runs << curve.title;
        for (const auto& each : curve.planePoints) {
            const QPointF point = plane_->values(each);
            low_ = std::min(low_, point.x());
            high_ = std::max(high_, point.x());
            bottom_ = std::min(bottom_, point.y());
            top_ = std::max(top_, point.y());
        }
    }
    if (otherAxes) {
        slice_ = (low_ + high_) / 2;
        level_ = (bottom_ + top_) / 2;
    }
    slice_ = std::clamp(slice_, low_, high_);
    level_ = std::clamp(level_, bottom_, top_);
    if (std::exchange(runs_, runs) != runs || otherAxes) setOtherAxes();
}

void FrontierChart::draw() {
    std::vector<ChartLayer> layers;
    if (!hasPoints()) {
        marks_.show({});
        return setLayers({});
    }
    const bool reversed = plane_->direction < 0;  // better is up
    plot()->yAxis->setRangeReversed(reversed);
    setAxisTitle(plot()->xAxis, xTitle_);
    setAxisTitle(plot()->yAxis, reversed ? tr("%1 (lower is better)").arg(yTitle_) : yTitle_);
    double cheapest = INFINITY, dearest = 0;
    for (const auto& curve : plane_->curves)
        for (const auto* point : curve.points) {
            cheapest = std::min(cheapest, secondsOf(*point));
            dearest = std::max(dearest, secondsOf(*point));
        }
    for (const auto& curve : plane_->curves) addCurve(layers, curve, cheapest, dearest);
    if (isPerplexity(*plane_)) crossOutRepetitive(layers);
    addReference(layers);
    layers.push_back(sizes());
    sizes_ = layers.back().name;
    setLayers(layers);
    updateMarks();
    fitData();
}

/// The points with their ellipses and the references, with a margin.
void FrontierChart::fitAll() {
    if (!hasPoints()) return;
    QCPAxis *x = plot()->xAxis, *y = plot()->yAxis;
    plot()->rescaleAxes();
    // A single value gives no scale.
    if (high_ == low_) x->setRange(low_ - margin(low_), low_ + margin(low_));
    if (top_ == bottom_) y->setRange(top_ - margin(top_), top_ + margin(top_));
    const auto include = [](QCPAxis* axis, const std::optional<double>& reference) {
        if (reference) axis->setRange(axis->range().expanded({*reference, *reference}));
    };
    include(x, plane_->referenceDiversity);
    include(y, plane_->referenceDiversity ? plane_->referenceQuality : std::nullopt);
    x->scaleRange(1.12);
    y->scaleRange(1.15);
    lowest_ = y->range().lower;
    highest_ = y->range().upper;
    reserveTextSpace();
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

/// The references' diversity with the zone of clearly less, and their quality by the scorer: a star where the
/// two lines meet.
void FrontierChart::addReference(std::vector<ChartLayer>& layers) const {
    if (!plane_->referenceDiversity) return;
    const double x = *plane_->referenceDiversity;
    layers.push_back({Form::Zone, {}, {-1e9, frontier::kRepetitiveFraction * x}});
    layers.back().brush = QBrush(theme().grid, Qt::BDiagPattern);
    layers.push_back({Form::VerticalGuide, {}, {x}, {}, dotted()});
    if (plane_->referenceQuality) {
        const double y = *plane_->referenceQuality;
        const QPen pen(theme().text, 1.6);
        layers.push_back({Form::HorizontalGuide, {}, {}, {y}, dotted()});
        layers.push_back(markersAt({{x, y}}, {QCPScatterStyle::ssStar, pen, Qt::NoBrush, double(px(13))}));
    }
    const bool left = x < (low_ + high_) / 2;  // towards the longer side
    layers.push_back(textAt(tr("★ reference texts"), {x, 0.01}, Qt::Vertical,
                            Qt::AlignTop | (left ? Qt::AlignLeft : Qt::AlignRight)));
}

/// The evaluation settings are part of the picture, also where it is exported.
ChartLayer FrontierChart::sizes() const {
    const auto& point = *plane_->curves.front().points.front();
    QStringList parts{tr("%1 × %2, %3")
                          .arg(countedText(point.sentences, tr("sentence")),
                               countedText(static_cast<qint64>(point.seeds.size()), tr("seed")),
                               QString::fromStdString(point.split))};
    if (plane_->leftOut > 0) parts << tr("Excluded: other evaluation settings (%1)").arg(plane_->leftOut);
    QString text = parts.join(QStringLiteral("; "));
    if (isPerplexity(*plane_)) text += tr("\nPerplexity rewards repetition: crossed out where likely");
    return textAt(text, {0.995, 0.99}, Qt::Horizontal | Qt::Vertical, Qt::AlignBottom | Qt::AlignRight);
}

/// The text at the bottom covers what is under it. How much of the axis that is depends on the plot's height.
void FrontierChart::reserveTextSpace() {
    if (!hasPoints() || !zoom()->isAutomatic()) return;
    const QRect area = plot()->axisRect()->rect();
    const QFontMetrics metrics(smallFont());
    const int text = metrics.lineSpacing() * static_cast<int>(sizes_.count(QLatin1Char('\n')) + 1);
    const double part = std::min((0.01 * area.height() + text + px(12)) / area.height(), 0.4);
    const double more = (highest_ - lowest_) * part / (1 - part);
    const bool reversed = plot()->yAxis->rangeReversed();
    plot()->yAxis->setRange(reversed ? lowest_ : lowest_ - more, reversed ? highest_ + more : highest_);
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
    for (const QPointF& pixel : drawn_) outline.push_back(coordsOf(*plot(), pixel));
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
    queueReplot();
}

void FrontierChart::setLevel(double y) {
    if (!hasPoints()) return;
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

void FrontierChart::choose(std::vector<PointIndex> indices) {
    if (!hasPoints()) return;
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
    plot()->setCursor(on ? Qt::CrossCursor : Qt::ArrowCursor);
    Q_EMIT lassoChanged(on);
}

void FrontierChart::setSlice(double x) {
    if (!hasPoints()) return;
    slice_ = std::clamp(x, low_, high_);
    updateMarks();
    Q_EMIT sliceChanged(slice_);
}

void FrontierChart::nudgeSlice(int direction) {
    setSlice(slice_ + direction * (high_ - low_) / 100);
}

void FrontierChart::pin(PointIndex index) {
    if (!hasPoints()) return;
    pinned_ = index;
    updateMarks();
    Q_EMIT pinnedChanged(index);
}

void FrontierChart::pinNext(int direction) {
    if (!hasPoints()) return;
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
