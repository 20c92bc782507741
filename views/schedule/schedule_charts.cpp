#include "views/schedule/schedule_charts.h"

#include <cmath>

#include "views/common/chart/plot_card.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

namespace {

void preparePlot(PlotCard* card, const QString& x, const QString& y) {
    QCustomPlot* plot = card->plot();
    setAxisTitle(plot->xAxis, x);
    setAxisTitle(plot->yAxis, y);
}

}  // namespace

ScheduleCharts::ScheduleCharts(QWidget* below, QWidget* parent)
    : CardGrid({}, parent),
      signal_(new PlotCard(QStringLiteral("schedule.signal"), tr("Signal and noise"))),
      logSnr_(new PlotCard(QStringLiteral("schedule.logSnr"), tr("Signal-to-noise ratio"))),
      density_(new PlotCard(QStringLiteral("schedule.density"), tr("Noise levels in training"))),
      loss_(new PlotCard(QStringLiteral("schedule.loss"), tr("Loss by noise level"))),
      steps_(new PlotCard(QStringLiteral("schedule.gaps"), tr("Sampling steps"))) {
    setCells({{signal_, 0, 0, 1, 3},
              {logSnr_, 0, 3, 1, 3},
              {density_, 1, 0, 1, 3},
              {loss_, 1, 3, 1, 3},
              {steps_, 2, 0, 1, 2},
              {below, 2, 2, 1, 4}},
             {5, 5, 4}, {1, 1, 1, 1, 1, 1});
    const QString time = tr("time t (0 = data, 1 = noise)"),
                  level = tr("log-SNR / nats (left: noise, right: data)");
    preparePlot(signal_, time, tr("amplitude"));
    preparePlot(logSnr_, time, tr("log-SNR / nats"));
    preparePlot(density_, level, tr("p(log-SNR)"));
    preparePlot(loss_, level, tr("loss"));
    preparePlot(steps_, tr("denoising step"), tr("nats"));
    setAxisTitle(signal_->plot()->yAxis2, tr("hazard −α′/(1 − α)"));
    gradientAxis_ = loss_->plot()->axisRect()->addAxis(QCPAxis::atRight);
    setAxisTitle(gradientAxis_, tr("gradient of one sentence"));
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

void ScheduleCharts::addPoints() {
    const std::array<PlotCard*, 4> drawable{signal_, logSnr_, density_, loss_};
    for (PlotCard* card : drawable) card->readByKeys(PlotCard::Reading::Along);  // where no point is chosen
    for (std::size_t i = 0; i < drawable.size(); ++i) {
        points_[i] = new DragPoints(
            drawable[i], {tr("Points of schedule A in a chart"), i == 3 ? loss_->plot()->yAxis2 : nullptr});
        const bool byTime = i < 2;
        connect(points_[i], &DragPoints::addWanted, this,
                [this, byTime](double x) { byTime ? Q_EMIT pointWanted(x) : wantPointAtLevel(x); });
    }
    weights_ = new WeightCurve(density_, points_[2]);
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
    for (DragPoints* points : points_) points->restyle(colorA());
    weights_->restyle(categoryColor(3));
    draw();
}

void ScheduleCharts::show(const schedule::ScheduleCurves& a, const std::optional<schedule::ScheduleCurves>& b,
                          const schedule::DrawnSchedule* drawn, int selected) {
    curves_[0] = a;
    curves_[1] = b;
    drawn_ = drawn != nullptr ? std::optional(*drawn) : std::nullopt;
    shown_ = drawn != nullptr ? schedule::shownPoints(*drawn) : std::vector<schedule::ShownPoint>();
    selected_ = selected;
    draw();
}

void ScheduleCharts::showCompared(std::vector<schedule::ScheduleCurves> curves) {
    compared_ = std::move(curves);
    draw();
}

void ScheduleCharts::showLoss(const RunLosses& losses) {
    losses_ = losses;
    draw();
}

void ScheduleCharts::showProposal(const std::optional<schedule::ScheduleCurves>& proposal) {
    proposal_ = proposal;
    draw();
}

void ScheduleCharts::draw() {
    drawSignal();
    drawLogSnr();
    drawDensity();
    drawLosses();
    drawSteps();
    drawPoints();
    if (!rangesHeld_) fitRanges();
    updateCaptions();
}

void ScheduleCharts::drawPoints() {
    std::vector<DragPoints::Point> signal, level, dense, loss;
    const double bottom = logSnr_->plot()->yAxis->range().lower;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
        const schedule::ShownPoint& p = shown_[i];
        const double ratio = std::isfinite(p.logSnr) ? p.logSnr : bottom;
        signal.push_back({schedule::Pane::Signal, i, p.t, p.signal});
        signal.push_back({schedule::Pane::Noise, i, p.t, p.noise});
        level.push_back({schedule::Pane::LogSnr, i, p.t, ratio});
        if (std::isfinite(p.density)) dense.push_back({schedule::Pane::Density, i, ratio, p.density});
        loss.push_back({schedule::Pane::Loss, i, ratio, 0.13});
    }
    points_[0]->setPoints(std::move(signal), selected_);
    points_[1]->setPoints(std::move(level), selected_);
    points_[2]->setPoints(std::move(dense), selected_);
    points_[3]->setPoints(std::move(loss), selected_);
}

}  // namespace kurve::views
