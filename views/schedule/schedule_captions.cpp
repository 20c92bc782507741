// What stands beside the titles of the schedule laboratory's charts.
#include "views/common/chart/plot_card.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/text/distinguishing_label.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/schedule/schedule_charts.h"

namespace kurve::views {

QStringList ScheduleCharts::keysOfAAndB() const {
    QStringList parts;
    if (curves_[0]) parts << PlotCard::key(colorA(), QString::fromStdString(curves_[0]->name));
    if (curves_[1]) parts << PlotCard::key(colorB(), QString::fromStdString(curves_[1]->name));
    return parts;
}

QStringList ScheduleCharts::keys(const QStringList& rest) const {
    return keysOfAAndB() + compared_.keys() + rest;
}

/// What exported tables call the curves.
void ScheduleCharts::nameCurves() {
    for (int i = 0; i < 2; ++i) {
        if (!curves_[i]) continue;
        const Graphs& graphs = graphs_[i];
        const bool masking = curves_[i]->masking;
        const QString of = (i == 0 ? QStringLiteral("A (%1) ") : QStringLiteral("B (%1) "))
                               .arg(QString::fromStdString(curves_[i]->name));
        graphs.signal->setName(of + (masking ? tr("unmasked") : tr("alpha")));
        graphs.noise->setName(of + (masking ? tr("masked") : tr("sigma")));
        graphs.hazard->setName(of + tr("hazard"));
        graphs.logSnr->setName(of + tr("log-SNR"));
        graphs.density->setName(of + tr("p"));
        graphs.weighted->setName(of + tr("w p"));
        graphs.bars->setName(of.trimmed());
        for (QCPGraph* rug : {graphs.steps, graphs.stepsLogSnr}) rug->setName(of + tr("sampling steps"));
    }
    for (std::size_t i = 0; i < losses_.size(); ++i) {
        lossGraphs_[i]->setName(losses_[i].name);
        gradientGraphs_[i]->setName(tr("%1, gradient of one sentence").arg(losses_[i].name));
        probabilityGraphs_[i]->setName(tr("%1, probability, scaled").arg(losses_[i].name));
    }
    for (QCPGraph* graph : {proposed_, proposedDensity_}) graph->setName(tr("proposal"));
    broken_->setName(tr("invalid"));
    limits_->setName(tr("limits"));
}

void ScheduleCharts::updateCaptions() {
    nameCurves();
    const bool masking = curves_[0] && curves_[0]->masking;
    setAxisTitle(signal_->plot()->yAxis, masking ? tr("probability") : tr("amplitude"));
    signal_->setCaption(
        keys({masking ? tr("solid unmasked, dashed masked, dotted hazard") : tr("α solid, σ dashed")}));
    logSnr_->setCaption(keys({tr("ticks: sampling steps")}));
    QStringList dense;
    if (proposal_) dense << PlotCard::key(theme().accent, tr("proposal"), QStringLiteral("┅"));
    density_->setCaption(keys(dense << tr("dashed: w·p, area 1")));
    // The names first: in a narrow card the rest gives way, and two names keep what tells them apart.
    constexpr int kShortName = 11;
    const QStringList names{losses_[0].name, losses_[1].name};
    const bool two = !losses_[0].loss.loss.empty() && !losses_[1].loss.loss.empty();
    QStringList loss, rest;
    for (std::size_t i = 0; i < losses_.size(); ++i) {
        const auto& [name, color, values] = losses_[i];
        if (!values.loss.empty()) {
            loss << PlotCard::key(color, two ? distinguishingLabel(name, names, kShortName) : name,
                                  QString::fromUtf16(kLossMarks[i]));
            rest << tr("at step %1").arg(countText(values.step));
        }
        if (!values.gradient.empty())
            rest << PlotCard::key(color, tr("gradient"), QString::fromUtf16(kGradientMarks[i]));
        if (!values.probability.empty())
            rest << PlotCard::key(color, tr("probability, scaled"), QString::fromUtf16(kProbabilityMark));
    }
    loss += rest;
    if (loss.isEmpty()) loss << tr("select a trained run") << tr("or two, to compare their losses");
    loss_->setCaption(loss);
    QStringList largestGaps;
    for (int i = 0; i < 2; ++i)
        if (curves_[i])
            largestGaps << PlotCard::key(i == 0 ? colorA() : colorB(),
                                         tr("largest %1").arg(numberText(curves_[i]->largestGap, 3)));
    steps_->setCaption(masking ? keysOfAAndB() : largestGaps);
}

}  // namespace kurve::views
