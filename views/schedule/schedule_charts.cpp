#include "views/schedule/schedule_charts.h"

#include <QGridLayout>
#include <algorithm>
#include <cmath>

#include "views/common/format.h"
#include "views/common/plot_card.h"
#include "views/common/plot_style.h"
#include "views/common/qcustomplot.h"

namespace kurve::views {

namespace {

// Beyond this a sentence is all noise, or none; the ends of most schedules are infinite.
constexpr double kLogSnrLimit = 14;

QVector<double> toQt(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

double valueAt(const std::vector<double>& x, const std::vector<double>& y, double at) {
    if (x.empty()) return NAN;
    const auto right = std::lower_bound(x.begin(), x.end(), at);
    if (right == x.begin()) return y.front();
    if (right == x.end()) return y.back();
    const auto i = static_cast<std::size_t>(right - x.begin());
    return y[i - 1] + (at - x[i - 1]) / (x[i] - x[i - 1]) * (y[i] - y[i - 1]);
}

QPen curvePen(const QColor& color, Qt::PenStyle style = Qt::SolidLine) {
    QPen pen(color, 1.8 * theme().scale, style);
    pen.setJoinStyle(Qt::RoundJoin);
    return pen;
}

void preparePlot(PlotCard* card, const char* x, const char* y) {
    QCustomPlot* plot = card->plot();
    setAxisTitle(plot->xAxis, QObject::tr(x));
    setAxisTitle(plot->yAxis, QObject::tr(y));
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
      loss_(new PlotCard(QStringLiteral("schedule.loss"), tr("Noise levels in training"))) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setSpacing(px(space::kSmall));
    grid->addWidget(signal_, 0, 0);
    grid->addWidget(logSnr_, 0, 1);
    grid->addWidget(loss_, 1, 0, 1, 2);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    grid->setRowStretch(0, 5);
    grid->setRowStretch(1, 4);
    preparePlot(signal_, "time s (0 = data, 1 = noise)", "amplitude");
    preparePlot(logSnr_, "time s (0 = data, 1 = noise)", "log-SNR / nats");
    preparePlot(loss_, "log-SNR / nats (left: noise, right: data)", "density of training draws");
    loss_->plot()->yAxis->setTickLabels(true);
    addGraphs();
    for (PlotCard* card : {signal_, logSnr_, loss_})
        connect(card, &PlotCard::restyled, this, &ScheduleCharts::restyle);
    connect(signal_, &PlotCard::hovered, this, [this](double x) { readSignal(x); });
    connect(logSnr_, &PlotCard::hovered, this, [this](double x) { readLogSnr(x); });
    connect(loss_, &PlotCard::hovered, this, [this](double x) { readLoss(x); });
    restyle();
}

void ScheduleCharts::addGraphs() {
    for (Graphs& graphs : graphs_) {
        graphs.signal = signal_->plot()->addGraph();
        graphs.noise = signal_->plot()->addGraph();
        graphs.logSnr = logSnr_->plot()->addGraph();
        graphs.density = loss_->plot()->addGraph();
    }
    // B first: its longer marks stay visible behind those of A.
    for (Graphs* graphs : {&graphs_[1], &graphs_[0]}) {
        graphs->steps = addRug(logSnr_->plot());
        graphs->stepsLogSnr = addRug(loss_->plot());
    }
    // The rug has the right axis, so the loss gets an axis of its own further right.
    QCPAxis* axis = loss_->plot()->axisRect()->addAxis(QCPAxis::atRight);
    axis->setLayer(QStringLiteral("axes"));
    axis->grid()->setLayer(QStringLiteral("grid"));
    setAxisTitle(axis, tr("loss of the run"));
    axis->setVisible(false);
    lossGraph_ = loss_->plot()->addGraph(loss_->plot()->xAxis, axis);
    lossGraph_->setScatterStyle(QCPScatterStyle::ssDisc);
}

void ScheduleCharts::restyle() {
    for (PlotCard* card : {signal_, logSnr_, loss_}) stylePlot(card->plot());
    const QColor colors[] = {colorA(), colorB()};
    for (int i = 0; i < 2; ++i) {
        const Graphs& graphs = graphs_[i];
        graphs.signal->setPen(curvePen(colors[i]));
        graphs.noise->setPen(curvePen(colors[i], Qt::DashLine));
        graphs.logSnr->setPen(curvePen(colors[i]));
        graphs.density->setPen(curvePen(colors[i]));
        QColor area = colors[i];
        area.setAlpha(i == 0 ? 36 : 24);
        graphs.density->setBrush(area);
        // Few points and smooth: thinning them would only fray the line.
        for (QCPGraph* line : {graphs.signal, graphs.noise, graphs.logSnr, graphs.density})
            line->setAdaptiveSampling(false);
        for (QCPGraph* rug : {graphs.steps, graphs.stepsLogSnr})
            rug->setPen(QPen(colors[i], 1.2 * theme().scale));
    }
    draw();
}

void ScheduleCharts::show(const ScheduleCurves& a, const std::optional<ScheduleCurves>& b) {
    curves_[0] = a;
    curves_[1] = b;
    draw();
}

void ScheduleCharts::showLoss(const QString& runName, const QColor& color, const NoiseLoss& loss) {
    runName_ = runName;
    runColor_ = color;
    noiseLoss_ = loss;
    draw();
}

void ScheduleCharts::draw() {
    for (int i = 0; i < 2; ++i) drawSchedule(curves_[i] ? &*curves_[i] : nullptr, i);
    lossGraph_->setData(toQt(noiseLoss_.logSnr), toQt(noiseLoss_.loss), true);
    lossGraph_->setPen(QPen(runColor_, 1.6 * theme().scale));
    lossGraph_->setScatterStyle({QCPScatterStyle::ssDisc, runColor_, 4 * theme().scale});
    lossGraph_->valueAxis()->setVisible(!noiseLoss_.loss.empty());
    fitRanges();
    updateCaptions();
    for (PlotCard* card : {signal_, logSnr_, loss_}) card->queueReplot();
}

void ScheduleCharts::drawSchedule(const ScheduleCurves* curves, int place) {
    const Graphs& graphs = graphs_[place];
    const ScheduleCurves none;
    const ScheduleCurves& c = curves != nullptr ? *curves : none;
    graphs.signal->setData(toQt(c.s), toQt(c.signal), true);
    graphs.noise->setData(toQt(c.s), toQt(c.noise), true);
    graphs.logSnr->setData(toQt(c.snrAt), toQt(c.logSnr), true);
    graphs.density->setData(toQt(c.densityAt), toQt(c.density), true);
    // Two rows of marks, so that the steps of A and B stay apart.
    const auto height = [&](double) { return place == 0 ? 0.035 : 0.07; };
    const auto rug = [&](QCPGraph* graph, const std::vector<double>& at) {
        QVector<double> heights;
        for (const double x : at) heights.push_back(height(x));
        graph->setData(toQt(at), heights, false);
    };
    rug(graphs.steps, c.stepAt);
    rug(graphs.stepsLogSnr, c.stepLogSnr);
}

void ScheduleCharts::fitRanges() {
    double top = 1, low = 0, high = 0, dense = 0;
    for (const auto& curves : curves_) {
        if (!curves) continue;
        top = std::max(top, *std::max_element(curves->noise.begin(), curves->noise.end()));
        low = std::min(low, curves->logSnr.back());
        high = std::max(high, curves->logSnr.front());
        dense = std::max(dense, *std::max_element(curves->density.begin(), curves->density.end()));
    }
    low = std::max(low, -kLogSnrLimit);
    high = std::min(high, kLogSnrLimit);
    const double room = 0.05 * (high - low);
    for (PlotCard* card : {signal_, logSnr_}) card->plot()->xAxis->setRange(0, 1);
    signal_->plot()->yAxis->setRange(0, top * 1.05);
    logSnr_->plot()->yAxis->setRange(low - 2 * room, high + room);
    loss_->plot()->xAxis->setRange(low - room, high + room);
    loss_->plot()->yAxis->setRange(0, dense * 1.08);
    if (noiseLoss_.loss.empty()) return;
    const double most = *std::max_element(noiseLoss_.loss.begin(), noiseLoss_.loss.end());
    lossGraph_->valueAxis()->setRange(0, most * 1.08);
}

QStringList ScheduleCharts::keys(const QString& rest) const {
    QStringList parts;
    if (curves_[0]) parts << PlotCard::key(colorA(), QString::fromStdString(curves_[0]->name));
    if (curves_[1]) parts << PlotCard::key(colorB(), QString::fromStdString(curves_[1]->name));
    return parts << rest;
}

void ScheduleCharts::updateCaptions() {
    const bool masking = curves_[0] && curves_[0]->masking;
    setAxisTitle(signal_->plot()->yAxis, masking ? tr("probability") : tr("amplitude"));
    signal_->setCaption(keys(masking ? tr("solid unmasked, dashed masked") : tr("α solid, σ dashed")));
    logSnr_->setCaption(keys(tr("ticks: sampling steps")));
    QString rest = tr("select a trained run to see its loss here");
    if (!noiseLoss_.loss.empty())
        rest = PlotCard::key(runColor_, tr("loss of %1 at step %2").arg(runName_, countText(noiseLoss_.step)),
                             QStringLiteral("●"));
    loss_->setCaption(keys(rest));
}

void ScheduleCharts::readSignal(double s) {
    if (s < 0 || s > 1) return;
    QStringList parts{QStringLiteral("s %1").arg(numberText(s, 3))};
    for (int i = 0; i < 2; ++i) {
        if (!curves_[i]) continue;
        const QString text = tr("α %1, %2 %3")
                                 .arg(numberText(valueAt(curves_[i]->s, curves_[i]->signal, s), 3),
                                      curves_[i]->masking ? tr("masked") : tr("σ"),
                                      numberText(valueAt(curves_[i]->s, curves_[i]->noise, s), 3));
        parts << PlotCard::key(i == 0 ? colorA() : colorB(), text);
    }
    signal_->setReadout(parts);
}

void ScheduleCharts::readLogSnr(double s) {
    if (s < 0 || s > 1) return;
    QStringList parts{QStringLiteral("s %1").arg(numberText(s, 3))};
    for (int i = 0; i < 2; ++i)
        if (curves_[i])
            parts << PlotCard::key(i == 0 ? colorA() : colorB(),
                                   numberText(valueAt(curves_[i]->snrAt, curves_[i]->logSnr, s), 3));
    logSnr_->setReadout(parts);
}

void ScheduleCharts::readLoss(double logSnr) {
    QStringList parts{tr("log-SNR %1").arg(numberText(logSnr, 3))};
    for (int i = 0; i < 2; ++i)
        if (curves_[i])
            parts << PlotCard::key(
                i == 0 ? colorA() : colorB(),
                tr("density %1")
                    .arg(numberText(valueAt(curves_[i]->densityAt, curves_[i]->density, logSnr), 3)));
    if (!noiseLoss_.loss.empty())
        parts << PlotCard::key(
            runColor_, tr("loss %1").arg(numberText(valueAt(noiseLoss_.logSnr, noiseLoss_.loss, logSnr), 3)),
            QStringLiteral("●"));
    loss_->setReadout(parts);
}

}  // namespace kurve::views
