// What stands beside the titles of the schedule laboratory's charts.
#include "views/common/chart/plot_card.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/text/distinguishing_label.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/schedule/schedule_charts.h"

namespace kurve::views {

namespace {

QStringList namesOf(const ShownCurves& shown) {
    QStringList parts;
    for (const ShownCurve& one : shown)
        parts << PlotCard::key(one.color, QString::fromStdString(one.curves->name), one.glyph);
    return parts;
}

}  // namespace

QStringList ScheduleCharts::keys(const QStringList& rest) const {
    return namesOf(shownCurves()) + rest;
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
    for (const ShownCurve& one : aAndB())
        largestGaps << PlotCard::key(one.color, tr("largest %1").arg(numberText(one.curves->largestGap, 3)));
    steps_->setCaption(masking ? namesOf(aAndB()) : largestGaps);
}

}  // namespace kurve::views
