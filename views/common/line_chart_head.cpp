// What stands in a LineChart's title row: name, unit, how it is smoothed, and which curve stands where.
#include <QLabel>
#include <algorithm>
#include <utility>

#include "views/common/chart_legend.h"
#include "views/common/format.h"
#include "views/common/line_chart.h"
#include "views/common/qcustomplot.h"
#include "views/common/smoothing_control.h"

namespace kurve::views {

/// A smoothed line is never shown without a word on how it was made.
void LineChart::nameTitle() {
    QStringList rest{unit_.toHtmlEscaped(), smoothingText()};
    rest.removeAll(QString());
    QString text = title_.toHtmlEscaped();
    if (!rest.isEmpty())
        text += QStringLiteral(" <span style=\"font-weight:400\">%1</span>").arg(rest.join(tr(" · ")));
    if (std::exchange(shownTitle_, text) != text) titleLabel_->setText(text);
}

QString LineChart::smoothingText() const {
    const bool any = std::any_of(curves_.begin(), curves_.end(),
                                 [this](const auto& entry) { return entry.second->isSmoothed(smoothing_); });
    return any ? smoothingName(smoothing_) : QString();
}

void LineChart::updateLegend() {
    nameTitle();
    std::vector<ChartLegend::Entry> entries;
    for (const auto& [id, curve] : curves_) {
        const CurveLook& look = curve->look();
        if (look.label.isEmpty() || curve->empty()) continue;
        entries.push_back({look.style.color,
                           look.style.dash == Qt::SolidLine ? QStringLiteral("━") : QStringLiteral("╍"),
                           look.label, numberText(curve->last(smoothing_))});
    }
    for (const auto& [id, reference] : references_)
        entries.push_back(
            {theme().muted, QStringLiteral("┄"), reference.label, numberText(reference.y), true});
    // Axes without a curve would show invented numbers.
    const bool any =
        std::any_of(curves_.begin(), curves_.end(), [](const auto& entry) { return !entry.second->empty(); });
    plot_->axisRect()->setVisible(any);
    for (QCPAxis* axis : plot_->axisRect()->axes())
        axis->setVisible(any && (axis == plot_->xAxis || axis == plot_->yAxis));
    for (auto& [id, reference] : references_) reference.line->setVisible(any);
    for (auto* line : markLines_) line->setVisible(any);
    if (!any) return legend_->setNote(tr("no points yet"));
    legend_->setEntries(std::move(entries));
}

}  // namespace kurve::views
