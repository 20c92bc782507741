// What stands beside the titles of the schedule laboratory's charts.
#include "views/common/format.h"
#include "views/common/plot_card.h"
#include "views/common/plot_style.h"
#include "views/common/qcustomplot.h"
#include "views/common/theme.h"
#include "views/schedule/schedule_charts.h"

namespace kurve::views {

QStringList ScheduleCharts::keys(const QStringList& rest) const {
    QStringList parts;
    if (curves_[0]) parts << PlotCard::key(colorA(), QString::fromStdString(curves_[0]->name));
    if (curves_[1]) parts << PlotCard::key(colorB(), QString::fromStdString(curves_[1]->name));
    return parts + rest;
}

void ScheduleCharts::updateCaptions() {
    const bool masking = curves_[0] && curves_[0]->masking;
    setAxisTitle(signal_->plot()->yAxis, masking ? tr("probability") : tr("amplitude"));
    signal_->setCaption(
        keys({masking ? tr("solid unmasked, dashed masked, dotted hazard") : tr("α solid, σ dashed")}));
    logSnr_->setCaption(keys({tr("ticks: sampling steps")}));
    QStringList dense;
    if (proposal_) dense << PlotCard::key(theme().accent, tr("proposal"), QStringLiteral("┅"));
    density_->setCaption(keys(dense << tr("dashed: w·p, area 1")));
    QStringList loss;
    for (std::size_t i = 0; i < losses_.size(); ++i) {
        const RunLoss& run = losses_[i];
        if (!run.loss.loss.empty())
            loss << PlotCard::key(run.color, run.name, QString::fromUtf16(kLossMarks[i]))
                 << tr("at step %1").arg(countText(run.loss.step));
        if (!run.loss.gradient.empty())
            loss << PlotCard::key(run.color, tr("gradient of one sentence"),
                                  QString::fromUtf16(kGradientMarks[i]));
    }
    if (loss.isEmpty()) loss << tr("select one or two trained runs to see their loss here");
    loss_->setCaption(loss);
    QStringList largestGaps;
    for (int i = 0; i < 2; ++i)
        if (curves_[i])
            largestGaps << PlotCard::key(i == 0 ? colorA() : colorB(),
                                         tr("largest %1").arg(numberText(curves_[i]->largestGap, 3)));
    steps_->setCaption(masking ? keys({}) : largestGaps);
}

}  // namespace kurve::views
