#include "views/states/summary_chart.h"

#include <QToolButton>
#include <QVBoxLayout>
#include <cmath>
#include <numeric>
#include <utility>

#include "views/common/line_chart.h"
#include "views/common/theme.h"

namespace kurve::views {

namespace {

std::vector<double> stepsUpTo(std::size_t count) {
    std::vector<double> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    return numbers;
}

/// On the steps of the first recording.
std::vector<double> matched(const std::vector<double>& values, const RecordingSummary& of,
                            const RecordingSummary& first, LinkBy by) {
    if (by == LinkBy::Step || &of == &first) return values;
    std::vector<double> out;
    for (int step = 0; step < first.levels.steps; ++step)
        out.push_back(values[static_cast<std::size_t>(partnerStep(first.levels, step, of.levels, by))]);
    return out;
}

}  // namespace

QStringList stateNumberNames() {
    return {SummaryChart::tr("Mean similarity"), SummaryChart::tr("Neighbours' similarity"),
            SummaryChart::tr("Effective rank"), SummaryChart::tr("Repeated tokens")};
}

const std::vector<double>* numbersOf(const Overview& overview, int layer, StateNumber number) {
    if (number == StateNumber::Repeated) return &overview.repeatedTokens;
    if (layer < 0 || layer >= static_cast<int>(overview.layers.size())) return nullptr;
    const LayerSummary& numbers = overview.layers[static_cast<std::size_t>(layer)];
    return number == StateNumber::Mean         ? &numbers.meanOffDiagonal
           : number == StateNumber::Neighbours ? &numbers.adjacent
                                               : &numbers.effectiveRank;
}

SummaryChart::SummaryChart(const QString& id, QWidget* parent)
    : QWidget(parent),
      chart_(new LineChart(id + QStringLiteral(".summaryChart"), stateNumberNames().first())),
      strip_(new HeatStrip),
      colours_(new QToolButton) {
    chart_->setKeyTitle(tr("denoising step"));
    chart_->setMinimumHeight(px(70));
    strip_->setObjectName(id + QStringLiteral(".strip"));
    strip_->hide();
    colours_->setObjectName(id + QStringLiteral(".colours"));
    colours_->setText(tr("Colours"));
    colours_->setAccessibleName(tr("Rows of colours instead of lines"));
    colours_->setToolTip(tr("Rows of colours on one scale instead of lines (C)"));
    colours_->setCheckable(true);
    colours_->setProperty("role", "quiet");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(chart_, 1);
    column->addWidget(strip_, 1);
    connect(colours_, &QToolButton::toggled, this, [this](bool on) {
        chart_->setVisible(!on);
        strip_->setVisible(on);
        Q_EMIT coloursChanged();
    });
    connect(strip_, &HeatStrip::stepChosen, this, &SummaryChart::stepChosen);
    chart_->setNamesFirst(true);  // nothing else here says which layer a line is
    connect(chart_, &LineChart::clickedAt, this,
            [this](double x) { Q_EMIT stepChosen(static_cast<int>(std::lround(x)) - 1); });
}

void SummaryChart::begin(const QString& title) {
    chart_->keepOnly({});
    chart_->setTitle(title);
    rows_.clear();
    shown_.clear();
}

void SummaryChart::add(const QString& id, const CurveLook& look, const std::vector<double>& values) {
    if (values.empty() || shown_.contains(id)) return;
    chart_->setCurve(id, look, stepsUpTo(values.size()), values);
    rows_.push_back({look.label, values});
    shown_ << id;
}

void SummaryChart::end() {
    chart_->keepOnly(shown_);
    strip_->show(chart_->title(), std::exchange(rows_, {}));
    shown_.clear();
}

void SummaryChart::showRun(const RecordingSummary& run, const RecordingSummary& first, const RunsWish& wish) {
    const int like = run.layerLike(wish.block);
    const auto* numbers = numbersOf(run.numbers, like, wish.number);
    if (numbers == nullptr || numbers->empty()) return;
    QStringList differs;
    const bool repeated = wish.number == StateNumber::Repeated;
    if (!repeated && run.blocks.value(like) != wish.block) differs << run.titles.value(like);
    if (run.otherPrompt) differs << tr("another prompt");
    const QString title =
        differs.isEmpty() ? run.name : tr("%1 (%2)").arg(run.name, differs.join(QStringLiteral(", ")));
    add(run.run, {title, runStyle(run.run), false, true}, matched(*numbers, run, first, wish.linkBy));
}

void SummaryChart::showLayers(const RecordingSummary& run, const RecordingSummary& first,
                              const RunsWish& wish) {
    constexpr Qt::PenStyle kDashes[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    const QString name = run.otherPrompt ? tr("%1 (another prompt)").arg(run.name) : run.name;
    int drawn = 0;
    for (int layer = 0; layer < static_cast<int>(run.numbers.layers.size()); ++layer) {
        const auto* numbers = numbersOf(run.numbers, layer, wish.number);
        if (numbers == nullptr || numbers->empty()) continue;
        RunStyle style = runStyle(run.run);
        style.dash = kDashes[drawn++ % 4];
        add(run.run + QLatin1Char('|') + run.blocks.value(layer),
            {tr("%1 · %2").arg(name, run.titles.value(layer)), style, false, true},
            matched(*numbers, run, first, wish.linkBy));
    }
}

void SummaryChart::showRuns(const QString& title, const std::vector<const RecordingSummary*>& runs,
                            const RunsWish& wish) {
    begin(title);
    if (runs.empty()) return end();
    const bool layers = wish.block.isNull() && wish.number != StateNumber::Repeated;
    for (const RecordingSummary* run : runs)
        layers ? showLayers(*run, *runs.front(), wish) : showRun(*run, *runs.front(), wish);
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
