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

std::vector<double> stepsUpTo(std::size_t count) {
    std::vector<double> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    return numbers;
}

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

void SummaryChart::begin(const QString& title) {
    chart_->keepOnly({});
    chart_->setTitle(title);
    rows_.clear();
    shown_.clear();
}

void SummaryChart::add(const QString& id, const CurveSpec& curve, const std::vector<double>& values) {
    if (values.empty() || shown_.contains(id)) return;
    chart_->setCurve(id, curve, stepsUpTo(values.size()), values);
    rows_.push_back({curve.label, values});
    shown_ << id;
}

void SummaryChart::end() {
    chart_->keepOnly(shown_);
    strip_->show(chart_->title(), std::exchange(rows_, {}));
    shown_.clear();
}

void SummaryChart::showRun(const TraceSummary& run, const TraceSummary& first, const RunsRequest& request) {
    const int layer = run.matchingLayer(request.block);
    const auto* numbers = numbersOf(run.numbers, layer, request.number);
    if (numbers == nullptr || numbers->empty()) return;
    QStringList differs;
    const bool repeated = request.number == StateStatistic::Repeated;
    if (!repeated && run.blocks.value(layer) != request.block) differs << run.titles.value(layer);
    if (run.otherPrompt) differs << tr("another prompt");
    const QString title =
        differs.isEmpty() ? run.name : tr("%1 (%2)").arg(run.name, differs.join(QStringLiteral(", ")));
    add(run.run, {title, runStyle(run.run), false, true}, matched(*numbers, run, first, request.linkBy));
}

void SummaryChart::showLayers(const TraceSummary& run, const TraceSummary& first,
                              const RunsRequest& request) {
    constexpr Qt::PenStyle kDashes[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    const QString name = run.otherPrompt ? tr("%1 (another prompt)").arg(run.name) : run.name;
    int drawn = 0;
    for (int layer = 0; layer < static_cast<int>(run.numbers.layers.size()); ++layer) {
        const auto* numbers = numbersOf(run.numbers, layer, request.number);
        if (numbers == nullptr || numbers->empty()) continue;
        RunStyle style = runStyle(run.run);
        style.dash = kDashes[drawn++ % 4];
        add(run.run + QLatin1Char('|') + run.blocks.value(layer),
            {tr("%1 · %2").arg(name, run.titles.value(layer)), style, false, true},
            matched(*numbers, run, first, request.linkBy));
    }
}

void SummaryChart::showRuns(const QString& title, const std::vector<const TraceSummary*>& runs,
                            const RunsRequest& request) {
    begin(title);
    if (runs.empty()) return end();
    const bool layers = request.block.isNull() && request.number != StateStatistic::Repeated;
    for (const TraceSummary* run : runs)
        layers ? showLayers(*run, *runs.front(), request) : showRun(*run, *runs.front(), request);
    end();
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
