#include "views/schedule/weight_curve.h"

#include <algorithm>
#include <cmath>

#include "views/common/chart/plot_card.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/shell/view_keys.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

using schedule::WeightPoints;

namespace {

constexpr double kLeastGap = 0.05;  ///< nats between two points
constexpr double kLeastWeight = 1e-4, kMostWeight = 1e4;
constexpr double kFarAway = 100;  ///< nats: beyond the points the weight stays

/// Three digits: the precision of a mouse, and short to read in the form.
double rounded(double value) {
    return QString::number(value, 'g', 3).toDouble();
}

}  // namespace

WeightCurve::WeightCurve(PlotCard* card, DragPoints* below)
    : QObject(card), card_(card), line_(*card->plot(), QStringLiteral("axes")) {
    QCustomPlot* plot = card->plot();
    setAxisLog(plot->yAxis2, true);
    plot->yAxis2->setTickLabels(true);
    setAxisTitle(plot->yAxis2, tr("weight w"));
    handles_ = new DragPoints(card, {tr("Points of the weights"), plot->yAxis2, Qt::ShiftModifier});
    below->giveWayTo(handles_);
    connect(handles_, &DragPoints::grabbed, this, [this](schedule::Pane, std::size_t index) {
        held_ = index;
        ++drags_;
    });
    connect(handles_, &DragPoints::moved, this, [this](double x, double y) {
        Q_EMIT edited(withPointAt(points_, held_, x, y), QStringLiteral("weight %1").arg(drags_));
    });
    connect(handles_, &DragPoints::released, this, [this] { fitAxis(); });
    connect(handles_, &DragPoints::addWanted, this, &WeightCurve::add);
    connect(handles_, &DragPoints::removeWanted, this, &WeightCurve::remove);
    const auto chosen = [this] { return handles_->chosen().has_value(); };
    handles_->keys().add({{Qt::Key_Insert}, tr("Add point after"), [this] { addAfterChosen(); }, {}, chosen});
    handles_->keys().add(
        {{Qt::Key_Delete}, tr("Remove point"), [this] { remove(*handles_->chosen()); }, {}, chosen});
    show({});
}

/// Half way to the next one, or as far beyond the last.
void WeightCurve::addAfterChosen() {
    const std::size_t at = *handles_->chosen();
    const bool last = at + 1 == points_.size();
    const double part = points_.size() < 2 ? 1
                        : last             ? points_[at].first - points_[at - 1].first
                                           : (points_[at + 1].first - points_[at].first) / 2;
    add(points_[at].first + part);
}

void WeightCurve::show(const std::optional<WeightPoints>& points) {
    const bool shown = points.has_value() && !points->empty();
    points_ = shown ? *points : WeightPoints();
    std::vector<DragPoints::Point> handles;
    for (std::size_t i = 0; i < points_.size(); ++i)
        handles.push_back({schedule::Pane::Weight, i, points_[i].first, points_[i].second});
    drawLine();
    card_->plot()->yAxis2->setVisible(shown);
    handles_->setPoints(std::move(handles), -1);
    if (!handles_->dragging()) fitAxis();
}

void WeightCurve::fitAxis() {
    double low = 1, high = 1;
    for (const auto& [level, weight] : points_) {
        low = std::min(low, weight);
        high = std::max(high, weight);
    }
    // A third of room on both sides, and at least a decade: a point can be dragged beyond the view.
    const double room = std::max(std::sqrt(10.0), std::cbrt(high / low));
    card_->plot()->yAxis2->setRange(low / room, high * room);
    card_->queueReplot();
}

void WeightCurve::drawLine() {
    ChartLayer line{ChartLayer::Form::Line, tr("weight w")};
    line.pen = QPen(color_, 1.4 * theme().scale, Qt::DashDotLine);
    line.valueAxis = card_->plot()->yAxis2;
    const auto add = [&](double level, double weight) {
        line.x.push_back(level);
        line.y.push_back(weight);
    };
    if (!points_.empty()) add(points_.front().first - kFarAway, points_.front().second);
    for (const auto& [level, weight] : points_) add(level, weight);
    if (!points_.empty()) add(points_.back().first + kFarAway, points_.back().second);
    line_.show({line});
}

void WeightCurve::restyle(const QColor& color) {
    color_ = color;
    drawLine();
    handles_->restyle(color, QCPScatterStyle::ssSquare);
}

WeightPoints WeightCurve::withPointAt(WeightPoints points, std::size_t index, double logSnr, double weight) {
    const double low = index > 0 ? points[index - 1].first + kLeastGap : -kFarAway;
    const double high = index + 1 < points.size() ? points[index + 1].first - kLeastGap : kFarAway;
    const double level = std::clamp(std::round(logSnr * 20) / 20, low, std::max(low, high));
    points[index] = {level, rounded(std::clamp(weight, kLeastWeight, kMostWeight))};
    return points;
}

void WeightCurve::add(double logSnr) {
    if (points_.empty()) return;
    WeightPoints points = points_;
    const auto after = std::upper_bound(points.begin(), points.end(), logSnr,
                                        [](double at, const auto& point) { return at < point.first; });
    const auto index = static_cast<std::size_t>(after - points.begin());
    points.insert(after, {logSnr, schedule::weightAt(points_, logSnr)});
    const bool room = (index == 0 || logSnr - points[index - 1].first > 2 * kLeastGap) &&
                      (index + 1 == points.size() || points[index + 1].first - logSnr > 2 * kLeastGap);
    if (room) Q_EMIT edited(withPointAt(points, index, logSnr, points[index].second), {});
}

void WeightCurve::remove(std::size_t index) {
    if (points_.size() < 2) return;  // without points there would be nothing to take again
    WeightPoints points = points_;
    points.erase(points.begin() + static_cast<std::ptrdiff_t>(index));
    Q_EMIT edited(points, {});
}

}  // namespace kurve::views
