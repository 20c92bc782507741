// The title row of a LineChart: name, unit, smoothing and legend.
#include <QHBoxLayout>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "views/common/chart/chart_legend.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/chart/smoothing_control.h"
#include "views/common/text/elided_label.h"
#include "views/common/text/format.h"

namespace kurve::views {

/// Smoothing is always named.
void LineChart::nameTitle() {
    titleLabel_->setTexts(title_, {unit_, smoothingText()});
}

/// Curve names that do not fit beside the title go below it, and the card requests the height of that line;
/// a card with a minimum height of its own does so only if it is high enough.
void LineChart::placeLegend() {
    constexpr double kEdges = 34, kLeastHeight = 120, kLegendLine = 16;
    constexpr const char* kOwnHeight = "ownMinimumHeight";  // while the card requests more
    const QVariant stored = property(kOwnHeight);
    const int own = stored.isValid() ? stored.toInt() : minimumHeight();
    int available = width() - px(kEdges) - titleLabel_->sizeHint().width();
    if (keyScale() != Scale::Linear) available -= logX_->sizeHint().width();
    if (valueScale() != Scale::Linear) available -= logY_->sizeHint().width();
    const bool below = legend_->entries().size() > 1 && legend_->widthWithNames() > available &&
                       (own == 0 || height() >= px(kLeastHeight));
    const int lines = legend_->entries().size() > 2 ? 2 : 1;
    setProperty(kOwnHeight, below ? QVariant(own) : QVariant());
    const int least = below && own == 0 ? minimumSizeHint().height() + px(kLegendLine * lines) : own;
    if (minimumHeight() != least) setMinimumHeight(least);
    if (below == (below_->count() > 0)) return;
    (below ? head_ : below_)->removeWidget(legend_);
    if (below)
        below_->addWidget(legend_);
    else
        head_->insertWidget(2, legend_, 1);
    head_->setStretch(0, below ? 1 : 0);
    legend_->setMostLines(below ? 2 : 1);
}

void LineChart::setNamesFirst(bool on) {
    legend_->setNamesFirst(on);
}

void LineChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    placeLegend();
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
        const CurveSpec& spec = curve->spec();
        if (spec.label.isEmpty() || curve->empty()) continue;
        entries.push_back({spec.style.color,
                           spec.style.dash == Qt::SolidLine ? QStringLiteral("━") : QStringLiteral("╍"),
                           spec.label, numberText(curve->last(smoothing_))});
    }
    for (const auto& [id, reference] : references_)
        entries.push_back({theme().muted, QStringLiteral("┄"), reference.label, numberText(reference.y)});
    // Axes without a curve would show arbitrary numbers.
    const bool any =
        std::any_of(curves_.begin(), curves_.end(), [](const auto& entry) { return !entry.second->empty(); });
    plot_->axisRect()->setVisible(any);
    for (QCPAxis* axis : plot_->axisRect()->axes())
        axis->setVisible(any && (axis == plot_->xAxis || axis == plot_->yAxis));
    for (auto& [id, reference] : references_) reference.line->setVisible(any);
    for (auto* line : markLines_) line->setVisible(any);
    if (!any) return legend_->setNote(tr("no points yet"));
    legend_->setEntries(std::move(entries));
    placeLegend();
}

}  // namespace kurve::views
