#include "views/schedule/schedule_charts.h"

#include <QGridLayout>
#include <algorithm>
#include <cmath>

#include "views/common/chart/plot_card.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/data/noise_bins.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

// Beyond this a sentence is all noise, or none; the ends of most schedules are infinite.
constexpr double kLogSnrLimit = 14;

QVector<double> toQt(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

QPen curvePen(const QColor& color, Qt::PenStyle style = Qt::SolidLine) {
    QPen pen(color, 1.8 * theme().scale, style);
    pen.setJoinStyle(Qt::RoundJoin);
    return pen;
}

void preparePlot(PlotCard* card, const QString& x, const QString& y) {
    QCustomPlot* plot = card->plot();
    setAxisTitle(plot->xAxis, x);
    setAxisTitle(plot->yAxis, y);
    plot->addLayer(QStringLiteral("rug"), plot->layer(QStringLiteral("main")), QCustomPlot::limAbove);
}

/// A rug: marks at the foot of the plot that stay there whatever the y range is.
QCPGraph* addRug(QCustomPlot* plot) {
    auto* graph = plot->addGraph(plot->xAxis, plot->yAxis2);
    graph->setLineStyle(QCPGraph::lsImpulse);
    graph->setLayer(QStringLiteral("rug"));
    plot->yAxis2->setRange(0, 1);
    return graph;
}

double largest(const std::vector<double>& values) {
    return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

}  // namespace

QColor ScheduleCharts::colorA() {
    return categoryColor(0);
}
QColor ScheduleCharts::colorB() {
    return categoryColor(1);
}

ScheduleCharts::ScheduleCharts(QWidget* parent)
    : QWidget(parent),
      signal_(new PlotCard(QStringLiteral("schedule.signal"), tr("Signal and noise"))),
      logSnr_(new PlotCard(QStringLiteral("schedule.logSnr"), tr("Signal-to-noise ratio"))),
      density_(new PlotCard(QStringLiteral("schedule.density"), tr("Noise levels in training"))),
      loss_(new PlotCard(QStringLiteral("schedule.loss"), tr("Loss by noise level"))),
      steps_(new PlotCard(QStringLiteral("schedule.gaps"), tr("Sampling steps"))),
      compared_(signal_, logSnr_, density_) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(px(space::kSmall));
    fold(false);
    const QString time = tr("time t (0 = data, 1 = noise)"),
                  level = tr("log-SNR / nats (left: noise, right: data)");
    preparePlot(signal_, time, tr("amplitude"));
    preparePlot(logSnr_, time, tr("log-SNR / nats"));
    preparePlot(density_, level, tr("p(log-SNR)"));
    preparePlot(loss_, level, tr("loss"));
    preparePlot(steps_, tr("denoising step"), tr("nats"));
    addGraphs();
    addPoints();
    for (PlotCard* card : cards()) connect(card, &PlotCard::restyled, this, &ScheduleCharts::restyle);
    connect(signal_, &PlotCard::hovered, this, [this](double t) {
        if (t >= 0 && t <= 1) signal_->setReadout(signalReadout(shownCurves(), t));
    });
    connect(logSnr_, &PlotCard::hovered, this, [this](double t) {
        if (t >= 0 && t <= 1) logSnr_->setReadout(logSnrReadout(shownCurves(), t));
    });
    connect(density_, &PlotCard::hovered, this,
            [this](double logSnr) { density_->setReadout(densityReadout(shownCurves(), logSnr)); });
    connect(loss_, &PlotCard::hovered, this,
            [this](double logSnr) { loss_->setReadout(lossReadout(losses_, logSnr)); });
    restyle();
}

void ScheduleCharts::addBelow(QWidget* widget) {
    below_ = widget;
    static_cast<QGridLayout*>(layout())->addWidget(below_, 2, 2, 1, 4);
}

void ScheduleCharts::fold(bool narrow) {
    auto* grid = static_cast<QGridLayout*>(layout());
    struct Cell {
        QWidget* card;
        int row, column, columns;
    };
    const std::array wide{Cell{signal_, 0, 0, 3}, Cell{logSnr_, 0, 3, 3}, Cell{density_, 1, 0, 3},
                          Cell{loss_, 1, 3, 3},   Cell{steps_, 2, 0, 2},  Cell{below_, 2, 2, 4}};
    int at = 0;
    for (const Cell& cell : wide) {
        if (cell.card == nullptr) continue;
        if (narrow)
            grid->addWidget(cell.card, at++, 0, 1, 6);
        else
            grid->addWidget(cell.card, cell.row, cell.column, 1, cell.columns);
    }
    for (int column = 0; column < 6; ++column) grid->setColumnStretch(column, 1);
    for (int row = 0; row < 6; ++row) grid->setRowStretch(row, row < 2 ? 5 : narrow || row == 2 ? 4 : 0);
}

void ScheduleCharts::addGraphs() {
    QCPAxis* hazard = signal_->plot()->yAxis2;
    setAxisTitle(hazard, tr("hazard −α′/(1 − α)"));
    for (Graphs& graphs : graphs_) {
        graphs.signal = signal_->plot()->addGraph();
        graphs.noise = signal_->plot()->addGraph();
        graphs.hazard = signal_->plot()->addGraph(signal_->plot()->xAxis, hazard);
        graphs.logSnr = logSnr_->plot()->addGraph();
        graphs.density = density_->plot()->addGraph();
        graphs.weighted = density_->plot()->addGraph();
        graphs.bars = new QCPBars(steps_->plot()->xAxis, steps_->plot()->yAxis);
    }
    auto* beside = new QCPBarsGroup(steps_->plot());  // their keys stay whole steps
    beside->setSpacing(0);
    for (const Graphs& graphs : graphs_) graphs.bars->setBarsGroup(beside);
    // B first: its longer marks stay visible behind those of A.
    for (Graphs* graphs : {&graphs_[1], &graphs_[0]}) {
        graphs->steps = addRug(logSnr_->plot());
        graphs->stepsLogSnr = addRug(loss_->plot());
    }
    for (QCPGraph*& graph : lossGraphs_) graph = loss_->plot()->addGraph();
    gradientAxis_ = loss_->plot()->axisRect()->addAxis(QCPAxis::atRight);
    setAxisTitle(gradientAxis_, tr("gradient of one sentence"));
    for (QCPGraph*& graph : gradientGraphs_)
        graph = loss_->plot()->addGraph(loss_->plot()->xAxis, gradientAxis_);
    for (QCPGraph*& graph : probabilityGraphs_) graph = loss_->plot()->addGraph();
    proposed_ = logSnr_->plot()->addGraph();
    proposedDensity_ = density_->plot()->addGraph();
    broken_ = logSnr_->plot()->addGraph();
    limits_ = logSnr_->plot()->addGraph();
}

void ScheduleCharts::addPoints() {
    const std::array<PlotCard*, 4> drawable{signal_, logSnr_, density_, loss_};
    for (PlotCard* card : drawable) card->readByKeys(PlotCard::Reading::Along);  // where no point is chosen
    for (std::size_t i = 0; i < drawable.size(); ++i) {
        points_[i] = new DragPoints(
            drawable[i], {tr("Points of schedule A in a chart"), i == 3 ? loss_->plot()->yAxis2 : nullptr});
        connect(points_[i], &DragPoints::pointChosen, this, &ScheduleCharts::pointChosen);
        connect(points_[i], &DragPoints::grabbed, this, &ScheduleCharts::pointGrabbed);
        connect(points_[i], &DragPoints::moved, this, &ScheduleCharts::pointMoved);
        connect(points_[i], &DragPoints::released, this, &ScheduleCharts::pointReleased);
        const bool byTime = i < 2;
        connect(points_[i], &DragPoints::addWanted, this,
                [this, byTime](double x) { byTime ? Q_EMIT pointWanted(x) : wantPointAtLevel(x); });
    }
    weights_ = new WeightCurve(density_, points_[2]);
    connect(weights_, &WeightCurve::edited, this, &ScheduleCharts::weightsEdited);
}

void ScheduleCharts::wantPointAtLevel(double logSnr) {
    if (!curves_[0]) return;
    // The log-SNR falls, so its mirror rises.
    std::vector<double> rising, at;
    for (std::size_t i = curves_[0]->logSnr.size(); i-- > 0;) {
        rising.push_back(curves_[0]->logSnr[i]);
        at.push_back(curves_[0]->snrAt[i]);
    }
    Q_EMIT pointWanted(lineAt(rising, at, logSnr));
}

void ScheduleCharts::restyle() {
    for (PlotCard* card : cards()) stylePlot(card->plot());
    const QColor colors[] = {colorA(), colorB()};
    const double scale = theme().scale;
    for (int i = 0; i < 2; ++i) {
        const Graphs& graphs = graphs_[i];
        graphs.signal->setPen(curvePen(colors[i]));
        graphs.noise->setPen(curvePen(colors[i], Qt::DashLine));
        graphs.hazard->setPen(curvePen(colors[i], Qt::DotLine));
        graphs.logSnr->setPen(curvePen(colors[i]));
        graphs.density->setPen(curvePen(colors[i]));
        graphs.weighted->setPen(curvePen(colors[i], Qt::DashLine));
        QColor area = colors[i];
        area.setAlpha(i == 0 ? 36 : 24);
        graphs.density->setBrush(area);
        area.setAlpha(i == 0 ? 200 : 90);
        graphs.bars->setBrush(area);
        graphs.bars->setPen(QPen(colors[i], scale));
        // Few points and smooth: thinning them would only fray the line.
        for (QCPGraph* line : {graphs.signal, graphs.noise, graphs.logSnr, graphs.density, graphs.weighted})
            line->setAdaptiveSampling(false);
        for (QCPGraph* rug : {graphs.steps, graphs.stepsLogSnr}) rug->setPen(QPen(colors[i], 1.2 * scale));
    }
    for (QCPGraph* graph : {proposed_, proposedDensity_})
        graph->setPen(QPen(theme().accent, 2.2 * scale, Qt::DotLine));
    broken_->setPen(QPen(theme().bad, 3.2 * scale));
    limits_->setPen(QPen(theme().muted, scale, Qt::DashDotLine));
    for (DragPoints* points : points_) points->restyle(colorA());
    weights_->restyle(categoryColor(3));
    compared_.restyle();
    draw();
}

void ScheduleCharts::show(const ScheduleCurves& a, const std::optional<ScheduleCurves>& b,
                          const DrawnSchedule* drawn, int selected) {
    curves_[0] = a;
    curves_[1] = b;
    drawn_ = drawn != nullptr ? std::optional(*drawn) : std::nullopt;
    shown_ = drawn != nullptr ? shownPoints(*drawn) : std::vector<ShownPoint>();
    selected_ = selected;
    draw();
}

void ScheduleCharts::showCompared(std::vector<ScheduleCurves> curves) {
    compared_.show(std::move(curves));
    draw();
}

void ScheduleCharts::showLoss(const RunLosses& losses) {
    losses_ = losses;
    draw();
}

void ScheduleCharts::showProposal(const std::optional<ScheduleCurves>& proposal) {
    proposal_ = proposal;
    draw();
}

void ScheduleCharts::draw() {
    for (int i = 0; i < 2; ++i) drawSchedule(curves_[i] ? &*curves_[i] : nullptr, i);
    drawLosses();
    drawProposal();
    drawSteps();
    drawPoints();
    drawBroken();
    if (!rangesHeld_) fitRanges();
    fitSteps();
    updateCaptions();
    for (PlotCard* card : cards()) card->queueReplot();
}

void ScheduleCharts::drawLosses() {
    const double scale = theme().scale;
    for (std::size_t i = 0; i < losses_.size(); ++i) {
        const auto& [name, color, loss] = losses_[i];
        const bool first = i == 0;
        lossGraphs_[i]->setData(toQt(loss.logSnr), toQt(loss.loss), true);
        lossGraphs_[i]->setPen(QPen(color, 1.6 * scale, first ? Qt::SolidLine : Qt::DashDotLine));
        lossGraphs_[i]->setScatterStyle({first ? QCPScatterStyle::ssDisc : QCPScatterStyle::ssSquare, color,
                                         color, (first ? 4 : 5) * scale});
        gradientGraphs_[i]->setData(toQt(loss.gradientLogSnr), toQt(loss.gradient), true);
        gradientGraphs_[i]->setPen(QPen(color, 1.2 * scale, first ? Qt::DashLine : Qt::DotLine));
        gradientGraphs_[i]->setScatterStyle({QCPScatterStyle::ssDiamond, QPen(color),
                                             first ? QBrush(Qt::NoBrush) : QBrush(color), 6 * scale});
        probabilityGraphs_[i]->setData(toQt(loss.probabilityLogSnr),
                                       toQt(scaledToLosses(loss.probability, loss.loss)), true);
        probabilityGraphs_[i]->setPen(QPen(color, 1.6 * scale, Qt::DotLine));
    }
}

void ScheduleCharts::drawSchedule(const ScheduleCurves* curves, int index) {
    const Graphs& graphs = graphs_[index];
    const ScheduleCurves none;
    const ScheduleCurves& c = curves != nullptr ? *curves : none;
    graphs.signal->setData(toQt(c.s), toQt(c.signal), true);
    graphs.noise->setData(toQt(c.s), toQt(c.noise), true);
    graphs.hazard->setData(toQt(c.hazardAt), toQt(c.hazard), true);
    graphs.logSnr->setData(toQt(c.snrAt), toQt(c.logSnr), true);
    graphs.density->setData(toQt(c.density.logSnr), toQt(c.density.density), false);
    graphs.weighted->setData(toQt(c.density.logSnr), toQt(c.weighted), false);
    // Two rows of marks, so that the steps of A and B stay apart.
    const auto rug = [&](QCPGraph* graph, const std::vector<double>& at) {
        graph->setData(toQt(at),
                       QVector<double>(static_cast<qsizetype>(at.size()), index == 0 ? 0.035 : 0.07), false);
    };
    rug(graphs.steps, c.stepAt);
    rug(graphs.stepsLogSnr, c.stepLogSnr);
}

void ScheduleCharts::drawProposal() {
    const ScheduleCurves none;
    const ScheduleCurves& c = proposal_ ? *proposal_ : none;
    proposed_->setData(toQt(c.snrAt), toQt(c.logSnr), true);
    proposedDensity_->setData(toQt(c.density.logSnr), toQt(c.density.density), false);
}

void ScheduleCharts::drawSteps() {
    const bool masking = curves_[0] && curves_[0]->masking;
    for (int i = 0; i < 2; ++i) {
        QVector<double> at, heights;
        if (curves_[i]) {
            const auto& revealed = curves_[i]->revealed;
            heights = masking ? QVector<double>(revealed.begin(), revealed.end()) : toQt(curves_[i]->gaps);
        }
        for (qsizetype k = 0; k < heights.size(); ++k) at.push_back(static_cast<double>(k + 1));
        graphs_[i].bars->setWidth(curves_[1] ? 0.4 : 0.8);
        graphs_[i].bars->setVisible(curves_[i].has_value());  // alone, A stands in the middle
        graphs_[i].bars->setData(at, heights, true);
    }
    steps_->setTitle(masking ? tr("Tokens revealed") : tr("Gaps between steps"));
    setAxisTitle(steps_->plot()->yAxis, masking ? tr("tokens") : tr("nats of log-SNR"));
}

void ScheduleCharts::drawPoints() {
    std::vector<DragPoints::Point> signal, level, dense, loss;
    const double bottom = logSnr_->plot()->yAxis->range().lower;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
        const ShownPoint& p = shown_[i];
        const double ratio = std::isfinite(p.logSnr) ? p.logSnr : bottom;
        signal.push_back({Pane::Signal, i, p.t, p.signal});
        signal.push_back({Pane::Noise, i, p.t, p.noise});
        level.push_back({Pane::LogSnr, i, p.t, ratio});
        if (std::isfinite(p.density)) dense.push_back({Pane::Density, i, ratio, p.density});
        loss.push_back({Pane::Loss, i, ratio, 0.13});
    }
    points_[0]->setPoints(std::move(signal), selected_);
    points_[1]->setPoints(std::move(level), selected_);
    points_[2]->setPoints(std::move(dense), selected_);
    points_[3]->setPoints(std::move(loss), selected_);
}

/// Where the log-SNR does not fall, in red over the curve; and the limits that the points must keep.
void ScheduleCharts::drawBroken() {
    QVector<double> at, values, limitAt, limitValues;
    if (drawn_) {
        const auto& points = drawn_->curve.points;
        for (std::size_t i = 1; i < points.size(); ++i) {
            if (points[i - 1].logSnr - points[i].logSnr >= schedule::kMinGap) continue;
            at << points[i - 1].t << points[i].t << points[i].t;
            values << shown_[i - 1].logSnr << shown_[i].logSnr << NAN;
        }
        if (drawn_->curve.clamp) {
            const auto [low, high] = *drawn_->curve.clamp;
            limitAt << 0 << 1 << 1 << 0 << 1;
            limitValues << low << low << NAN << high << high;
        }
    }
    broken_->setData(at, values, true);
    limits_->setData(limitAt, limitValues, true);
}

void ScheduleCharts::fitRanges() {
    double top = 1, low = 0, high = 0, dense = 0, hazard = 0;
    for (const ShownCurve& shown : shownCurves()) {
        const ScheduleCurves* curves = shown.curves;
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

void ScheduleCharts::fitSteps() {
    double most = 1, count = 1;
    for (int i = 0; i < 2; ++i) {
        for (const QCPBarsData& bar : *graphs_[i].bars->data()) {
            most = std::max(most, bar.value);
            count = std::max(count, bar.key);
        }
    }
    steps_->plot()->xAxis->setRange(0.4, count + 0.6);
    steps_->plot()->yAxis->setRange(0, most * 1.1);
}

ShownCurves ScheduleCharts::shownCurves() const {
    ShownCurves shown;
    if (curves_[0]) shown.push_back({&*curves_[0], colorA(), QStringLiteral("━")});
    if (curves_[1]) shown.push_back({&*curves_[1], colorB(), QStringLiteral("━")});
    for (std::size_t i = 0; i < compared_.curves().size(); ++i)
        shown.push_back({&compared_.curves()[i], ComparedCurves::color(i), ComparedCurves::kGlyph});
    return shown;
}

}  // namespace kurve::views
