#include "views/common/chart/line_chart.h"

#include <QHBoxLayout>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "views/common/chart/chart_legend.h"
#include "views/common/chart/guide_line.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/series_plottable.h"
#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/text/elided_label.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr int kLateMilliseconds = 1000;  ///< delay of changes too small to be visible

QToolButton* titleButton(const QString& id, const QString& text, const QString& tip) {
    auto* button = describe(new QToolButton, id, tip, tip, {.text = text, .role = "mini"});
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

}  // namespace

LineChart::LineChart(const QString& id, const QString& title, QWidget* parent)
    : QWidget(parent),
      title_(title),
      plot_(new QCustomPlot),
      scales_{AxisScale(plot_->xAxis), AxisScale(plot_->yAxis)},
      titleLabel_(new ElidedLabel("title")),
      legend_(new ChartLegend),
      playhead_(new GuideLine(plot_, Qt::Vertical)),
      cursor_(new GuideLine(plot_, Qt::Vertical)),
      guides_(*plot_),
      playheadAt_(std::numeric_limits<double>::quiet_NaN()),
      ranges_(*plot_, scales_, curves_),
      zoom_(new ChartZoom(*plot_, scales_, *this)) {
    describe(this, id, title, {.role = "card", .filled = true});
    buildHead(id);
    buildPlot();
    addKeys();
    late_.setSingleShot(true);
    late_.setInterval(kLateMilliseconds);
    connect(&late_, &QTimer::timeout, this, &LineChart::queueReplot);
    connect(plot_, &QCustomPlot::beforeReplot, this, [this] {
        settle();
        ranges_.countOutside();
    });
    connect(plot_, &QCustomPlot::afterReplot, this, &LineChart::noteDrawn);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &LineChart::applyTheme);
    setTitle(title);
    applyTheme();
    showButtons(false);
}

void LineChart::buildHead(const QString& id) {
    logX_ = titleButton(id + QStringLiteral(".logx"), tr("X"),
                        tr("x axis: linear, logarithmic, symmetric logarithmic"));
    logY_ = titleButton(id + QStringLiteral(".logy"), tr("Y"),
                        tr("y axis: linear, logarithmic, symmetric logarithmic"));
    logX_->setCheckable(true);
    logY_->setCheckable(true);
    fit_ = titleButton(id + QStringLiteral(".fit"), tr("Fit"), tr("Fit to data and follow new points"));
    connect(logX_, &QToolButton::clicked, this, &LineChart::nextKeyScale);
    connect(logY_, &QToolButton::clicked, this, &LineChart::nextValueScale);
    connect(fit_, &QToolButton::clicked, this, &LineChart::resetView);

    head_ = new QHBoxLayout;
    head_->setContentsMargins(px(space::kMedium), px(space::kTight), px(space::kTight), 0);
    head_->setSpacing(px(2));
    head_->addWidget(titleLabel_);
    head_->addSpacing(px(space::kSmall));
    head_->addWidget(legend_, 1);
    head_->addSpacing(px(space::kTight));
    for (QToolButton* button : {logX_, logY_, fit_}) {
        head_->addWidget(button);
        leaveOutOfFigures(*button);
    }
    below_ = new QHBoxLayout;
    below_->setContentsMargins(px(space::kMedium), 0, px(space::kTight), 0);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(px(2), 1, px(2), px(4));  // inside the card's round corners
    layout->setSpacing(0);
    layout->addLayout(head_);
    layout->addLayout(below_);
    layout->addWidget(plot_, 1);
}

LineChart::~LineChart() = default;

void LineChart::setTitle(const QString& title, const QString& unit, const QString& tip) {
    title_ = title;
    unit_ = unit;
    nameTitle();
    titleLabel_->setAbout(tip);
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
    if (const auto found = curves_.find(id); found != curves_.end())
        found->second->style(emphasis, smoothing_);
}

void LineChart::setCurve(const QString& id, const CurveSpec& spec, std::span<const double> x,
                         std::span<const double> y) {
    auto& curve = curves_[id];
    const bool known = curve && curve->spec() == spec;
    if (!curve) curve = std::make_unique<ChartCurve>(*plot_, scales_);
    if (!curve->set(spec, x, y, smoothing_)) return;
    if (known) return grow();
    styleCurve(id);
    touch();
}

void LineChart::setSmoothing(const series::Smoothing& smoothing) {
    smoothing_ = smoothing;
    smoothing_.strength = std::clamp(smoothing.strength, 0.0, 0.999);
    for (auto& [id, curve] : curves_) {
        curve->smooth(smoothing_);
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

bool LineChart::isInRange(double x) const {
    return std::isfinite(x) && plot_->xAxis->range().contains(scales_.keys.toCoord(x));
}

void LineChart::setPlayhead(double x) {
    if (x == playheadAt_) return;
    const bool inRange = isInRange(playheadAt_) || isInRange(x);
    const bool shown = playhead_->visible();
    playheadAt_ = x;
    playhead_->setVisible(std::isfinite(x) && !(scales_.keys.isLog() && x <= 0));
    if (playhead_->visible()) playhead_->setAt(scales_.keys.toCoord(x));
    if (inRange) shown == playhead_->visible() ? grow() : queueReplot();
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
    for (const auto& [id, points] : data) curves_[id]->rescale(points, smoothing_);
    const double at = std::exchange(playheadAt_, std::numeric_limits<double>::quiet_NaN());
    setPlayhead(at);
    applyTheme();
    zoom_->follow();  // the range of the old scale does not apply
    zoom_->forget();
    followData();
    nameScales();
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
    const auto name = [](QToolButton* button, const QString& axis, Scale scale) {
        button->setChecked(scale != Scale::Linear);
        button->setText(scale == Scale::Log      ? axis + tr(" log")
                        : scale == Scale::SymLog ? axis + tr(" ±log")
                                                 : axis);
    };
    name(logX_, tr("X"), keyScale());
    name(logY_, tr("Y"), valueScale());
}

}  // namespace kurve::views
