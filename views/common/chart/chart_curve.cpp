#include "views/common/chart/chart_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "views/common/chart/plot_style.h"
#include "views/common/chart/series_plottable.h"

namespace kurve::views {

namespace {

constexpr float kBandTint = 0.16f, kRawUnderDark = 0.38f, kRawUnderLight = 0.30f;
constexpr double kMainExtra = 1.4, kPointedExtra = 2.2;

QVector<double> vectorOf(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

}  // namespace

bool CurveSpec::operator==(const CurveSpec& other) const {
    return label == other.label && style.color == other.style.color && style.dash == other.style.dash &&
           style.marker == other.style.marker && smooth == other.smooth && markers == other.markers &&
           width == other.width;
}

ChartCurve::ChartCurve(const QString& name, QCustomPlot& plot, const ChartScales& scales,
                       const series::Smoothing& smoothing)
    : plot_(plot),
      scales_(scales),
      smoothing_(smoothing),
      raw_(std::make_shared<series::Pyramid>()),
      average_(std::make_shared<series::Pyramid>()),
      rawLine_(new SeriesPlottable(plot.xAxis, plot.yAxis)),
      averageLine_(new SeriesPlottable(plot.xAxis, plot.yAxis)) {
    rawLine_->setName(name);
    rawLine_->setPyramid(raw_);
    averageLine_->setPyramid(average_);
}

ChartCurve::~ChartCurve() {
    removeParts();
    plot_.removePlottable(rawLine_);
    plot_.removePlottable(averageLine_);
}

bool ChartCurve::set(const CurveSpec& spec, const CurvePoints& points) {
    const auto& [x, y, maybeX, maybeY] = points;
    // An axis that is a metric has no place for points before its first value and after its last.
    if (!std::ranges::all_of(x, [](double key) { return std::isfinite(key); })) {
        Points placed;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (!std::isfinite(x[i])) continue;
            placed.x.push_back(x[i]);
            placed.y.push_back(y[i]);
        }
        return set(spec, {placed.x, placed.y});
    }
    const bool known = spec == spec_ && !path_ && x.size() == raw_->size() && !x.empty();
    spec_ = spec;
    if (known && continues(x, y)) return false;
    std::is_sorted(x.begin(), x.end()) ? setLine(points) : setPath(x, y);
    return true;
}

bool ChartCurve::continues(std::span<const double> x, std::span<const double> y) const {
    const std::size_t had = raw_->size();
    if (had == 0 || had > x.size()) return had == 0;
    const auto same = [&](std::size_t i) {
        const double coord = scales_.values.toCoord(y[i]), drawn = raw_->y()[i];
        return raw_->x()[i] == scales_.keys.toCoord(x[i]) &&
               (coord == drawn || (std::isnan(coord) && std::isnan(drawn)));
    };
    if (!same(0) || !same(had - 1)) return false;
    // A growing curve is compared at its ends only; one of the same size may have other values (a histogram).
    if (had == x.size())
        for (std::size_t i = 0; i < had; ++i)
            if (!same(i)) return false;
    return true;
}

void ChartCurve::setLine(const CurvePoints& points) {
    const bool wasPath = path_ != nullptr, wasSmooth = smoother_ != nullptr;
    if (wasPath) {
        removeParts();
        raw_->clear();
    }
    if (!continues(points.x, points.y)) {
        raw_->clear();
        average_->clear();
        smoother_.reset();
    }
    const std::size_t from = raw_->size();
    appendRest(points);
    if (spec_.smooth) extendAverage(from);
    if (wasPath || (smoother_ != nullptr) != wasSmooth) style(emphasis_);
}

void ChartCurve::appendRest(const CurvePoints& points) {
    const std::size_t from = raw_->size();
    if (points.maybeX && scales_.keys.showsValues() && scales_.values.showsValues())
        return raw_->share(*points.maybeX, *points.maybeY);
    raw_->append(scales_.keys.toCoords(points.x.subspan(from)),
                 scales_.values.toCoords(points.y.subspan(from)));
}

void ChartCurve::setPath(std::span<const double> x, std::span<const double> y) {
    removeParts();
    raw_->clear();
    average_->clear();
    smoother_.reset();
    path_ = new QCPCurve(plot_.xAxis, plot_.yAxis);
    path_->setName(rawLine_->name());
    path_->setSelectable(QCP::stNone);
    given_ = {{x.begin(), x.end()}, {y.begin(), y.end()}};
    drawPath();
    style(emphasis_);
}

void ChartCurve::drawPath() {
    QVector<double> indices;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < given_.x.size(); ++i) {
        indices << static_cast<double>(i);
        order.push_back(i);
    }
    const auto x = scales_.keys.toCoords(given_.x), y = scales_.values.toCoords(given_.y);
    path_->setData(indices, vectorOf(x), vectorOf(y), true);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return x[a] < x[b]; });
    for (const std::size_t i : order) raw_->append(x[i], y[i]);
}

void ChartCurve::removeParts() {
    if (path_) plot_.removePlottable(path_);
    for (QCPGraph* edge : {bandHigh_, bandLow_})
        if (edge) plot_.removePlottable(edge);
    path_ = nullptr;
    bandHigh_ = bandLow_ = nullptr;
    given_ = {};
    bandX_.clear();
    low_.clear();
    high_.clear();
}

/// The average is of values, independent of the scales.
void ChartCurve::extendAverage(std::size_t from) {
    if (!smoothing_.isOn()) return;
    const auto x = raw_->x(), y = raw_->y();
    const auto valueOf = [&](std::size_t i) { return scales_.values.toValue(y[i]); };
    const bool respaced = series::spacingPoints(from) != series::spacingPoints(x.size());
    if (smoother_ && (respaced || average_->size() != from)) {
        smoother_.reset();
        average_->clear();
    }
    if (!smoother_) {
        std::vector<double> values(y.size());
        for (std::size_t i = 0; i < y.size(); ++i) values[i] = valueOf(i);
        if (!series::isSmoothable(values)) return;
        std::vector<double> first(series::spacingPoints(x.size()));
        for (std::size_t i = 0; i < first.size(); ++i) first[i] = scales_.keys.toValue(x[i]);
        smoother_ = std::make_unique<series::Smoother>(smoothing_, series::spacingOf(first));
        from = 0;
    }
    std::vector<double> smoothed;
    smoothed.reserve(x.size() - from);
    for (std::size_t i = from; i < x.size(); ++i)
        smoothed.push_back(scales_.values.toCoord(smoother_->add(scales_.keys.toValue(x[i]), valueOf(i))));
    average_->appendAlong(*raw_, smoothed);
}

void ChartCurve::smooth() {
    average_->clear();
    smoother_.reset();
    if (spec_.smooth && !path_) extendAverage(0);
}

void ChartCurve::rescale(const Points& points) {
    raw_->clear();
    if (path_)
        drawPath();
    else
        raw_->append(scales_.keys.toCoords(points.x), scales_.values.toCoords(points.y));
    smooth();
    drawBand();
}

void ChartCurve::setBand(std::span<const double> x, std::span<const double> low,
                         std::span<const double> high) {
    bandX_.assign(x.begin(), x.end());
    low_.assign(low.begin(), low.end());
    high_.assign(high.begin(), high.end());
    drawBand();
}

void ChartCurve::drawBand() {
    if (!bandLow_ && bandX_.empty()) return;
    if (!bandLow_) {
        bandLow_ = plot_.addGraph();
        bandHigh_ = plot_.addGraph();
        for (QCPGraph* edge : {bandLow_, bandHigh_}) {
            edge->setPen(Qt::NoPen);
            edge->setLayer(QStringLiteral("grid"));  // behind every curve
            edge->setSelectable(QCP::stNone);
        }
        bandHigh_->setChannelFillGraph(bandLow_);
    }
    std::vector<double> low = low_;
    // An interval of a positive quantity may reach below zero; on a log axis it extends to the edge.
    if (scales_.values.isLog())
        for (std::size_t i = 0; i < low.size(); ++i)
            if (low[i] <= 0) low[i] = high_[i] * 1e-6;
    const auto x = vectorOf(scales_.keys.toCoords(bandX_));
    bandLow_->setData(x, vectorOf(scales_.values.toCoords(low)), true);
    bandHigh_->setData(x, vectorOf(scales_.values.toCoords(high_)), true);
}

void ChartCurve::style(Emphasis emphasis) {
    emphasis_ = emphasis;
    const double extra = emphasis == Emphasis::None   ? 0
                         : emphasis == Emphasis::Main ? kMainExtra
                                                      : kPointedExtra;
    QPen pen = spec_.style.pen(spec_.width + extra);
    if (path_) {
        path_->setPen(pen);
        path_->setScatterStyle(spec_.markers ? runMarker(spec_.style) : QCPScatterStyle());
    }
    if (bandLow_) {
        QColor tint = pen.color();
        tint.setAlphaF(kBandTint);
        bandHigh_->setBrush(tint);
    }
    rawLine_->setVisible(!path_);
    averageLine_->setPen(pen);
    const bool smoothed = isSmoothed();
    averageLine_->setVisible(smoothed);
    if (smoothed) {
        QColor faint = pen.color();
        faint.setAlphaF(theme().dark ? kRawUnderDark : kRawUnderLight);
        pen = QPen(faint, theme().scale);
    }
    rawLine_->setPen(pen);
    rawLine_->setMarker(runMarker(spec_.style), spec_.markers ? px(10) : 0);
    const QString layer = emphasis != Emphasis::None ? QStringLiteral("axes") : QStringLiteral("main");
    for (SeriesPlottable* line : {rawLine_, averageLine_})
        if (line->layer()->name() != layer) line->setLayer(layer);
}

bool ChartCurve::isSmoothed() const {
    return spec_.smooth && smoothing_.isOn() && !path_ && average_->size() > 0 &&
           average_->size() == raw_->size();
}

ChartCurve::Points ChartCurve::points() const {
    if (path_) return given_;
    Points points;
    points.x.reserve(raw_->size());
    points.y.reserve(raw_->size());
    for (const double coord : raw_->x()) points.x.push_back(scales_.keys.toValue(coord));
    for (const double coord : raw_->y()) points.y.push_back(scales_.values.toValue(coord));
    return points;
}

double ChartCurve::last() const {
    if (path_) return given_.y.back();
    return scales_.values.toValue(isSmoothed() ? average_->y().back() : raw_->y().back());
}

std::pair<double, double> ChartCurve::nearest(double x, bool averaged) const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (empty()) return {kNone, kNone};
    const auto keys = raw_->x();
    const double key = scales_.keys.toCoord(x);
    std::size_t i = std::min(raw_->lowerBound(key), raw_->size() - 1);
    if (i > 0 && key - keys[i - 1] < keys[i] - key) --i;
    const double y = averaged && isSmoothed() ? average_->y()[i] : raw_->y()[i];
    return {scales_.keys.toValue(keys[i]), scales_.values.toValue(y)};
}

double ChartCurve::neighbour(double from, int step, double least, double low, double high) const {
    const auto keys = raw_->x();
    const std::size_t first = raw_->lowerBound(low), end = raw_->size();
    if (first >= end || keys[first] > high) return std::numeric_limits<double>::quiet_NaN();
    std::size_t last = first;
    for (std::size_t at = raw_->lowerBound(high); at + 1 > first; --at)
        if (at < end && keys[at] <= high) {
            last = at;
            break;
        }
    std::size_t found = step > 0 ? last : first;
    if (step > 0) {
        std::size_t at = raw_->lowerBound(from + least);
        while (at < end && keys[at] <= from) ++at;
        if (at < end) found = at;
    } else {
        std::size_t at = raw_->lowerBound(from - least);
        while (at > 0 && (at >= end || keys[at] > from - least || keys[at] >= from)) --at;
        found = at;
    }
    return scales_.keys.toValue(keys[std::clamp(found, first, last)]);
}

double ChartCurve::distance(const QPointF& pixel) const {
    if (path_) return path_->selectTest(pixel, false);
    if (empty()) return -1;
    const series::Pyramid& drawn = isSmoothed() ? *average_ : *raw_;
    // Against the segments around the pointer, so that steep segments and wide gaps can be picked as well.
    const std::size_t at = std::min(drawn.lowerBound(plot_.xAxis->pixelToCoord(pixel.x())), drawn.size() - 1);
    const auto position = [&](std::size_t i) {
        return QPointF(plot_.xAxis->coordToPixel(drawn.x()[i]), plot_.yAxis->coordToPixel(drawn.y()[i]));
    };
    double best = -1;
    constexpr std::size_t kAround = 8;
    const std::size_t first = at > kAround ? at - kAround : 0,
                      last = std::min(at + kAround, drawn.size() - 1);
    for (std::size_t i = first; i <= last; ++i) {
        const QPointF a = position(i), b = position(std::min(i + 1, last)), along = b - a;
        if (!std::isfinite(a.y()) || !std::isfinite(b.y())) continue;
        const double length = QPointF::dotProduct(along, along);
        const double t =
            length > 0 ? std::clamp(QPointF::dotProduct(pixel - a, along) / length, 0.0, 1.0) : 0;
        const QPointF off = pixel - (a + t * along);
        const double found = std::hypot(off.x(), off.y());
        if (best < 0 || found < best) best = found;
    }
    return best;
}

std::optional<ChartCurve::Range> ChartCurve::keyRange() const {
    bool found = false;
    const QCPRange range = rawLine_->getKeyRange(found, scales_.keys.isLog() ? QCP::sdPositive : QCP::sdBoth);
    if (!found) return std::nullopt;
    return std::pair(range.lower, range.upper);
}

std::optional<ChartCurve::Range> ChartCurve::valueRange(const Range* within) const {
    bool found = false;
    const bool log = scales_.values.isLog();
    const QCPRange keys = within == nullptr ? QCPRange() : QCPRange(within->first, within->second);
    const QCPRange range = rawLine_->getValueRange(found, log ? QCP::sdPositive : QCP::sdBoth, keys);
    double low = found ? range.lower : std::numeric_limits<double>::infinity(),
           high = found ? range.upper : -low;
    const auto [begin, end] = bandWithin(within);
    for (std::size_t i = begin; i < end; ++i) {
        if (!std::isfinite(low_[i]) || (log && low_[i] <= 0)) continue;
        low = std::min(low, scales_.values.toCoord(low_[i]));
        high = std::max(high, scales_.values.toCoord(high_[i]));
    }
    if (low > high) return std::nullopt;
    return std::pair(low, high);
}

std::pair<std::size_t, std::size_t> ChartCurve::bandWithin(const Range* keys) const {
    if (keys == nullptr) return {0, low_.size()};
    const auto at = [this](double key, auto bound) {
        const double x = scales_.keys.toValue(key);
        return static_cast<std::size_t>(bound(bandX_.begin(), bandX_.end(), x) - bandX_.begin());
    };
    return {at(keys->first, [](auto a, auto b, double x) { return std::lower_bound(a, b, x); }),
            at(keys->second, [](auto a, auto b, double x) { return std::upper_bound(a, b, x); })};
}

void ChartCurve::addValues(const Range& within, std::vector<std::span<const double>>& all) const {
    const std::size_t begin = raw_->lowerBound(within.first), end = pastKey(within.second);
    if (begin < end) all.push_back(raw_->y().subspan(begin, end - begin));
    if (!bandLow_) return;
    for (const QCPGraph* edge : {bandLow_, bandHigh_})
        for (auto at = edge->data()->findBegin(within.first, false),
                  last = edge->data()->findEnd(within.second, false);
             at != last; ++at)
            all.emplace_back(&at->value, 1);
}

std::size_t ChartCurve::pastKey(double key) const {
    const auto keys = raw_->x();
    return static_cast<std::size_t>(std::upper_bound(keys.begin(), keys.end(), key) - keys.begin());
}

Outside ChartCurve::outside(const Range& keys, const Range& values) const {
    constexpr double kLeast = std::numeric_limits<double>::denorm_min(),
                     kMost = std::numeric_limits<double>::infinity();
    const std::size_t shown = scales_.keys.isLog() ? raw_->lowerBound(kLeast) : 0;
    const std::size_t begin = std::max(shown, raw_->lowerBound(keys.first)),
                      end = std::max(begin, pastKey(keys.second));
    const series::Beyond off = raw_->beyond(begin, end, values.first, values.second);
    const std::size_t gutter = scales_.values.isLog() ? raw_->beyond(begin, end, kLeast, kMost).below : 0;
    return {begin - shown, raw_->size() - end, off.below - std::min(off.below, gutter), off.above};
}

}  // namespace kurve::views
