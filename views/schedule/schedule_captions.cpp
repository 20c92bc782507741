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
    QStringList loss{tr("select a trained run to see its loss here")};
    if (!noiseLoss_.loss.empty())
        loss = {PlotCard::key(runColor_, runName_, QStringLiteral("●")),
                tr("at step %1").arg(countText(noiseLoss_.step))};
    if (!noiseLoss_.gradient.empty())
        loss << PlotCard::key(runColor_, tr("gradient of one sentence"), QStringLiteral("◇"));
    loss_->setCaption(loss);
    QStringList largestGaps;
    for (int i = 0; i < 2; ++i)
        if (curves_[i])
            largestGaps << PlotCard::key(i == 0 ? colorA() : colorB(),
                                         tr("largest %1").arg(numberText(curves_[i]->largestGap, 3)));
    steps_->setCaption(masking ? keys({}) : largestGaps);
}

}  // namespace kurve::views
