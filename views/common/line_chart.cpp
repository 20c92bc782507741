#include "views/common/line_chart.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>

#include "views/common/chart_legend.h"
#include "views/common/format.h"
#include "views/common/plot_style.h"
#include "views/common/series_plottable.h"
#include "views/common/symlog.h"

namespace kurve::views {

namespace {

QToolButton* titleButton(const QString& id, const QString& text, const QString& tip) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setObjectName(id);
    button->setProperty("role", "mini");
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

QCPItemStraightLine* verticalLine(QCustomPlot* plot) {
    auto* line = new QCPItemStraightLine(plot);
    line->point1->setTypeX(QCPItemPosition::ptPlotCoords);
    line->point1->setTypeY(QCPItemPosition::ptAxisRectRatio);
    line->point2->setTypeX(QCPItemPosition::ptPlotCoords);
    line->point2->setTypeY(QCPItemPosition::ptAxisRectRatio);
    line->setSelectable(false);
    return line;
}
QPen markPen() {
    QColor colour = theme().warn;
    colour.setAlphaF(0.6f);
    return {colour, 1, Qt::DotLine};
}
void placeVertical(QCPItemStraightLine* line, double x) {
    line->point1->setCoords(x, 0);
    line->point2->setCoords(x, 1);
}

}  // namespace

LineChart::LineChart(const QString& id, const QString& title, QWidget* parent)
    : QWidget(parent),
      title_(title),
      plot_(new QCustomPlot),
      titleLabel_(new QLabel),
      legend_(new ChartLegend) {
    setObjectName(id);
    setAccessibleName(title);
    setProperty("role", "card");
    setAttribute(Qt::WA_StyledBackground);
    titleLabel_->setProperty("role", "title");
    logX_ = titleButton(id + QStringLiteral(".logx"), tr("X"), tr("Logarithmic x axis"));
    logY_ = titleButton(id + QStringLiteral(".logy"), tr("Y"),
                        tr("y axis: linear, logarithmic, symmetric logarithmic"));
    logX_->setCheckable(true);
    logY_->setCheckable(true);
    fit_ = titleButton(id + QStringLiteral(".fit"), tr("Fit"), tr("Show everything and follow new points"));
    connect(logX_, &QToolButton::toggled, this, &LineChart::setLogX);
    connect(logY_, &QToolButton::clicked, this, &LineChart::nextValueScale);
    connect(fit_, &QToolButton::clicked, this, [this] {
        fit();
        Q_EMIT followChosen();
    });

    auto* head = new QHBoxLayout;
    head->setContentsMargins(px(space::kMedium), px(space::kTight), px(space::kTight), 0);
    head->setSpacing(px(2));
    head->addWidget(titleLabel_);
    head->addSpacing(px(space::kSmall));
    head->addWidget(legend_, 1);
    head->addSpacing(px(space::kTight));
    for (QToolButton* button : {logX_, logY_, fit_}) head->addWidget(button);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(px(2), 1, px(2), px(4));  // inside the card's round corners
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(plot_, 1);

    buildPlot();
    connect(themeNotifier(), &ThemeNotifier::changed, this, &LineChart::applyTheme);
    setTitle(title);
    applyTheme();
    showButtons(false);
}

void LineChart::setTitle(const QString& title, const QString& unit, const QString& tip) {
    title_ = title;
    unit_ = unit;
    titleLabel_->setText(unit.isEmpty() ? title
                                        : QStringLiteral("%1 <span style=\"font-weight:400\">%2</span>")
                                              .arg(title.toHtmlEscaped(), unit.toHtmlEscaped()));
    titleLabel_->setToolTip(tip);
    setAccessibleName(title);
}

void LineChart::setKeyTitle(const QString& title) {
    keyTitle_ = title;
}

void LineChart::applyTheme() {
    stylePlot(plot_);
    playhead_->setPen(QPen(theme().accent, 1.5 * theme().scale));
    cursor_->setPen(QPen(theme().faint, 1, Qt::DotLine));
    for (auto& [id, curve] : curves_) styleCurve(curve);
    for (auto& [id, reference] : references_)
        reference.line->setPen(QPen(theme().muted, 1.2 * theme().scale, Qt::DashDotLine));
    for (auto* line : markLines_) line->setPen(markPen());
    updateLegend();
    queueReplot();
}

void LineChart::styleCurve(Curve& curve) {
    const bool isMain = &curve == (curves_.count(main_) ? &curves_[main_] : nullptr);
    QPen pen = curve.look.style.pen(curve.look.width + (isMain ? 1.4 : 0));
    if (curve.path) {
        curve.path->setPen(pen);
        curve.path->setScatterStyle(curve.look.markers ? runMarker(curve.look.style) : QCPScatterStyle());
    }
    if (curve.bandLow) {
        QColor tint = pen.color();
        tint.setAlphaF(0.16f);
        curve.bandHigh->setBrush(tint);
    }
    curve.rawLine->setVisible(!curve.path);
    curve.smoothLine->setPen(pen);
    curve.smoothLine->setVisible(curve.look.smooth && smoothing_ > 0 && !curve.path);
    if (curve.look.smooth && smoothing_ > 0) {
        QColor faint = pen.color();
        faint.setAlphaF(theme().dark ? 0.38f : 0.30f);
        pen = QPen(faint, theme().scale);
    }
    curve.rawLine->setPen(pen);
    curve.rawLine->setMarker(runMarker(curve.look.style), curve.look.markers ? px(10) : 0);
}

void LineChart::setCurve(const QString& id, const CurveLook& look, std::span<const double> x,
                         std::span<const double> y) {
    Curve& curve = curves_[id];
    const bool fresh = !curve.rawLine;
    if (fresh) {
        curve.rawLine = new SeriesPlottable(plot_->xAxis, plot_->yAxis);
        curve.smoothLine = new SeriesPlottable(plot_->xAxis, plot_->yAxis);
        curve.raw = std::make_shared<series::Pyramid>();
        curve.smooth = std::make_shared<series::Pyramid>();
        curve.rawLine->setPyramid(curve.raw);
        curve.smoothLine->setPyramid(curve.smooth);
    }
    curve.look = look;
    if (!std::is_sorted(x.begin(), x.end())) {
        setPath(curve, x, y);
    } else {
        if (curve.path) removeParts(curve);
        const std::size_t had = curve.raw->size();
        const bool continues =
            had <= x.size() &&
            (had == 0 || (curve.raw->x()[0] == x[0] && curve.raw->x()[had - 1] == x[had - 1]));
        if (!continues) {
            curve.raw->clear();
            curve.smooth->clear();
            curve.ema.reset();
        }
        const std::size_t from = curve.raw->size();
        curve.raw->append(x.subspan(from), toPlot(y.subspan(from)));
        if (look.smooth) extendSmooth(curve, from);
    }
    styleCurve(curve);
    followData();
    updateLegend();
    queueReplot();
}

void LineChart::extendSmooth(Curve& curve, std::size_t from) {
    if (smoothing_ <= 0) return;
    const auto x = curve.raw->x();
    const auto y = curve.raw->y();
    if (!curve.ema) {
        if (x.size() < 2) return;
        const double spacing = (x.back() - x.front()) / static_cast<double>(x.size() - 1);
        curve.ema = std::make_unique<series::Ema>(series::halfLifeOf(smoothing_, std::max(spacing, 1e-12)));
        from = 0;
    }
    for (std::size_t i = from; i < x.size(); ++i)
        curve.smooth->append(x[i], toPlot(curve.ema->add(x[i], toValue(y[i]))));
}

void LineChart::resmooth(Curve& curve) {
    curve.smooth->clear();
    curve.ema.reset();
    if (curve.look.smooth) extendSmooth(curve, 0);
    styleCurve(curve);
}

void LineChart::setSmoothing(double weight) {
    smoothing_ = std::clamp(weight, 0.0, 0.999);
    for (auto& [id, curve] : curves_) resmooth(curve);
    queueReplot();
}

void LineChart::keepOnly(const QStringList& ids) {
    for (auto it = curves_.begin(); it != curves_.end();) {
        if (ids.contains(it->first)) {
            ++it;
            continue;
        }
        removeParts(it->second);
        plot_->removePlottable(it->second.rawLine);
        plot_->removePlottable(it->second.smoothLine);
        it = curves_.erase(it);
    }
    followData();
    updateLegend();
    queueReplot();
}

void LineChart::setReference(const QString& id, double y, const QString& label) {
    const auto found = references_.find(id);
    if (!std::isfinite(y)) {
        if (found == references_.end()) return;
        plot_->removeItem(found->second.line);
        references_.erase(found);
    } else {
        Reference& reference = references_[id];
        if (!reference.line) {
            reference.line = new QCPItemStraightLine(plot_);
            reference.line->setSelectable(false);
            reference.line->setPen(QPen(theme().muted, 1.2 * theme().scale, Qt::DashDotLine));
            reference.line->point1->setTypeX(QCPItemPosition::ptAxisRectRatio);
            reference.line->point2->setTypeX(QCPItemPosition::ptAxisRectRatio);
        }
        reference.y = y;
        reference.label = label;
        reference.line->point1->setCoords(0, toPlot(y));
        reference.line->point2->setCoords(1, toPlot(y));
    }
    followData();
    updateLegend();
    queueReplot();
}

void LineChart::setMarks(std::vector<Mark> marks) {
    marks_ = std::move(marks);
    while (markLines_.size() > marks_.size()) {
        plot_->removeItem(markLines_.back());
        markLines_.pop_back();
    }
    while (markLines_.size() < marks_.size()) {
        markLines_.push_back(verticalLine(plot_));
        markLines_.back()->setPen(markPen());
    }
    for (std::size_t i = 0; i < marks_.size(); ++i) placeVertical(markLines_[i], marks_[i].x);
    updateLegend();
    queueReplot();
}

void LineChart::setPlayhead(double x) {
    playhead_->setVisible(std::isfinite(x) && !(logX() && x <= 0));
    if (playhead_->visible()) placeVertical(playhead_, x);
    queueReplot();
}

void LineChart::setBand(const QString& id, std::span<const double> x, std::span<const double> low,
                        std::span<const double> high) {
    const auto found = curves_.find(id);
    if (found == curves_.end()) return;
    Curve& curve = found->second;
    curve.bandX.assign(x.begin(), x.end());
    curve.low.assign(low.begin(), low.end());
    curve.high.assign(high.begin(), high.end());
    drawBand(curve);
    styleCurve(curve);
    followData();
    queueReplot();
}

void LineChart::drawBand(Curve& curve) {
    if (!curve.bandLow && curve.bandX.empty()) return;
    if (!curve.bandLow) {
        curve.bandLow = plot_->addGraph();
        curve.bandHigh = plot_->addGraph();
        for (QCPGraph* edge : {curve.bandLow, curve.bandHigh}) {
            edge->setPen(Qt::NoPen);
            edge->setLayer(QStringLiteral("grid"));  // behind every curve
            edge->setSelectable(QCP::stNone);
        }
        curve.bandHigh->setChannelFillGraph(curve.bandLow);
    }
    const auto place = [](const std::vector<double>& values) {
        return QVector<double>(values.begin(), values.end());
    };
    std::vector<double> low = curve.low;
    // An interval of a positive quantity may reach below zero; on a log axis it goes down to the edge.
    if (logY())
        for (std::size_t i = 0; i < low.size(); ++i)
            if (low[i] <= 0) low[i] = curve.high[i] * 1e-6;
    curve.bandLow->setData(place(curve.bandX), place(toPlot(low)), true);
    curve.bandHigh->setData(place(curve.bandX), place(toPlot(curve.high)), true);
}

void LineChart::setPath(Curve& curve, std::span<const double> x, std::span<const double> y) {
    removeParts(curve);
    curve.raw->clear();
    curve.smooth->clear();
    curve.ema.reset();
    curve.path = new QCPCurve(plot_->xAxis, plot_->yAxis);
    curve.path->setSelectable(QCP::stNone);
    std::vector<std::size_t> order;
    QVector<double> places, keys, values;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!std::isfinite(x[i])) continue;
        curve.givenX.push_back(x[i]);
        curve.givenY.push_back(y[i]);
        places << static_cast<double>(order.size());
        keys << x[i];
        values << toPlot(y[i]);
        order.push_back(order.size());
    }
    curve.path->setData(places, keys, values, true);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return curve.givenX[a] < curve.givenX[b]; });
    for (const std::size_t i : order) curve.raw->append(curve.givenX[i], toPlot(curve.givenY[i]));
}

void LineChart::removeParts(Curve& curve) {
    if (curve.path) plot_->removePlottable(curve.path);
    for (QCPGraph* edge : {curve.bandHigh, curve.bandLow})
        if (edge) plot_->removePlottable(edge);
    curve.path = nullptr;
    curve.bandHigh = curve.bandLow = nullptr;
    curve.givenX.clear();
    curve.givenY.clear();
    curve.bandX.clear();
    curve.low.clear();
    curve.high.clear();
}

void LineChart::setMainCurve(const QString& id) {
    if (main_ == id) return;
    main_ = id;
    for (auto& [key, curve] : curves_) {
        styleCurve(curve);
        for (QCPAbstractPlottable* line : {static_cast<QCPAbstractPlottable*>(curve.rawLine),
                                           static_cast<QCPAbstractPlottable*>(curve.smoothLine)})
            line->setLayer(key == id ? QStringLiteral("axes") : QStringLiteral("main"));
    }
    queueReplot();
}

void LineChart::setKeyIsTime(bool on) {
    const bool is = !plot_->xAxis->ticker().dynamicCast<QCPAxisTickerDateTime>().isNull();
    if (is == on) return;
    if (on) {
        setLogX(false);
        const auto ticker = QSharedPointer<QCPAxisTickerDateTime>::create();
        ticker->setDateTimeFormat(QStringLiteral("d MMM\nHH:mm"));
        plot_->xAxis->setTicker(ticker);
    } else {
        plot_->xAxis->setTicker(QSharedPointer<QCPAxisTicker>::create());
    }
    applyTheme();
}

double LineChart::toPlot(double value) const {
    return symlogUnit_ > 0 ? symlog(value, symlogUnit_) : value;
}
double LineChart::toValue(double place) const {
    return symlogUnit_ > 0 ? symlogInverse(place, symlogUnit_) : place;
}
std::vector<double> LineChart::toPlot(std::span<const double> values) const {
    std::vector<double> places(values.begin(), values.end());
    if (symlogUnit_ > 0)
        for (double& value : places) value = symlog(value, symlogUnit_);
    return places;
}

void LineChart::replaceUnit(double unit) {
    for (auto& [id, curve] : curves_) {
        std::vector<double> x(curve.raw->x().begin(), curve.raw->x().end()), y;
        for (const double place : curve.raw->y()) y.push_back(toValue(place));
        curve.raw->clear();
        for (std::size_t i = 0; i < x.size(); ++i)
            curve.raw->append(x[i], unit > 0 ? symlog(y[i], unit) : y[i]);
    }
    symlogUnit_ = unit;
    for (auto& [id, curve] : curves_) {
        resmooth(curve);
        drawBand(curve);
        if (!curve.path) continue;
        QVector<double> places, keys, values;
        for (std::size_t i = 0; i < curve.givenX.size(); ++i) {
            places << static_cast<double>(i);
            keys << curve.givenX[i];
            values << toPlot(curve.givenY[i]);
        }
        curve.path->setData(places, keys, values, true);
    }
    for (auto& [id, reference] : references_) {
        reference.line->point1->setCoords(0, toPlot(reference.y));
        reference.line->point2->setCoords(1, toPlot(reference.y));
    }
}

void LineChart::setValueScale(Scale scale) {
    const bool log = scale == Scale::Log, sym = scale == Scale::SymLog;
    logY_->setChecked(scale != Scale::Linear);
    logY_->setText(log ? tr("Y log") : sym ? tr("Y ±log") : tr("Y"));
    if (scale == valueScale_) return;
    double unit = 0;
    if (sym) {
        double largest = 0;
        for (const auto& [id, curve] : curves_)
            for (const double y : curve.raw->y())
                if (std::isfinite(y)) largest = std::max(largest, std::abs(y));
        unit = symlogUnit(largest);
    }
    valueScale_ = scale;
    replaceUnit(unit);
    setAxisLog(plot_->yAxis, log);
    if (sym) plot_->yAxis->setTicker(QSharedPointer<SymlogTicker>::create(unit));
    for (auto& [id, curve] : curves_) drawBand(curve);
    applyTheme();
    following_ = true;  // a range of the other scale means nothing on this one
    followData();
    showButtons(underMouse());
    Q_EMIT logChanged();
}

void LineChart::nextValueScale() {
    setValueScale(static_cast<Scale>((static_cast<int>(valueScale_) + 1) % 3));
}

bool LineChart::logX() const {
    return plot_->xAxis->scaleType() == QCPAxis::stLogarithmic;
}
bool LineChart::logY() const {
    return plot_->yAxis->scaleType() == QCPAxis::stLogarithmic;
}

void LineChart::setLogX(bool on) {
    logX_->setChecked(on);
    if (on == logX()) return;
    setAxisLog(plot_->xAxis, on);
    applyTheme();
    if (following_) followData();
    showButtons(underMouse());
    Q_EMIT logChanged();
}

void LineChart::setLogY(bool on) {
    setValueScale(on ? Scale::Log : Scale::Linear);
}

void LineChart::fit() {
    following_ = true;
    followData();
    queueReplot();
}

void LineChart::setKeyRange(double low, double high) {
    following_ = false;
    plot_->xAxis->setRange(low, high);
    queueReplot();
}

void LineChart::chosenByHand() {
    following_ = false;
    Q_EMIT keyRangeChosen(plot_->xAxis->range().lower, plot_->xAxis->range().upper);
}

void LineChart::followData() {
    if (!following_) return;
    const auto domain = [](bool log) { return log ? QCP::sdPositive : QCP::sdBoth; };
    QCPRange keys, values;
    bool haveKeys = false, haveValues = false;
    const auto widen = [](QCPRange& range, bool& have, const QCPRange& more) {
        range = have ? QCPRange(std::min(range.lower, more.lower), std::max(range.upper, more.upper)) : more;
        have = true;
    };
    for (const auto& [id, curve] : curves_) {
        bool found = false;
        if (const QCPRange range = curve.rawLine->getKeyRange(found, domain(logX())); found)
            widen(keys, haveKeys, range);
        if (const QCPRange range = curve.rawLine->getValueRange(found, domain(logY())); found)
            widen(values, haveValues, range);
        for (std::size_t i = 0; i < curve.low.size(); ++i)
            if (std::isfinite(curve.low[i]) && !(logY() && curve.low[i] <= 0))
                widen(values, haveValues, {toPlot(curve.low[i]), toPlot(curve.high[i])});
    }
    for (const auto& [id, reference] : references_)
        if (haveValues && (!logY() || reference.y > 0))
            widen(values, haveValues, {toPlot(reference.y), toPlot(reference.y)});
    if (!haveKeys) return;
    if (keys.size() <= 0)  // one point: from zero to it
        keys = keys.lower > 0 && !logX() ? QCPRange(0, keys.upper * 1.05)
                                         : QCPRange(keys.lower - 0.5, keys.upper + 0.5);
    plot_->xAxis->setRange(keys);
    if (!haveValues) return;
    if (logY()) {
        const double ratio = std::max(std::pow(values.upper / values.lower, 0.06), 1.05);
        plot_->yAxis->setRange(values.lower / ratio, values.upper * ratio);
    } else {
        const double margin =
            values.size() > 0 ? values.size() * 0.06 : std::max(std::abs(values.upper) * 0.1, 0.5);
        plot_->yAxis->setRange(values.lower - margin, values.upper + margin);
    }
}

void LineChart::updateLegend() {
    std::vector<ChartLegend::Entry> entries;
    for (const auto& [id, curve] : curves_) {
        if (curve.look.label.isEmpty() || curve.raw->size() == 0) continue;
        const bool smoothed = curve.look.smooth && smoothing_ > 0 && curve.smooth->size() > 0;
        const double last = curve.path ? curve.givenY.back()
                                       : toValue(smoothed ? curve.smooth->y().back() : curve.raw->y().back());
        entries.push_back({curve.look.style.color,
                           curve.look.style.dash == Qt::SolidLine ? QStringLiteral("━") : QStringLiteral("╍"),
                           curve.look.label, numberText(last)});
    }
    for (const auto& [id, reference] : references_)
        entries.push_back(
            {theme().muted, QStringLiteral("┄"), reference.label, numberText(reference.y), true});
    // Axes without a curve would show invented numbers.
    const bool any = std::any_of(curves_.begin(), curves_.end(),
                                 [](const auto& entry) { return entry.second.raw->size() > 0; });
    plot_->axisRect()->setVisible(any);
    for (QCPAxis* axis : plot_->axisRect()->axes())
        axis->setVisible(any && (axis == plot_->xAxis || axis == plot_->yAxis));
    for (auto& [id, reference] : references_) reference.line->setVisible(any);
    for (auto* line : markLines_) line->setVisible(any);
    if (!any) return legend_->setNote(tr("no points yet"));
    legend_->setEntries(std::move(entries));
}

void LineChart::queueReplot() {
    if (isVisible())
        plot_->replot(QCustomPlot::rpQueuedReplot);
    else
        dirty_ = true;
}

void LineChart::showButtons(bool hovered) {
    // The room belongs to the values until somebody comes to change something; a switched axis stays visible.
    logX_->setVisible(hovered || logX());
    logY_->setVisible(hovered || valueScale_ != Scale::Linear);
    fit_->setVisible(hovered || !following_);
}

void LineChart::enterEvent(QEnterEvent* event) {
    QWidget::enterEvent(event);
    showButtons(true);
}

void LineChart::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    showButtons(false);
}

void LineChart::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    if (std::exchange(dirty_, false)) plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace kurve::views
