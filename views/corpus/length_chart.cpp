#include "views/corpus/length_chart.h"

#include <algorithm>

#include "views/common/chart/plot_style.h"

namespace kurve::views {

namespace {

using Form = ChartLayer::Form;

constexpr int kMaxBars = 60;

ChartLayer barsOf(const LengthHistogram& histogram, const QString& name, const QPen& pen,
                  const QBrush& brush) {
    ChartLayer bars{Form::Bars, name, {}, histogram.counts, pen, brush};
    const double width = histogram.width, first = histogram.width == 1 ? 0 : width / 2;
    for (std::size_t i = 0; i < bars.y.size(); ++i) bars.x.push_back(first + static_cast<double>(i) * width);
    bars.barWidth = 0.42 * width;
    return bars;
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

LengthChart::LengthChart(QWidget* parent) : PlotCard(QStringLiteral("corpus.lengths"), QString(), parent) {
    plot()->setMinimumHeight(px(160));
    const auto ticks = QSharedPointer<QCPAxisTickerFixed>::create();  // there are no half words
    ticks->setTickStep(5);
    ticks->setScaleStrategy(QCPAxisTickerFixed::ssMultiples);
    plot()->xAxis->setTicker(ticks);
    connect(this, &PlotCard::restyled, this, &LengthChart::draw);
    setUnit(QStringLiteral("words"), 0, QStringLiteral("sentence"));
}

void LengthChart::draw() {
    const QColor source = categoryColor(0), target = categoryColor(1);
    std::vector<ChartLayer> layers{barsOf(target_, QStringLiteral("target"), QPen(target, theme().scale),
                                          QBrush(target, Qt::Dense4Pattern))};
    QStringList keys;
    if (std::ranges::any_of(source_.counts, [](double count) { return count > 0; })) {
        layers.insert(layers.begin(), barsOf(source_, QStringLiteral("source"), Qt::NoPen, source));
        keys = {key(source, layers[0].name, QStringLiteral("■")),
                key(target, layers[1].name, QStringLiteral("▒"))};
    }
    if (limit_ > 0)
        layers.push_back(
            {Form::VerticalGuide, {}, {limit_ + 0.5}, {}, QPen(theme().text, theme().scale, Qt::DashLine)});
    setCaption(keys);
    setLayers(layers);
}

void LengthChart::setUnit(const QString& unit, int longest, const QString& of) {
    setAxisTitle(plot()->xAxis, QStringLiteral("%1 per %2").arg(unit, of));
    setAxisTitle(plot()->yAxis, of + QLatin1Char('s'));
    setTitle(QStringLiteral("%1%2 lengths in %3").arg(of[0].toUpper()).arg(of.mid(1), unit));
    limit_ = longest;
    draw();
}

void LengthChart::setLengths(const std::vector<int>& source, const std::vector<int>& target) {
    int longest = 1;
    double highest = 1;
    for (const auto* lengths : {&source, &target})
        for (const int length : *lengths) longest = std::max(longest, length);
    source_ = lengthHistogram(source, longest);
    target_ = lengthHistogram(target, longest);
    for (const auto* histogram : {&source_, &target_})
        for (const double count : histogram->counts) highest = std::max(highest, count);
    plot()->xAxis->setRange(-0.6 * source_.width, longest + source_.width);
    plot()->yAxis->setRange(0, highest * 1.08);
    draw();
}

}  // namespace kurve::views
