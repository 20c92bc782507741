#include "views/similarity/similarity_curves.h"

#include <QComboBox>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "views/common/line_chart.h"
#include "views/common/theme.h"
#include "views/common/wrap_layout.h"

namespace kurve::views {
namespace {

RunStyle lookOf(int index, bool dashed) {
    return {categoryColor(index), dashed ? Qt::DashLine : Qt::SolidLine, index % 6};
}

std::vector<double> upTo(std::size_t count) {
    std::vector<double> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    return numbers;
}

constexpr int kRepeated = 3, kPair = 4;  // of the choice
constexpr double kBothHeight = 300;      // two charts that can be read

}  // namespace

SimilarityCurves::SimilarityCurves(QWidget* parent)
    : QWidget(parent),
      what_(new QComboBox),
      lines_(new QComboBox),
      colours_(new QToolButton),
      strip_(new HeatStrip),
      summary_(new LineChart(QStringLiteral("similarity.summaryChart"), tr("Mean similarity"))),
      pair_(new LineChart(QStringLiteral("similarity.cellChart"), tr("One pair through the steps"))),
      pairs_([](const PairWish& wish) { return pairLinesOf(wish); },
             [this](const PairLines& lines) { drawPair(lines); }) {
    what_->setObjectName(QStringLiteral("similarity.summary"));
    what_->setAccessibleName(tr("What runs through the steps"));
    what_->setToolTip(what_->accessibleName());
    what_->addItems({tr("Mean similarity"), tr("Neighbours' similarity"), tr("Effective rank"),
                     tr("Repeated tokens"), tr("The chosen pair")});
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(space::kTight));
    lines_->setObjectName(QStringLiteral("similarity.lines"));
    lines_->setAccessibleName(tr("A line for each layer, or for each selected run"));
    lines_->setToolTip(tr("A line for each layer, or this layer of all selected runs (R)"));
    lines_->addItems({tr("by layer"), tr("by run")});
    auto* choices = new WrapLayout;
    choices->addWidget(what_);
    choices->addWidget(lines_);
    colours_->setObjectName(QStringLiteral("similarity.colours"));
    colours_->setText(tr("Colours"));
    colours_->setAccessibleName(tr("Rows of colours instead of lines"));
    colours_->setToolTip(tr("Rows of colours on one scale instead of lines (C)"));
    colours_->setCheckable(true);
    colours_->setProperty("role", "quiet");
    choices->addWidget(colours_);
    column->addLayout(choices);
    column->addWidget(summary_, 1);
    column->addWidget(strip_, 1);
    strip_->hide();
    column->addWidget(pair_, 1);
    for (LineChart* chart : {summary_, pair_}) {
        chart->setKeyTitle(tr("denoising step"));
        chart->setMinimumHeight(px(70));
    }
    connect(what_, &QComboBox::currentIndexChanged, this, [this](int index) {
        arrange();
        if (index != kPair) Q_EMIT summaryChanged();
    });
    connect(lines_, &QComboBox::currentIndexChanged, this, &SimilarityCurves::summaryChanged);
    connect(colours_, &QToolButton::toggled, this, &SimilarityCurves::arrange);
    connect(strip_, &HeatStrip::stepChosen, this, &SimilarityCurves::stepChosen);
    for (LineChart* chart : {summary_, pair_})
        connect(chart, &LineChart::clickedAt, this,
                [this](double x) { Q_EMIT stepChosen(static_cast<int>(std::lround(x)) - 1); });
}

void SimilarityCurves::setPlayhead(int step) {
    summary_->setPlayhead(step + 1);
    pair_->setPlayhead(step + 1);
    strip_->setPlayhead(step);
}

QSize SimilarityCurves::minimumSizeHint() const {
    return {px(180), px(110)};
}

void SimilarityCurves::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void SimilarityCurves::arrange() {
    const bool pairOnly = what_->currentIndex() == kPair, both = height() >= px(kBothHeight);
    summary_->setVisible(!pairOnly && !colours());
    strip_->setVisible(!pairOnly && colours());
    colours_->setVisible(!pairOnly);
    pair_->setVisible(pairOnly || both);
    lines_->setVisible(!pairOnly);
}

bool SimilarityCurves::colours() const {
    return colours_->isChecked();
}

void SimilarityCurves::setColours(bool on) {
    colours_->setChecked(on);
}

/// Both forms always hold the same, so that changing between them asks for nothing.
void SimilarityCurves::addLine(const QString& id, const CurveLook& look, const std::vector<double>& values) {
    if (values.empty() || shown_.contains(id)) return;
    summary_->setCurve(id, look, upTo(values.size()), values);
    rows_.push_back({look.label, values});
    shown_ << id;
}

void SimilarityCurves::endLines() {
    summary_->keepOnly(shown_);
    strip_->show(summary_->title(), std::exchange(rows_, {}));
    shown_.clear();
}

void SimilarityCurves::addLines(const Summary& summary, bool dashed) {
    if (summary.overview == nullptr || summary.source == nullptr) return;
    const auto add = [&](const QString& title, const std::vector<double>& values, int color) {
        const QString id = title + (dashed ? QStringLiteral(" (B)") : QString());
        addLine(id, {id, lookOf(color, dashed), false, true}, values);
    };
    if (what_->currentIndex() >= kRepeated)
        return add(tr("repeated tokens"), summary.overview->repeatedTokens, 0);
    for (std::size_t layer = 0; layer < summary.overview->layers.size(); ++layer)
        add(summary.source->layers()[layer].title, *numbersOf(*summary.overview, static_cast<int>(layer)),
            static_cast<int>(layer));
}

const std::vector<double>* SimilarityCurves::numbersOf(const Overview& overview, int layer) const {
    if (what_->currentIndex() >= kRepeated) return &overview.repeatedTokens;
    if (layer < 0 || layer >= static_cast<int>(overview.layers.size())) return nullptr;
    const LayerSummary& numbers = overview.layers[static_cast<std::size_t>(layer)];
    return what_->currentIndex() == 0   ? &numbers.meanOffDiagonal
           : what_->currentIndex() == 1 ? &numbers.adjacent
                                        : &numbers.effectiveRank;
}

bool SimilarityCurves::byRun() const {
    return lines_->currentIndex() == 1;
}

void SimilarityCurves::toggleByRun() {
    if (what_->currentIndex() == kPair) what_->setCurrentIndex(0);
    lines_->setCurrentIndex(1 - lines_->currentIndex());
}

void SimilarityCurves::showRuns(const Shown& shown, const std::vector<RecordingSummary>& others) {
    if (what_->currentIndex() == kPair) return;
    const auto draw = [&](const QString& run, const QString& title, const std::vector<double>& values) {
        addLine(run, {title, runStyle(run), false, true}, values);
    };
    const StateLayer& layer = shown.source.layers()[static_cast<std::size_t>(shown.layer)];
    const trace::Trace& a = shown.source.trace();
    const bool repeated = what_->currentIndex() == kRepeated;
    summary_->keepOnly({});
    summary_->setTitle(repeated ? what_->currentText() : tr("%1, %2").arg(summary_->title(), layer.title));
    if (const auto* own = numbersOf(shown.overview, shown.layer))
        draw(QString::fromStdString(a.metaText("run")), shown.source.title(), *own);
    for (const RecordingSummary& other : others) {
        const int like = other.layerLike(layer.block);
        const auto* theirs = numbersOf(other.numbers, like);
        if (theirs == nullptr) continue;
        std::vector<double> values = *theirs;
        if (shown.linkBy != LinkBy::Step) {  // on the shown recording's steps
            values.clear();
            for (int step = 0; step < a.steps; ++step)
                values.push_back(
                    (*theirs)[static_cast<std::size_t>(partnerStep(a, step, other.levels, shown.linkBy))]);
        }
        QStringList differs;
        if (!repeated && other.blocks.value(like) != layer.block) differs << other.titles.value(like);
        if (other.otherPrompt) differs << tr("another prompt");
        draw(other.run,
             differs.isEmpty() ? other.name
                               : tr("%1 (%2)").arg(other.name, differs.join(QStringLiteral(", "))),
             values);
    }
    endLines();
}

void SimilarityCurves::showSummary(const Summary& a, const Summary& b, const QString& measure) {
    if (what_->currentIndex() == kPair) return;  // the next choice asks again
    summary_->keepOnly({});
    const bool measured = what_->currentIndex() < 2;  // the others do not depend on it
    summary_->setTitle(measured ? tr("%1 (%2)").arg(what_->currentText(), measure) : what_->currentText());
    addLines(a, false);
    addLines(b, true);
    endLines();
}

void SimilarityCurves::showPair(const PairWish& wish, const QString& title) {
    pair_->setTitle(title);
    if (wish == wish_) return;
    const bool fresh = wish.source != nullptr && wish_.source == nullptr;
    wish_ = wish;
    pairs_.ask(wish);
    if (fresh && pair_->isHidden()) what_->setCurrentIndex(kPair);
}

void SimilarityCurves::drawPair(const PairLines& lines) {
    pair_->keepOnly({});
    for (qsizetype layer = 0; layer < lines.layers.size(); ++layer) {
        const auto& values = lines.values[static_cast<std::size_t>(layer)];
        const QString& id = lines.layers[layer];
        pair_->setCurve(id, {id, lookOf(static_cast<int>(layer), false), false, true}, upTo(values.size()),
                        values);
    }
}

}  // namespace kurve::views
