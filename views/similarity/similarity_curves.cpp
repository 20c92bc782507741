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
#include "views/common/view_picture.h"
#include "views/common/wrap_layout.h"

namespace kurve::views {
namespace {

RunStyle lookOf(int index, bool dashed) {
    RunStyle style = styleAt(index);
    style.dash = dashed ? Qt::DashLine : Qt::SolidLine;
    return style;
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
      summary_(new SummaryChart(QStringLiteral("similarity"))),
      pair_(new LineChart(QStringLiteral("similarity.cellChart"), tr("One pair through the steps"))),
      pairs_([](const PairWish& wish) { return pairLinesOf(wish); },
             [this](const PairLines& lines) { drawPair(lines); }) {
    what_->setObjectName(QStringLiteral("similarity.summary"));
    what_->setAccessibleName(tr("What runs through the steps"));
    what_->setToolTip(what_->accessibleName());
    what_->addItems(stateNumberNames() << tr("The chosen pair"));
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
    choices->addWidget(summary_->coloursButton());
    leaveOutOfFigures(*choices);  // the chart's title says what is drawn
    column->addLayout(choices);
    column->addWidget(summary_, 1);
    column->addWidget(pair_, 1);
    pair_->setKeyTitle(tr("denoising step"));
    pair_->setMinimumHeight(px(70));
    pair_->setNamesFirst(true);
    connect(what_, &QComboBox::currentIndexChanged, this, [this](int index) {
        arrange();
        if (index == kPair) return;
        number_ = index;
        Q_EMIT summaryChanged();
        Q_EMIT choiceChanged();
    });
    connect(lines_, &QComboBox::currentIndexChanged, this, &SimilarityCurves::summaryChanged);
    connect(summary_, &SummaryChart::coloursChanged, this, &SimilarityCurves::arrange);
    connect(summary_, &SummaryChart::stepChosen, this, &SimilarityCurves::stepChosen);
    connect(pair_, &LineChart::clickedAt, this,
            [this](double x) { Q_EMIT stepChosen(static_cast<int>(std::lround(x)) - 1); });
    connect(lines_, &QComboBox::currentIndexChanged, this, &SimilarityCurves::choiceChanged);
    connect(summary_, &SummaryChart::coloursChanged, this, &SimilarityCurves::choiceChanged);
}

QJsonObject SimilarityCurves::save() const {
    return {{QStringLiteral("number"), number_},
            {QStringLiteral("by_run"), byRun()},
            {QStringLiteral("colours"), colours()}};
}

void SimilarityCurves::restore(const QJsonObject& kept) {
    what_->setCurrentIndex(std::clamp(kept.value(QStringLiteral("number")).toInt(), 0, kPair - 1));
    lines_->setCurrentIndex(kept.value(QStringLiteral("by_run")).toBool() ? 1 : 0);
    setColours(kept.value(QStringLiteral("colours")).toBool());
}

void SimilarityCurves::setPlayhead(int step) {
    summary_->setPlayhead(step);
    pair_->setPlayhead(step + 1);
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
    summary_->setVisible(!pairOnly);
    summary_->coloursButton()->setVisible(!pairOnly);
    pair_->setVisible(pairOnly || both);
    lines_->setVisible(!pairOnly);
}

bool SimilarityCurves::colours() const {
    return summary_->colours();
}

void SimilarityCurves::setColours(bool on) {
    summary_->setColours(on);
}

void SimilarityCurves::addLines(const Summary& summary, bool dashed) {
    if (summary.overview == nullptr || summary.source == nullptr) return;
    const auto add = [&](const QString& title, const std::vector<double>& values, int color) {
        const QString id = title + (dashed ? QStringLiteral(" (B)") : QString());
        summary_->add(id, {id, lookOf(color, dashed), false, true}, values);
    };
    if (what_->currentIndex() >= kRepeated)
        return add(tr("repeated tokens"), summary.overview->repeatedTokens, 0);
    for (std::size_t layer = 0; layer < summary.overview->layers.size(); ++layer) {
        const StateLayer& of = summary.source->layers()[layer];
        if (!blocks_.contains(of.block)) blocks_ << of.block;
        add(of.title, *numbersOf(*summary.overview, static_cast<int>(layer), number()),
            static_cast<int>(blocks_.indexOf(of.block)));
    }
}

StateNumber SimilarityCurves::number() const {
    return static_cast<StateNumber>(std::min(what_->currentIndex(), kRepeated));
}

bool SimilarityCurves::byRun() const {
    return lines_->currentIndex() == 1;
}

void SimilarityCurves::toggleByRun() {
    if (what_->currentIndex() == kPair) what_->setCurrentIndex(0);
    lines_->setCurrentIndex(1 - lines_->currentIndex());
}

/// Of the effective rank only centring makes another number, and of repeated tokens nothing.
QString SimilarityCurves::summaryTitle(MatrixKind kind) const {
    const bool measured = number() < StateNumber::EffectiveRank ||
                          (number() == StateNumber::EffectiveRank && kind == MatrixKind::CentredCosine);
    return measured ? tr("%1 (%2)").arg(what_->currentText(), matrixKindName(summaryKind(kind)))
                    : what_->currentText();
}

void SimilarityCurves::showRuns(const Shown& shown, const std::vector<RecordingSummary>& others,
                                MatrixKind kind) {
    if (what_->currentIndex() == kPair) return;
    const StateLayer& layer = shown.source.layers()[static_cast<std::size_t>(shown.layer)];
    const RecordingSummary own = recordingSummary(
        shown.source, QString::fromStdString(shown.source.trace().metaText("run")), shown.overview);
    std::vector<const RecordingSummary*> runs{&own};
    for (const RecordingSummary& other : others) runs.push_back(&other);
    const QString title = summaryTitle(kind);
    summary_->showRuns(number() == StateNumber::Repeated ? title : tr("%1, %2").arg(title, layer.title), runs,
                       {number(), layer.block, shown.linkBy});
}

void SimilarityCurves::showSummary(const Summary& a, const Summary& b, MatrixKind kind) {
    if (what_->currentIndex() == kPair) return;  // the next choice asks again
    summary_->begin(summaryTitle(kind));
    blocks_.clear();
    addLines(a, false);
    addLines(b, true);
    summary_->end();
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
