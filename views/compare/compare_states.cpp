#include "views/compare/compare_states.h"

#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include <utility>

#include "views/common/chart/line_chart.h"
#include "views/common/chart/view_picture.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/content_or_empty.h"
#include "views/common/shell/empty_state.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/text/elided_label.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

namespace {

const QString kEveryLayer = QStringLiteral("*");

template <class Box>
Box* named(Box* box, const char* id, const QString& name) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    return describe(box, id, name, name);
}

}  // namespace

CompareStates::CompareStates(const StudioContext& context, QWidget* parent)
    : QWidget(parent),
      context_(context),
      runs_(new RunSummaries(context, RunSummaries::Follow::Given, this)),
      number_(named(new QComboBox, "compare.states.number", tr("State summary per step"))),
      layer_(named(new LastingChoiceBox, "compare.states.layer", tr("Layer"))),
      masks_(new QCheckBox(tr("Exclude masked positions"))),
      about_(describe(new ElidedLabel("caption"), "compare.states.about")),
      chart_(new SummaryChart(QStringLiteral("compare.states"))),
      empty_(new EmptyState) {
    auto* page = boxed(vbox({makeHead(), {chart_, 1}},
                            {.margins = {space::kSmall, space::kTight}, .spacing = space::kTight}));
    content_ = new ContentOrEmpty(page, empty_);
    vboxIn(this, {content_}, {.margins = 0});
    chart_->setColours(true);
    connect(runs_, &RunSummaries::changed, this, &CompareStates::draw);
    connect(empty_, &EmptyState::clicked, this, &CompareStates::inspectRequested);
    connect(chart_, &SummaryChart::coloursChanged, this, &CompareStates::choiceChanged);
    connect(chart_, &SummaryChart::stepChosen, this, [this](int step) {
        if (context_.playhead->denoiseSteps() > 0) context_.playhead->setDenoiseStep(step);
    });
    connect(context.playhead, &Playhead::denoiseStepChanged, chart_, &SummaryChart::setPlayhead);
    connect(context.selection, &Selection::linkChanged, this, &CompareStates::draw);
    connect(context.selection, &Selection::hiddenChanged, this, &CompareStates::draw);
    onThemeChange(this, &CompareStates::draw);
    request();
    draw();
}

QWidget* CompareStates::makeHead() {
    empty_->button()->setObjectName(QStringLiteral("compare.states.record"));
    number_->addItems(stateStatisticNames());
    describe(masks_, "compare.states.masks", {}, tr("Masked positions are all similar and raise every mean"));
    auto* head = boxed(wrapBox({number_, layer_, chart_->coloursButton(), masks_, about_}));
    leaveOutOfFigures({chart_->coloursButton(), masks_});  // number and layer say what is drawn
    for (QComboBox* box : std::initializer_list<QComboBox*>{number_, layer_})
        connect(box, &QComboBox::activated, this, [this] {
            draw();
            Q_EMIT choiceChanged();
        });
    connect(masks_, &QCheckBox::toggled, this, [this] {
        request();
        Q_EMIT choiceChanged();
    });
    return head;
}

void CompareStates::request() {
    OverviewRequest overview;
    overview.pictures = false;
    overview.masked =
        masks_->isChecked() ? inspect::MaskedPositions::Excluded : inspect::MaskedPositions::Included;
    runs_->setRequest(overview);
}

void CompareStates::setRuns(const QStringList& ids) {
    if (std::exchange(ids_, ids) == ids) return;
    runs_->setRuns(ids);
    draw();
}

void CompareStates::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    runs_->setOn(true);
    draw();
}

void CompareStates::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    runs_->setOn(false);
}

/// Of all runs, each once: the first run's come first.
void CompareStates::offerLayers() {
    BoxChoices items;
    for (const TraceSummary& run : runs_->all())
        for (qsizetype i = 0; i < run.blocks.size(); ++i) {
            const bool known =
                std::ranges::find(items, run.blocks[i], &BoxChoices::value_type::first) != items.end();
            const auto& layers = run.numbers.layers;
            const auto layer = static_cast<std::size_t>(i);
            if (!known && layer < layers.size() && !layers[layer].meanOffDiagonal.empty())
                items.append({run.blocks[i], run.titles[i]});
        }
    if (items.size() > 1) items.append({kEveryLayer, tr("every layer")});
    const TraceSummary& first = runs_->all().front();
    layer_->offer(items, first.blocks.value(first.matchingLayer({})));
}

void CompareStates::draw() {
    if (!isVisible()) return;
    const bool nothing = runs_->all().empty();
    content_->setEmpty(nothing);
    if (nothing) return showEmpty();
    offerLayers();
    const auto number = static_cast<StateStatistic>(std::max(0, number_->currentIndex()));
    const bool ofTokens = number == StateStatistic::Repeated;
    layer_->setEnabled(!ofTokens);
    std::vector<const TraceSummary*> runs;
    for (const QString& id : ids_)
        for (const TraceSummary& run : runs_->all())
            if (run.run == id && !context_.selection->isHidden(id)) runs.push_back(&run);
    const QString block = layer_->currentData().toString();
    const bool all = block == kEveryLayer;
    const QString name = number == StateStatistic::Mean || number == StateStatistic::Neighbours
                             ? tr("%1 (cosine)").arg(number_->currentText())
                             : number_->currentText();
    chart_->showRuns(ofTokens || all ? name : tr("%1, %2").arg(name, layer_->currentText()), runs,
                     {number, all ? QString() : block, context_.selection->linkBy()});
    chart_->setPlayhead(context_.playhead->denoiseStep());
    about_->setText(about());
}

QString CompareStates::about() const {
    const auto& all = runs_->all();
    const auto same = std::ranges::find(all, false, &TraceSummary::otherPrompt);
    QStringList parts{tr("prompt “%1”").arg((same == all.end() ? all.begin() : same)->prompt)}, without;
    for (const QString& id : ids_.mid(0, RunSummaries::kMaxRuns))
        if (std::ranges::find(all, id, &TraceSummary::run) == all.end())
            without << context_.catalog->nameOf(id);
    if (!without.isEmpty()) parts << tr("no trace: %1").arg(without.join(QStringLiteral(", ")));
    if (ids_.size() > RunSummaries::kMaxRuns) parts << tr("first %1 runs").arg(RunSummaries::kMaxRuns);
    return parts.join(QStringLiteral(" · "));
}

void CompareStates::showEmpty() {
    if (runs_->isReading())
        return empty_->setTexts(tr("Reading the traces…"), tr("State summaries are computed."));
    empty_->setTexts(tr("No traces to compare"),
                     tr("Hidden states not recorded for these runs. Record a trace of a prompt in Inspect; "
                        "“Capture layers” "
                        "adds every layer."),
                     tr("Record trace in Inspect"));
}

void CompareStates::toggleColours() {
    chart_->setColours(!chart_->colours());
}

QJsonObject CompareStates::save() const {
    return {{QStringLiteral("number"), savedChoice(kStatisticIds, number_->currentIndex())},
            {QStringLiteral("layer"), layer_->wanted()},
            {QStringLiteral("colours"), chart_->colours()},
            {QStringLiteral("without_masks"), masks_->isChecked()}};
}

void CompareStates::restore(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    const QSignalBlocker quiet(this);
    number_->setCurrentIndex(choiceOf(kStatisticIds, saved.value(QStringLiteral("number"))));
    layer_->want(saved.value(QStringLiteral("layer")).toString());
    chart_->setColours(saved.value(QStringLiteral("colours")).toBool(true));
    masks_->setChecked(saved.value(QStringLiteral("without_masks")).toBool());
    draw();
}

}  // namespace kurve::views
