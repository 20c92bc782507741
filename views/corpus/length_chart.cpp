#include "views/corpus/length_chart.h"

#include <QVBoxLayout>
#include <algorithm>

#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr int kMaxBars = 60;

void fill(QCPBars* bars, const LengthHistogram& histogram) {
    QVector<double> keys, values;
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        keys.append((static_cast<double>(i) + 0.5) * histogram.width - (histogram.width == 1 ? 0.5 : 0));
        values.append(histogram.counts[i]);
    }
    bars->setData(keys, values, true);
}

}  // namespace

LengthHistogram lengthHistogram(const std::vector<int>& lengths, int longest) {
    LengthHistogram histogram;
    histogram.width = std::max(1, (longest + kMaxBars) / kMaxBars);
    histogram.counts.assign(static_cast<std::size_t>(longest / histogram.width) + 1, 0);
    for (const int length : lengths)
        histogram.counts[static_cast<std::size_t>(std::min(length, longest) / histogram.width)] += 1;
    return histogram;
}

LengthChart::LengthChart(QWidget* parent) : QWidget(parent), plot_(new QCustomPlot) {
    plot_->setObjectName(QStringLiteral("corpus.lengths"));
    plot_->setAccessibleName(QStringLiteral("Sentence lengths in words"));
    plot_->setMinimumHeight(px(160));
    source_ = new QCPBars(plot_->xAxis, plot_->yAxis);
    target_ = new QCPBars(plot_->xAxis, plot_->yAxis);
    source_->setName(QStringLiteral("source"));
    target_->setName(QStringLiteral("target"));
    auto* group = new QCPBarsGroup(plot_);
    group->setSpacing(0);
    source_->setBarsGroup(group);
    target_->setBarsGroup(group);
    plot_->legend->setVisible(true);
    plot_->legend->setFillOrder(QCPLegend::foColumnsFirst);
    plot_->plotLayout()->insertRow(0);  // above the bars, which it would hide
    plot_->plotLayout()->addElement(0, 0, plot_->legend);
    plot_->plotLayout()->setRowStretchFactor(0, 0.001);
    auto ticks = QSharedPointer<QCPAxisTickerFixed>::create();  // there are no half words
    ticks->setTickStep(5);
    ticks->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    plot_->xAxis->setTicker(ticks);
    setAxisTitle(plot_->xAxis, QStringLiteral("words per sentence"));
    setAxisTitle(plot_->yAxis, QStringLiteral("sentences"));
    limit_ = new QCPItemStraightLine(plot_);
    limit_->setVisible(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(plot_);
    connect(themeNotifier(), &ThemeNotifier::changed, this, &LengthChart::restyle);
    restyle();
}

void LengthChart::restyle() {
    stylePlot(plot_);
    const QColor source = categoryColor(0), target = categoryColor(1);
    source_->setPen(Qt::NoPen);
    source_->setBrush(source);
    target_->setPen(QPen(target, theme().scale));
    target_->setBrush(QBrush(target, Qt::Dense4Pattern));
    limit_->setPen(QPen(theme().text, theme().scale, Qt::DashLine));
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void LengthChart::setUnit(const QString& unit, int longest) {
    setAxisTitle(plot_->xAxis, QStringLiteral("%1 per sentence").arg(unit));
    plot_->setAccessibleName(QStringLiteral("Sentence lengths in %1").arg(unit));
    limit_->setVisible(longest > 0);
    limit_->point1->setCoords(longest + 0.5, 0);
    limit_->point2->setCoords(longest + 0.5, 1);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void LengthChart::setLengths(const std::vector<int>& source, const std::vector<int>& target) {
    int longest = 1;
    for (const auto* lengths : {&source, &target})
        if (!lengths->empty())
            longest = std::max(longest, *std::max_element(lengths->begin(), lengths->end()));
    const auto left = lengthHistogram(source, longest), right = lengthHistogram(target, longest);
    fill(source_, left);
    fill(target_, right);
    for (QCPBars* bars : {source_, target_}) bars->setWidth(0.42 * left.width);
    double highest = 1;
    for (const auto* histogram : {&left, &right})
        for (const double count : histogram->counts) highest = std::max(highest, count);
    plot_->xAxis->setRange(-0.6 * left.width, longest + left.width);
    plot_->yAxis->setRange(0, highest * 1.08);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

}  // namespace kurve::views
