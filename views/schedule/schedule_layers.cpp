// What the charts of the schedule laboratory draw.
#include <algorithm>
#include <cmath>

#include "views/common/chart/plot_card.h"
#include "views/common/chart/plot_style.h"
#include "views/common/data/histogram_bins.h"
#include "views/schedule/schedule_charts.h"

namespace kurve::views {

namespace {

using Form = ChartLayer::Form;

// Beyond this a sentence is all noise, or none; the ends of most schedules are infinite.
constexpr double kLogSnrLimit = 14;

double largest(const std::vector<double>& values) {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

QPen penOf(const ShownCurve& shown, Qt::PenStyle dash = Qt::SolidLine) {
    QPen pen(shown.color, shown.width * theme().scale, dash);
    pen.setJoinStyle(Qt::RoundJoin);
    return pen;
}

QPen proposalPen() {
    return {theme().accent, 2.2 * theme().scale, Qt::DotLine};
}

/// Two rows of marks, so that the steps of A and B stay apart; the longer ones of B are behind those of A.
void addSteps(std::vector<ChartLayer>& layers, const ShownCurves& aAndB,
              std::vector<double> schedule::ScheduleCurves::*at) {
    for (std::size_t i = aAndB.size(); i-- > 0;) {
        const std::vector<double>& x = aAndB[i].curves->*at;
        layers.push_back({Form::Rug, aAndB[i].name + ScheduleCharts::tr("sampling steps"), x,
                          std::vector<double>(x.size(), 0.035 * static_cast<double>(i + 1)),
                          QPen(aAndB[i].color, 1.2 * theme().scale)});
    }
}

}  // namespace

QColor ScheduleCharts::colorA() {
    return categoryColor(0);
}
QColor ScheduleCharts::colorB() {
    return categoryColor(1);
}
QColor ScheduleCharts::colorCompared(std::size_t index) {
    // A and B have the first two; the losses' two come last.
    static constexpr std::array kOrder{5, 3, 4, 2};
    return categoryColor(kOrder[index % kOrder.size()]);
}

ShownCurves ScheduleCharts::aAndB() const {
    ShownCurves shown;
    for (const bool first : {true, false})
        if (const auto& curves = curves_[first ? 0 : 1])
            shown.push_back({&*curves, first ? colorA() : colorB(), QStringLiteral("━"),
                             (first ? QStringLiteral("A (%1) ") : QStringLiteral("B (%1) "))
                                 .arg(QString::fromStdString(curves->name)),
                             1.8});
    return shown;
}

ShownCurves ScheduleCharts::shownCurves() const {
    ShownCurves shown = aAndB();
    for (std::size_t i = 0; i < compared_.size(); ++i)
        shown.push_back({&compared_[i], colorCompared(i), kComparedGlyph,
                         QString::fromStdString(compared_[i].name) + QLatin1Char(' '), 1.1});
    return shown;
}

void ScheduleCharts::drawSignal() {
    std::vector<ChartLayer> layers;
    const ShownCurves all = shownCurves();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& [c, color, glyph, name, width] = all[i];
        layers.push_back(
            {Form::Line, name + (c->masking ? tr("unmasked") : tr("alpha")), c->s, c->signal, penOf(all[i])});
        if (i >= all.size() - compared_.size()) continue;
        layers.push_back({Form::Line, name + (c->masking ? tr("masked") : tr("sigma")), c->s, c->noise,
                          penOf(all[i], Qt::DashLine)});
        layers.push_back(
            {Form::Line, name + tr("hazard"), c->hazardAt, c->hazard, penOf(all[i], Qt::DotLine)});
        layers.back().valueAxis = signal_->plot()->yAxis2;
    }
    signal_->setLayers(layers);
}

void ScheduleCharts::drawLogSnr() {
    std::vector<ChartLayer> layers;
    for (const ShownCurve& one : shownCurves())
        layers.push_back(
            {Form::Line, one.name + tr("log-SNR"), one.curves->snrAt, one.curves->logSnr, penOf(one)});
    addSteps(layers, aAndB(), &schedule::ScheduleCurves::stepAt);
    if (proposal_)
        layers.push_back({Form::Line, tr("proposal"), proposal_->snrAt, proposal_->logSnr, proposalPen()});
    addBroken(layers);
    logSnr_->setLayers(layers);
}

/// Where the log-SNR does not fall, in red over the curve; and the limits that the points must keep.
void ScheduleCharts::addBroken(std::vector<ChartLayer>& layers) const {
    if (!drawn_) return;
    ChartLayer broken{Form::Path, tr("invalid"), {}, {}, QPen(theme().bad, 3.2 * theme().scale)};
    const auto& points = drawn_->curve.points;
    for (std::size_t i = 1; i < points.size(); ++i) {
        if (points[i - 1].logSnr - points[i].logSnr >= schedule::kMinGap) continue;
        broken.x.insert(broken.x.end(), {points[i - 1].t, points[i].t, points[i].t});
        broken.y.insert(broken.y.end(), {shown_[i - 1].logSnr, shown_[i].logSnr, NAN});
    }
    layers.push_back(std::move(broken));
    if (!drawn_->curve.clamp) return;
    const auto [low, high] = *drawn_->curve.clamp;
    layers.push_back({Form::Path,
                      tr("limits"),
                      {0, 1, 1, 0, 1},
                      {low, low, NAN, high, high},
                      QPen(theme().muted, theme().scale, Qt::DashDotLine)});
}

void ScheduleCharts::drawDensity() {
    std::vector<ChartLayer> layers;
    const ShownCurves all = shownCurves();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& [c, color, glyph, name, width] = all[i];
        const bool further = i >= all.size() - compared_.size();
        QColor area = color;
        area.setAlpha(c == &*curves_[0] ? 36 : 24);
        layers.push_back({Form::Line, name + tr("p"), c->density.logSnr, c->density.density, penOf(all[i]),
                          further ? QBrush() : QBrush(area)});
        if (!further)
            layers.push_back(
                {Form::Line, name + tr("w p"), c->density.logSnr, c->weighted, penOf(all[i], Qt::DashLine)});
    }
    if (proposal_)
        layers.push_back({Form::Line, tr("proposal"), proposal_->density.logSnr, proposal_->density.density,
                          proposalPen()});
    density_->setLayers(layers);
}

void ScheduleCharts::drawLosses() {
    const double scale = theme().scale;
    std::vector<ChartLayer> layers;
    addSteps(layers, aAndB(), &schedule::ScheduleCurves::stepLogSnr);
    for (std::size_t i = 0; i < losses_.size(); ++i) {
        const auto& [name, color, loss] = losses_[i];
        const bool first = i == 0;
        layers.push_back({Form::Line, name, loss.logSnr, loss.loss,
                          QPen(color, 1.6 * scale, first ? Qt::SolidLine : Qt::DashDotLine)});
        layers.back().marker = {first ? QCPScatterStyle::ssDisc : QCPScatterStyle::ssSquare, color, color,
                                (first ? 4 : 5) * scale};
        layers.push_back({Form::Line, tr("%1, gradient of one sentence").arg(name), loss.gradientLogSnr,
                          loss.gradient, QPen(color, 1.2 * scale, first ? Qt::DashLine : Qt::DotLine)});
        layers.back().marker = {QCPScatterStyle::ssDiamond, QPen(color),
                                first ? QBrush(Qt::NoBrush) : QBrush(color), 6 * scale};
        layers.back().valueAxis = gradientAxis_;
        layers.push_back({Form::Line, tr("%1, probability, scaled").arg(name), loss.probabilityLogSnr,
                          scaledToLosses(loss.probability, loss.loss),
                          QPen(color, 1.6 * scale, Qt::DotLine)});
    }
    loss_->setLayers(layers);
}

void ScheduleCharts::drawSteps() {
    const bool masking = curves_[0] && curves_[0]->masking;
    double most = 1, count = 1;
    std::vector<ChartLayer> layers;
    const ShownCurves both = aAndB();
    for (std::size_t i = 0; i < both.size(); ++i) {
        const auto& [c, color, glyph, name, width] = both[i];
        QColor fill = color;
        fill.setAlpha(i == 0 ? 200 : 90);
        ChartLayer bars{Form::Bars, name.trimmed(), {}, c->gaps, QPen(color, theme().scale), fill};
        if (masking) bars.y.assign(c->revealed.begin(), c->revealed.end());
        for (std::size_t k = 0; k < bars.y.size(); ++k) bars.x.push_back(static_cast<double>(k + 1));
        bars.barWidth = 0.8 / static_cast<double>(both.size());  // alone, A stands in the middle
        most = std::max(most, largest(bars.y));
        count = std::max(count, static_cast<double>(bars.y.size()));
        layers.push_back(std::move(bars));
    }
    steps_->setTitle(masking ? tr("Tokens revealed") : tr("Gaps between steps"));
    setAxisTitle(steps_->plot()->yAxis, masking ? tr("tokens") : tr("nats of log-SNR"));
    steps_->plot()->xAxis->setRange(0.4, count + 0.6);
    steps_->plot()->yAxis->setRange(0, most * 1.1);
    steps_->setLayers(layers);
}

void ScheduleCharts::fitRanges() {
    double top = 1, low = 0, high = 0, dense = 0, hazard = 0;
    for (const ShownCurve& shown : shownCurves()) {
        const schedule::ScheduleCurves* curves = shown.curves;
        if (curves->logSnr.empty()) continue;
        low = std::min(low, *std::min_element(curves->logSnr.begin(), curves->logSnr.end()));
        high = std::max(high, largest(curves->logSnr));
        dense = std::max({dense, largest(curves->density.density)});
        if (!curves->hazard.empty()) hazard = std::max(hazard, curves->hazard[curves->hazard.size() / 10]);
    }
    for (const auto& curves : curves_)  // the others' noise is not drawn
        if (curves) top = std::max(top, largest(curves->noise));
    low = std::max(low, -kLogSnrLimit);
    high = std::min(high, kLogSnrLimit);
    const double room = 0.05 * (high - low);
    for (PlotCard* card : {signal_, logSnr_}) card->plot()->xAxis->setRange(-0.01, 1.01);
    signal_->plot()->yAxis->setRange(0, top * 1.05);
    signal_->plot()->yAxis2->setVisible(hazard > 0);
    signal_->plot()->yAxis2->setRange(0, std::max(1.0, hazard));
    logSnr_->plot()->yAxis->setRange(low - 2 * room, high + room);
    for (PlotCard* card : {density_, loss_}) card->plot()->xAxis->setRange(low - room, high + room);
    density_->plot()->yAxis->setRange(0, dense * 1.12);
    double most = 0, steepest = 0;
    for (const RunLoss& run : losses_) {
        most = std::max(most, largest(run.loss.loss));
        steepest = std::max(steepest, largest(run.loss.gradient));
    }
    if (most > 0) loss_->plot()->yAxis->setRange(0, most * 1.08);
    gradientAxis_->setVisible(steepest > 0);
    if (steepest > 0) gradientAxis_->setRange(0, steepest * 1.08);
}

}  // namespace kurve::views
