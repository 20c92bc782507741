#include "views/states/summary_chart.h"

#include <QToolButton>
#include <cmath>
#include <numeric>
#include <utility>

#include "views/common/chart/line_chart.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

/// On the steps of the first trace.
std::vector<double> matched(const std::vector<double>& values, const TraceSummary& of,
                            const TraceSummary& first, inspect::LinkBy by) {
    if (by == inspect::LinkBy::Step || &of == &first) return values;
    std::vector<double> out;
    for (int step = 0; step < first.levels.steps; ++step)
        out.push_back(
            values[static_cast<std::size_t>(inspect::partnerStep(first.levels, step, of.levels, by))]);
    return out;
}

}  // namespace

std::vector<double> stepsUpTo(std::size_t count) {
    std::vector<double> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    return numbers;
}

QStringList stateStatisticNames() {
    return {SummaryChart::tr("Mean similarity"), SummaryChart::tr("Neighbours' similarity"),
            SummaryChart::tr("Effective rank"), SummaryChart::tr("Repeated tokens")};
}

const std::vector<double>* numbersOf(const Overview& overview, int layer, StateStatistic number) {
    if (number == StateStatistic::Repeated) return &overview.repeatedTokens;
    if (layer < 0 || layer >= static_cast<int>(overview.layers.size())) return nullptr;
    const LayerSummary& numbers = overview.layers[static_cast<std::size_t>(layer)];
    return number == StateStatistic::Mean         ? &numbers.meanOffDiagonal
           : number == StateStatistic::Neighbours ? &numbers.adjacent
                                                  : &numbers.effectiveRank;
}

namespace {

/// The line of one layer.
void addRun(std::vector<SummaryChart::Line>& lines, const TraceSummary& run, const TraceSummary& first,
            const SummaryChart::RunsRequest& request) {
    const int layer = run.matchingLayer(request.block);
    const auto* numbers = numbersOf(run.numbers, layer, request.number);
    if (numbers == nullptr || numbers->empty()) return;
    QStringList differs;
    const bool repeated = request.number == StateStatistic::Repeated;
    if (!repeated && run.blocks.value(layer) != request.block) differs << run.titles.value(layer);
    if (run.otherPrompt) differs << SummaryChart::tr("another prompt");
    const QString title = differs.isEmpty()
                              ? run.name
                              : SummaryChart::tr("%1 (%2)").arg(run.name, differs.join(QStringLiteral(", ")));
    lines.push_back(
        {run.run, {title, runStyle(run.run), false, true}, matched(*numbers, run, first, request.linkBy)});
}

/// A line of each layer.
void addLayers(std::vector<SummaryChart::Line>& lines, const TraceSummary& run, const TraceSummary& first,
               const SummaryChart::RunsRequest& request) {
    constexpr Qt::PenStyle kDashes[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    const QString name = run.otherPrompt ? SummaryChart::tr("%1 (another prompt)").arg(run.name) : run.name;
    int drawn = 0;
    for (int layer = 0; layer < static_cast<int>(run.numbers.layers.size()); ++layer) {
        const auto* numbers = numbersOf(run.numbers, layer, request.number);
        if (numbers == nullptr || numbers->empty()) continue;
        RunStyle style = runStyle(run.run);
        style.dash = kDashes[drawn++ % 4];
        lines.push_back({run.run + QLatin1Char('|') + run.blocks.value(layer),
                         {SummaryChart::tr("%1 · %2").arg(name, run.titles.value(layer)), style, false, true},
                         matched(*numbers, run, first, request.linkBy)});
    }
}

}  // namespace

SummaryChart::SummaryChart(const QString& id, QWidget* parent)
    : QWidget(parent),
      chart_(new LineChart(id + QStringLiteral(".summaryChart"), stateStatisticNames().first())),
      strip_(new HeatStrip(id + QStringLiteral(".strip"))),
      colours_(describe(new QToolButton, id + QStringLiteral(".colours"), tr("Heat map instead of lines"),
                        tr("Heat map instead of lines (C)"), {.role = "quiet", .checkable = true})) {
    chart_->setKeyTitle(tr("denoising step"));
    chart_->setMinimumHeight(px(70));
    strip_->hide();
    colours_->setText(tr("Heat map"));
    vboxIn(this, {{chart_, 1}, {strip_, 1}}, {.margins = 0, .spacing = 0});
    connect(colours_, &QToolButton::toggled, this, [this](bool on) {
        chart_->setVisible(!on);
        strip_->setVisible(on);
        Q_EMIT coloursChanged();
    });
    connect(strip_, &HeatStrip::stepChosen, this, &SummaryChart::stepChosen);
    chart_->setNamesFirst(true);  // the only place with the layers' names
    connect(chart_, &LineChart::clickedAt, this,
            [this](double x) { Q_EMIT stepChosen(static_cast<int>(std::lround(x)) - 1); });
}

void SummaryChart::show(const QString& title, const std::vector<Line>& lines) {
    chart_->keepOnly({});
    chart_->setTitle(title);
    std::vector<HeatStrip::Row> rows;
    QStringList shown;
    for (const Line& line : lines) {
        if (line.values.empty() || shown.contains(line.id)) continue;
        chart_->setCurve(line.id, line.curve, stepsUpTo(line.values.size()), line.values);
        rows.push_back({line.curve.label, line.values});
        shown << line.id;
    }
    strip_->show(title, std::move(rows));
}

void SummaryChart::showRuns(const QString& title, const std::vector<const TraceSummary*>& runs,
                            const RunsRequest& request) {
    const auto addLines =
        request.block.isNull() && request.number != StateStatistic::Repeated ? addLayers : addRun;
    std::vector<Line> lines;
    for (const TraceSummary* run : runs) addLines(lines, *run, *runs.front(), request);
    show(title, lines);
}

void SummaryChart::setColours(bool on) {
    colours_->setChecked(on);
}

bool SummaryChart::colours() const {
    return colours_->isChecked();
}

void SummaryChart::setPlayhead(int step) {
    chart_->setPlayhead(step + 1);
    strip_->setPlayhead(step);
}

}  // namespace kurve::views
