#include "views/common/chart/line_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "views/common/chart/chart_head.h"
#include "views/common/chart/chart_legend.h"
#include "views/common/chart/guide_line.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/smoothing_control.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

namespace {

using Form = ChartLayer::Form;

QPen markPen() {
    QColor colour = theme().warn;
    colour.setAlphaF(0.6f);
    return {colour, 1, Qt::DotLine};
}
QPen referencePen() {
    return {theme().muted, 1.2 * theme().scale, Qt::DashDotLine};
}

}  // namespace

LineChart::LineChart(const QString& id, const QString& title, QWidget* parent)
    : QWidget(parent),
      title_(title),
      plot_(new QCustomPlot),
      scales_{AxisScale(plot_->xAxis), AxisScale(plot_->yAxis)},
      playhead_(new GuideLine(plot_, Qt::Vertical)),
      cursor_(new GuideLine(plot_, Qt::Vertical)),
      guides_(*plot_),
      playheadAt_(std::numeric_limits<double>::quiet_NaN()),
      ranges_(*plot_, scales_, curves_),
      zoom_(new ChartZoom(*plot_, scales_, *this)) {
    describe(this, id, title, {.role = "card", .filled = true});
    auto* column = vboxIn(this, {}, {.spacing = 0});
    column->setContentsMargins(px(2), 1, px(2), px(4));  // inside the card's round corners
    head_ = new ChartHead(id, *this, *column);
    column->addWidget(plot_, 1);
    buildPlot();
    addKeys();
    connect(plot_, &QCustomPlot::beforeReplot, this, [this] {
        settle();
        ranges_.countOutside();
    });
    onThemeChange(this, &LineChart::applyTheme);
    setTitle(title);
    applyTheme();
    showButtons(false);
}

LineChart::~LineChart() = default;

void LineChart::setTitle(const QString& title, const QString& unit, const QString& tip) {
    title_ = title;
    unit_ = unit;
    nameTitle();
    head_->setAbout(tip);
    setAccessibleName(title);
}

void LineChart::setKeyTitle(const QString& title) {
    keyTitle_ = title;
}

void LineChart::applyTheme() {
    stylePlot(plot_);
    playhead_->setPen(QPen(theme().accent, 1.5 * theme().scale));
    cursor_->setPen(QPen(theme().faint, 1, Qt::DotLine));
    zoom_->applyTheme();
    for (const auto& [id, curve] : curves_) styleCurve(id);
    updateLegend();
    queueReplot();
}

void LineChart::styleCurve(const QString& id) {
    using Emphasis = ChartCurve::Emphasis;
    const Emphasis emphasis = pointed_.contains(id) ? Emphasis::Pointed
                              : id == main_         ? Emphasis::Main
                                                    : Emphasis::None;
    if (const auto found = curves_.find(id); found != curves_.end()) found->second->style(emphasis);
}

void LineChart::setCurve(const QString& id, const CurveSpec& spec, const CurvePoints& points) {
    auto& curve = curves_[id];
    const bool known = curve && curve->spec() == spec;
    if (!curve) curve = std::make_unique<ChartCurve>(id, *plot_, scales_, smoothing_);
    if (!curve->set(spec, points)) return;
    if (!known) styleCurve(id);
    touch();
}

void LineChart::setCurve(const QString& id, const CurveSpec& spec, std::span<const double> x,
                         std::span<const double> y) {
    setCurve(id, spec, CurvePoints(x, y));
}

void LineChart::setSmoothing(const series::Smoothing& smoothing) {
    smoothing_ = smoothing;
    smoothing_.strength = std::clamp(smoothing.strength, 0.0, 0.999);
    for (auto& [id, curve] : curves_) {
        curve->smooth();
        styleCurve(id);
    }
    updateLegend();
    queueReplot();
}

void LineChart::keepOnly(const QStringList& ids) {
    if (std::erase_if(curves_, [&](const auto& entry) { return !ids.contains(entry.first); }) > 0) touch();
}

void LineChart::setReference(const QString& id, double y, const QString& label) {
    const auto found = references_.find(id);
    const bool known = found != references_.end();
    if (std::isfinite(y) ? known && found->second.y == y && found->second.label == label : !known) return;
    if (std::isfinite(y))
        references_[id] = {y, label};
    else
        references_.erase(found);
    touch();
}

void LineChart::setMarks(std::vector<Mark> marks) {
    if (marks == marks_) return;
    marks_ = std::move(marks);
    touch();
}

void LineChart::setPlayhead(double x) {
    if (x == playheadAt_ || (std::isnan(x) && std::isnan(playheadAt_))) return;
    playheadAt_ = x;
    playhead_->setVisible(std::isfinite(x) && !(scales_.keys.isLog() && x <= 0));
    if (playhead_->visible()) playhead_->setAt(scales_.keys.toCoord(x));
    queueReplot();
}

void LineChart::setBand(const QString& id, std::span<const double> x, std::span<const double> low,
                        std::span<const double> high) {
    const auto found = curves_.find(id);
    if (found == curves_.end()) return;
    found->second->setBand(x, low, high);
    styleCurve(id);
    touch();
}

void LineChart::setMainCurve(const QString& id) {
    if (main_ == id) return;
    const QString before = std::exchange(main_, id);
    styleCurve(before);
    styleCurve(main_);
    queueReplot();
}

void LineChart::setPointed(const QStringList& ids) {
    if (pointed_ == ids) return;
    const QStringList before = std::exchange(pointed_, ids);
    for (const QStringList& changed : {before, pointed_})
        for (const QString& id : changed) styleCurve(id);
    queueReplot();
}

void LineChart::setKeyIsTime(bool on) {
    if (areDates() == on) return;
    if (on) {
        setKeyScale(Scale::Linear);
        const auto ticker = QSharedPointer<QCPAxisTickerDateTime>::create();
        ticker->setDateTimeFormat(QStringLiteral("d MMM\nHH:mm"));
        plot_->xAxis->setTicker(ticker);
    } else {
        setLinearTicks(plot_->xAxis);
    }
    applyTheme();
}

void LineChart::fit() {
    zoom_->follow();
    touch();
}

bool LineChart::areDates() const {
    return !plot_->xAxis->ticker().dynamicCast<QCPAxisTickerDateTime>().isNull();
}

void LineChart::followData() {
    if (zoom_->isFollowing() && ranges_.fitKeys() && !zoom_->keepsValues()) fitValues();
}

void LineChart::fitValues() {
    std::vector<double> references;
    for (const auto& [id, reference] : references_) references.push_back(reference.y);
    ranges_.fitValues(!zoom_->isFollowing(), references);
}

void LineChart::rescale(AxisScale& scale, Scale kind, double largest) {
    const bool moves = scale.kind() == Scale::SymLog || kind == Scale::SymLog;
    std::map<QString, ChartCurve::Points> data;
    for (const auto& [id, curve] : curves_)
        if (moves) data[id] = curve->points();
    scale.set(kind, largest);
    nameScales();
    for (const auto& [id, points] : data) curves_[id]->rescale(points);
    const double at = std::exchange(playheadAt_, std::numeric_limits<double>::quiet_NaN());
    setPlayhead(at);
    applyTheme();
    zoom_->follow();  // the range of the old scale does not apply
    zoom_->forget();
    followData();
    Q_EMIT scaleChanged();
}

double LineChart::largest(std::vector<double> ChartCurve::Points::*part) const {
    double largest = 0;
    for (const auto& [id, curve] : curves_)
        for (const double value : curve->points().*part)
            if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    return largest;
}

void LineChart::setKeyScale(Scale scale) {
    if (areDates() && scale != Scale::Linear) return nameScales();
    if (scale == keyScale()) return nameScales();
    rescale(scales_.keys, scale, scale == Scale::SymLog ? largest(&ChartCurve::Points::x) : 0);
}

void LineChart::setValueScale(Scale scale) {
    if (scale == valueScale()) return nameScales();
    rescale(scales_.values, scale, scale == Scale::SymLog ? largest(&ChartCurve::Points::y) : 0);
}

void LineChart::nextKeyScale() {
    setKeyScale(static_cast<Scale>((static_cast<int>(keyScale()) + 1) % 3));
}

void LineChart::nextValueScale() {
    setValueScale(static_cast<Scale>((static_cast<int>(valueScale()) + 1) % 3));
}

void LineChart::nameScales() {
    head_->setScales(keyScale(), valueScale());
}

/// Smoothing is always named.
void LineChart::nameTitle() {
    head_->setTitle(title_, {unit_, smoothingText()});
}

void LineChart::setNamesFirst(bool on) {
    head_->legend().setNamesFirst(on);
}

void LineChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    head_->placeLegend();
}

QString LineChart::smoothingText() const {
    const bool any = std::any_of(curves_.begin(), curves_.end(),
                                 [](const auto& entry) { return entry.second->isSmoothed(); });
    return any ? smoothingName(smoothing_) : QString();
}

/// References and marks, over points only.
void LineChart::drawGuides(bool any) {
    std::vector<ChartLayer> guides;
    for (const auto& [id, reference] : references_)
        guides.push_back(
            {Form::HorizontalGuide, {}, {}, {scales_.values.toCoord(reference.y)}, referencePen()});
    for (const Mark& mark : marks_)
        guides.push_back({Form::VerticalGuide, {}, {scales_.keys.toCoord(mark.x)}, {}, markPen()});
    guides_.show(any ? guides : std::vector<ChartLayer>());
}

void LineChart::updateLegend() {
    nameTitle();
    std::vector<ChartLegend::Entry> entries;
    for (const auto& [id, curve] : curves_) {
        const CurveSpec& spec = curve->spec();
        if (spec.label.isEmpty() || curve->empty()) continue;
        entries.push_back({spec.style.color,
                           spec.style.dash == Qt::SolidLine ? QStringLiteral("━") : QStringLiteral("╍"),
                           spec.label, numberText(curve->last())});
    }
    for (const auto& [id, reference] : references_)
        entries.push_back({theme().muted, QStringLiteral("┄"), reference.label, numberText(reference.y)});
    // Axes without a curve would show arbitrary numbers.
    const bool any =
        std::any_of(curves_.begin(), curves_.end(), [](const auto& entry) { return !entry.second->empty(); });
    plot_->axisRect()->setVisible(any);
    for (QCPAxis* axis : plot_->axisRect()->axes())
        axis->setVisible(any && (axis == plot_->xAxis || axis == plot_->yAxis));
    drawGuides(any);
    if (!any) return head_->legend().setNote(tr("no points yet"));
    head_->legend().setEntries(std::move(entries));
    head_->placeLegend();
}

// ---- replots ----

void LineChart::touch() {
    stale_ = true;
    queueReplot();
}

void LineChart::settle() {
    if (!std::exchange(stale_, false)) return;
    followData();
    updateLegend();
}

QCustomPlot* LineChart::plot() {
    settle();
    ranges_.countOutside();
    return plot_;
}

// A chart that is scrolled out of view waits, like one on a hidden page.
void LineChart::queueReplot() {
    if (isVisible() && !visibleRegion().isEmpty()) return plot_->replot(QCustomPlot::rpQueuedReplot);
    dirty_ = true;
    if (stale_) QMetaObject::invokeMethod(this, &LineChart::settle, Qt::QueuedConnection);  // for exports
}

void LineChart::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (std::exchange(dirty_, false)) plot_->replot(QCustomPlot::rpQueuedReplot);
}

void LineChart::paintEvent(QPaintEvent* event) {
    QWidget::paintEvent(event);
    if (std::exchange(dirty_, false)) plot_->replot(QCustomPlot::rpQueuedReplot);
    if (hasFocus()) paintFocusFrame(*this);
}

}  // namespace kurve::views
