#include "views/similarity/similarity_curves.h"

#include <QComboBox>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/common/chart/line_chart.h"
#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"
#include "views/similarity/layer_diagram.h"

namespace kurve::views {
namespace {

RunStyle styleOf(int index, bool dashed) {
    RunStyle style = styleAt(index);
    style.dash = dashed ? Qt::DashLine : Qt::SolidLine;
    return style;
}

// Entries of the choice; those after the pair are only there where the trace has them.
constexpr int kRepeated = 3, kPair = 4, kDistance = 5, kSimilarity = 6, kLayers = 7;
constexpr double kBothHeight = 300;  // for two legible charts

}  // namespace

SimilarityCurves::SimilarityCurves(QWidget* parent)
    : QWidget(parent),
      statistic_(describe(new QComboBox, "similarity.summary", tr("State summary per step"))),
      grouping_(describe(new QComboBox, "similarity.lines", tr("Lines by layer or by run"),
                         tr("A line per layer, or this layer of all selected runs (R)"))),
      summary_(new SummaryChart(QStringLiteral("similarity"))),
      diagram_(describe(new LayerDiagram, {.hidden = true})),
      pair_(new LineChart(QStringLiteral("similarity.cellChart"), tr("Pair over the steps"))),
      pairs_([](const PairRequest& request) { return pairLinesOf(request); },
             [this](const PairLines& lines) { drawPair(lines); }) {
    statistic_->setToolTip(statistic_->accessibleName());
    statistic_->addItems(stateStatisticNames() << tr("Selected pair"));
    auto* column = vboxIn(this, {}, {.margins = 0, .spacing = space::kTight});
    grouping_->addItems({tr("by layer"), tr("by run")});
    auto* choices = wrapBox({statistic_, grouping_, summary_->coloursButton()});
    leaveOutOfFigures(*choices);  // the chart has a title
    column->addLayout(choices);
    column->addWidget(summary_, 1);
    column->addWidget(diagram_, 1);
    column->addWidget(pair_, 1);
    connect(diagram_, &LayerDiagram::layerChosen, this, &SimilarityCurves::layerChosen);
    pair_->setKeyTitle(tr("denoising step"));
    pair_->setMinimumHeight(px(70));
    pair_->setNamesFirst(true);
    connect(statistic_, &QComboBox::currentIndexChanged, this, &SimilarityCurves::chooseStatistic);
    connect(grouping_, &QComboBox::currentIndexChanged, this, &SimilarityCurves::summaryChanged);
    connect(summary_, &SummaryChart::coloursChanged, this, &SimilarityCurves::arrange);
    connect(summary_, &SummaryChart::stepChosen, this, &SimilarityCurves::stepChosen);
    connect(pair_, &LineChart::clickedAt, this,
            [this](double x) { Q_EMIT stepChosen(static_cast<int>(std::lround(x)) - 1); });
    connect(grouping_, &QComboBox::currentIndexChanged, this, &SimilarityCurves::choiceChanged);
    connect(summary_, &SummaryChart::coloursChanged, this, &SimilarityCurves::choiceChanged);
}

/// A line for each token of the source would be too many: they begin as a heat map.
void SimilarityCurves::chooseStatistic(int index) {
    const bool ofSource = entry() == kDistance || entry() == kSimilarity;
    if (ofSource != std::exchange(ofSource_, ofSource)) {
        if (ofSource) colouredBefore_ = colours();
        setColours(ofSource || colouredBefore_);
    }
    arrange();
    if (index == kPair) return;
    if (index < kPair) savedStatistic_ = index;
    Q_EMIT summaryChanged();
    Q_EMIT choiceChanged();
}

int SimilarityCurves::entry() const {
    return statistic_->currentIndex() <= kPair ? statistic_->currentIndex()
                                               : statistic_->currentData().toInt();
}

void SimilarityCurves::listEntries(const inspect::StateSource* maybeSource) {
    const auto has = [&](const char* block) {
        return maybeSource != nullptr && maybeSource->trace().block(block) != nullptr;
    };
    const std::pair<int, QString> all[] = {{kDistance, tr("Source: distance to the step before")},
                                           {kSimilarity, tr("Source: similarity to the step before")},
                                           {kLayers, tr("Order of the layers")}};
    for (const auto& [which, title] : all) {
        const bool there = has(which == kLayers ? "layer_reads" : "condition_distance");
        const int at = statistic_->findData(which);
        if (there && at < 0) statistic_->addItem(title, which);
        if (there || at < 0) continue;
        if (at == statistic_->currentIndex()) statistic_->setCurrentIndex(savedStatistic_);
        statistic_->removeItem(statistic_->findData(which));
    }
    diagram_->show(maybeSource != nullptr ? layerReadsOf(maybeSource->trace()) : std::vector<LayerRead>());
}

QJsonObject SimilarityCurves::save() const {
    return {{QStringLiteral("number"), savedChoice(kStatisticIds, savedStatistic_)},
            {QStringLiteral("by_run"), grouping_->currentIndex() == 1},
            {QStringLiteral("colours"), ofSource_ ? colouredBefore_ : colours()}};
}

void SimilarityCurves::restore(const QJsonObject& saved) {
    statistic_->setCurrentIndex(choiceOf(kStatisticIds, saved.value(QStringLiteral("number"))));
    grouping_->setCurrentIndex(saved.value(QStringLiteral("by_run")).toBool() ? 1 : 0);
    setColours(saved.value(QStringLiteral("colours")).toBool());
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
    const bool pairOnly = entry() == kPair, layers = entry() == kLayers,
               both = height() >= px(kBothHeight) && request_.source != nullptr;
    summary_->setVisible(!pairOnly && !layers);
    summary_->coloursButton()->setVisible(!pairOnly && !layers);
    diagram_->setVisible(layers);
    pair_->setVisible(pairOnly || (both && !layers));
    grouping_->setVisible(statistic_->currentIndex() < kPair);
}

bool SimilarityCurves::colours() const {
    return summary_->colours();
}

void SimilarityCurves::setColours(bool on) {
    summary_->setColours(on);
}

void SimilarityCurves::addLines(std::vector<SummaryChart::Line>& lines, const Summary& summary, bool dashed,
                                QStringList& blocks) const {
    if (summary.overview == nullptr || summary.source == nullptr) return;
    if (ofSource_) return addSourceTokens(lines, *summary.source, dashed);
    const auto add = [&](const QString& title, const std::vector<double>& values, int color) {
        const QString id = title + (dashed ? QStringLiteral(" (B)") : QString());
        lines.push_back({id, {id, styleOf(color, dashed), false, true}, values});
    };
    if (statistic_->currentIndex() >= kRepeated)
        return add(tr("repeated tokens"), summary.overview->repeatedTokens, 0);
    for (std::size_t layer = 0; layer < summary.overview->layers.size(); ++layer) {
        const inspect::StateLayer& of = summary.source->layers()[layer];
        const QString block = QString::fromStdString(of.block);
        if (!blocks.contains(block)) blocks << block;
        add(QString::fromStdString(of.title),
            *numbersOf(*summary.overview, static_cast<int>(layer), statistic()),
            static_cast<int>(blocks.indexOf(block)));
    }
}

void SimilarityCurves::addSourceTokens(std::vector<SummaryChart::Line>& lines,
                                       const inspect::StateSource& source, bool dashed) const {
    const bool distance = entry() == kDistance;
    const trace::Block* block =
        source.trace().block(distance ? "condition_distance" : "condition_similarity");
    if (block == nullptr || block->shape.size() != 2) return;
    const auto tokens = static_cast<std::size_t>(block->shape[1]);
    for (std::size_t token = 0; token < tokens; ++token) {
        std::vector<double> values{NAN};  // nothing is before the first step
        for (std::size_t at = tokens + token; at < block->data.size(); at += tokens)
            values.push_back(block->data[at]);
        const auto& texts = source.sourceTokens();
        QString id =
            tr("%1 %2").arg(token + 1).arg(QString::fromStdString(token < texts.size() ? texts[token] : ""));
        if (dashed) id += QStringLiteral(" (B)");
        lines.push_back({id, {id, styleOf(static_cast<int>(token), dashed), false, true}, std::move(values)});
    }
}

StateStatistic SimilarityCurves::statistic() const {
    return static_cast<StateStatistic>(std::min(statistic_->currentIndex(), kRepeated));
}

bool SimilarityCurves::byRun() const {
    return grouping_->currentIndex() == 1 && statistic_->currentIndex() <= kPair;
}

void SimilarityCurves::toggleByRun() {
    if (statistic_->currentIndex() >= kPair) statistic_->setCurrentIndex(0);
    grouping_->setCurrentIndex(1 - grouping_->currentIndex());
}

/// The measure changes the effective rank only by centring, and repeated tokens not at all.
QString SimilarityCurves::summaryTitle(inspect::MatrixKind kind) const {
    if (ofSource_) return statistic_->currentText();
    const bool named =
        statistic() < StateStatistic::EffectiveRank ||
        (statistic() == StateStatistic::EffectiveRank && kind == inspect::MatrixKind::CentredCosine);
    return named ? tr("%1 (%2)").arg(statistic_->currentText(),
                                     QString::fromStdString(inspect::matrixKindName(summaryKind(kind))))
                 : statistic_->currentText();
}

void SimilarityCurves::showRuns(const Shown& shown, const std::vector<TraceSummary>& others,
                                inspect::MatrixKind kind) {
    if (statistic_->currentIndex() == kPair) return;
    const inspect::StateLayer& layer = shown.source.layers()[static_cast<std::size_t>(shown.layer)];
    const TraceSummary own = traceSummary(
        shown.source, QString::fromStdString(shown.source.trace().metaText("run")), shown.overview);
    std::vector<const TraceSummary*> runs{&own};
    for (const TraceSummary& other : others) runs.push_back(&other);
    const QString title = summaryTitle(kind);
    summary_->showRuns(statistic() == StateStatistic::Repeated
                           ? title
                           : tr("%1, %2").arg(title, QString::fromStdString(layer.title)),
                       runs, {statistic(), QString::fromStdString(layer.block), shown.linkBy});
}

void SimilarityCurves::showSummary(const Summary& a, const Summary& b, inspect::MatrixKind kind) {
    listEntries(a.source);
    if (statistic_->currentIndex() == kPair) return;  // updated with the next choice
    std::vector<SummaryChart::Line> lines;
    QStringList blocks;  // with a line, by colour
    addLines(lines, a, false, blocks);
    addLines(lines, b, true, blocks);
    summary_->show(summaryTitle(kind), lines);
}

void SimilarityCurves::showPair(const PairRequest& request, const QString& title) {
    pair_->setTitle(title);
    if (request == request_) return;
    const bool fresh = request.source != nullptr && request_.source == nullptr;
    request_ = request;
    arrange();
    pairs_.request(request);
    if (fresh && pair_->isHidden()) statistic_->setCurrentIndex(kPair);
}

void SimilarityCurves::drawPair(const PairLines& lines) {
    pair_->keepOnly({});
    for (qsizetype layer = 0; layer < lines.layers.size(); ++layer) {
        const auto& values = lines.values[static_cast<std::size_t>(layer)];
        const QString& id = lines.layers[layer];
        pair_->setCurve(id, {id, styleOf(static_cast<int>(layer), false), false, true},
                        stepsUpTo(values.size()), values);
    }
}

}  // namespace kurve::views
