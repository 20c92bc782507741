#include "views/similarity/similarity_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <algorithm>
#include <cmath>

#include "views/common/data/run_catalog.h"
#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/linked_playhead.h"
#include "views/common/shell/page_wheel.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/shell/view_keys.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"
#include "views/similarity/similarity_curves.h"
#include "views/similarity/thumbnail_grid.h"
#include "views/states/run_summaries.h"

namespace kurve::views {

namespace {

QComboBox* choice(const char* id, const QString& name, const BoxChoices& items) {
    auto* box = describe(new QComboBox, id, name, name);
    offerItems(*box, items, {});
    return box;
}

/// The run's name in the run list.
std::string nameOf(const trace::Trace& trace, const RunCatalog* catalog) {
    const std::string id = trace.metaText("run");
    return catalog != nullptr ? catalog->nameOf(qt(id)).toStdString() : id;
}

BoxChoices measures() {
    constexpr const char* kIds[] = {"cosine", "centred_cosine", "dot", "layer_alignment", "between_steps"};
    BoxChoices items;
    for (const char* id : kIds)
        items.append({id, qt(inspect::matrixKindName(static_cast<inspect::MatrixKind>(items.size())))});
    return items;
}

}  // namespace

SimilarityPanel::SimilarityPanel(const StudioContext& window, QWidget* parent)
    : Panel(QStringLiteral("similarity"), tr("Token similarity"), withOwnPlayhead(window), parent),
      measure_(choice("similarity.measure", tr("Measure"), measures())),
      mode_(choice(
          "similarity.mode", tr("Displayed matrix"),
          {{"a", tr("A")}, {"b", tr("B")}, {"difference", tr("A − B")}, {"split", tr("A above, B below")}})),
      masked_(choice("similarity.masked", tr("Masked positions (H)"),
                     {{"include", tr("Include masked positions")},
                      {"grey", tr("Grey masked positions")},
                      {"exclude", tr("Exclude masked positions")}})),
      order_(choice("similarity.order", tr("Row order (O)"),
                    {{"sentence", tr("Sentence order")},
                     {"similarity", tr("By similarity")},
                     {"state", tr("By state")}})),
      layers_(describe(new LastingChoiceBox, "similarity.layer", tr("Layer"), tr("Layer"))),
      head_(describe(new LastingChoiceBox, "similarity.head", tr("Attention head"),
                     tr("Which attention head is shown (E)"))),
      pin_(new QPushButton(tr("Pin as B"))),
      capture_(new QPushButton(tr("Capture layers"))),
      auto_(new QCheckBox(tr("Auto scale"))),
      following_(new QCheckBox(tr("B follows"))),
      title_(new QLabel),
      value_(new QLabel),
      captureNote_(new QLabel),
      grid_(new ThumbnailGrid),
      matrix_(new MatrixView),
      curves_(new SimilarityCurves),
      runs_(new RunSummaries(window, RunSummaries::Follow::OtherRuns, this)),
      pictures_([](const MatrixRequest& request) { return matrixPictureOf(request); },
                [this](MatrixPicture picture) { take(std::move(picture)); }) {
    new PageWheel(*matrix_, *this);
    auto* page = describe(new QWidget, {.role = "surface", .filled = true});
    page->setMinimumSize(px(420), px(200));  // of the side columns
    vboxIn(
        page, {buildBar(), {buildBody(), 1}},
        {.margins = {space::kSmall, space::kTight, space::kSmall, space::kSmall}, .spacing = space::kTight});
    setContent(page, [this] { source_ ? requestCapture() : ask<Traces>().openNewest(); });
    connectParts();
    setFocusPolicy(Qt::StrongFocus);
    // Commands have no key release.
    auto* keys = new ViewKeys(this, tr("Token similarity"));
    keys->add({{Qt::Key_Space},
               tr("Hold: swap A and B"),
               [this] { matrix_->setFlicker(true); },
               [this] { matrix_->setFlicker(false); }});
    matrix_->setFocusPolicy(Qt::StrongFocus);
    setFocusProxy(matrix_);
    addCommands();
    traceChanged();
    referenceChanged();
}

void SimilarityPanel::connectParts() {
    connect(layers_, &QComboBox::currentIndexChanged, this, &SimilarityPanel::setLayer);
    connect(measure_, &QComboBox::currentIndexChanged, this, &SimilarityPanel::recompute);
    connect(mode_, &QComboBox::currentIndexChanged, this, &SimilarityPanel::showStep);
    connect(mode_, &QComboBox::currentIndexChanged, this, [this](int mode) {
        if (mode == 0) return;  // also the mode without B
        pairMode_ = mode;
        Q_EMIT stateChanged();
    });
    connect(curves_, &SimilarityCurves::choiceChanged, this, &SimilarityPanel::stateChanged);
    connect(curves_, &SimilarityCurves::summaryChanged, this, [this] {
        runs_->setOn(curves_->byRun());
        showSummary();
    });
    connect(curves_, &SimilarityCurves::layerChosen, this, &SimilarityPanel::showReading);
    connect(runs_, &RunSummaries::changed, this, &SimilarityPanel::showSummary);
    connect(head_, &QComboBox::currentIndexChanged, this, &SimilarityPanel::setHead);
    connect(auto_, &QCheckBox::toggled, this, &SimilarityPanel::showStep);
    connect(order_, &QComboBox::currentIndexChanged, this, &SimilarityPanel::showStep);
    connect(masked_, &QComboBox::currentIndexChanged, this, &SimilarityPanel::recompute);
    for (QComboBox* box : {measure_, masked_, order_})
        connect(box, &QComboBox::currentIndexChanged, this, &SimilarityPanel::stateChanged);
    connect(auto_, &QCheckBox::toggled, this, &SimilarityPanel::stateChanged);
    connect(following_, &QCheckBox::clicked, this, &SimilarityPanel::setFollowing);
    connect(pin_, &QPushButton::clicked, this, &SimilarityPanel::pinB);
    connect(capture_, &QPushButton::clicked, this, &SimilarityPanel::requestCapture);
    connect(grid_, &ThumbnailGrid::chosen, this, [this](int layer, int step) {
        this->context().playhead->setDenoiseStep(step);
        setLayer(layer);
    });
    connect(matrix_, &MatrixView::cellChosen, this, &SimilarityPanel::showPair);
    connect(matrix_, &MatrixView::cellHovered, this, [this](int row, int column) {
        const auto& content = matrix_->content();
        if (row < 0) return value_->clear();
        const float value = matrix_->shownValue(row, column);
        QString text =
            tr("%1 · %2: %3")
                .arg(content.labels.value(row), content.columnLabel(column),
                     std::isnan(value) && masked() == inspect::MaskedPositions::Grey ? tr("masked")
                                                                                     : numberText(value, 3));
        if (!content.groups.empty())
            text += tr(" (%1 · %2)").arg(matrix_->groupOf(row), matrix_->groupOf(column));
        value_->setText(text);
    });
    onThemeChange(this, [this] {
        showSummary();  // at once, for figures in print style
        showStep();
    });
    connect(context().selection, &Selection::traceChanged, this, &SimilarityPanel::traceChanged);
    connect(context().selection, &Selection::referenceChanged, this, &SimilarityPanel::referenceChanged);
    connect(context().selection, &Selection::linkChanged, this, &SimilarityPanel::showStep);
    connect(context().playhead, &Playhead::denoiseStepChanged, this, &SimilarityPanel::showStep);
    connect(curves_, &SimilarityCurves::stepChosen, context().playhead, &Playhead::setDenoiseStep);
}

inspect::MatrixKind SimilarityPanel::kind() const {
    return static_cast<inspect::MatrixKind>(measure_->currentIndex());
}

int SimilarityPanel::step() const {
    return source_ ? std::clamp(context().playhead->denoiseStep(), 0, std::max(0, source_->steps() - 1)) : 0;
}

void SimilarityPanel::traceChanged() {
    const auto trace = context().selection->trace();
    source_ = sourceOf(trace);
    const int before = head();
    offerHeads();
    if (head() != before) source_ = sourceOf(trace);
    overview_ = {};  // of the previous trace
    BoxChoices layers;
    if (hasData())
        for (const auto& layer : source_->layers()) layers.append({qt(layer.block), qt(layer.title)});
    layers_->offer(layers);
    if (layers_->wanted().isEmpty())
        layers_->want(layers_->currentData().toString());  // in the next one, too
    layer_ = std::max(0, layers_->currentIndex());
    setEmpty(!hasData());
    layers_->setEnabled(layers_->count() > 0);
    masked_->setVisible(source_ != nullptr && source_->anyMasked());
    updateCapture();
    recompute();
}

std::shared_ptr<const inspect::StateSource> SimilarityPanel::sourceOf(
    const std::shared_ptr<const trace::Trace>& trace) const {
    if (trace == nullptr) return nullptr;
    return std::make_shared<const inspect::StateSource>(trace, nameOf(*trace, context().catalog), head());
}

/// Hidden where there is no choice.
void SimilarityPanel::offerHeads() {
    const int heads = source_ ? source_->heads() : 0;
    head_->setVisible(heads > 1);
    if (heads == 0) return;
    BoxChoices items{{QStringLiteral("mean"), tr("Mean of the heads")}};
    for (int at = 1; at <= heads; ++at) items.append({QString::number(at), tr("Head %1").arg(at)});
    head_->offer(items);
}

int SimilarityPanel::head() const {
    return std::max(0, head_->currentIndex()) - 1;
}

void SimilarityPanel::setHead() {
    Q_EMIT stateChanged();
    if (!source_) return;
    source_ = sourceOf(context().selection->trace());
    const auto before = otherSource_;
    if (otherSource_) otherSource_ = sourceOf(context().selection->reference());
    if (held_ && held_->source == before) held_->source = otherSource_;
    recompute();
}

void SimilarityPanel::recompute() {
    runs_->setRequest(overviewRequest());
    if (!hasData()) {
        work_.drop();
        overview_ = {};
        showOverview();
        return;
    }
    summarize(work_, source_, overview_, &SimilarityPanel::showOverview);
    recomputeOther();
    showStep();
}

void SimilarityPanel::recomputeOther() {
    otherOverview_ = {};
    if (otherSource_ == nullptr) return showSummary();
    summarize(otherWork_, otherSource_, otherOverview_, &SimilarityPanel::showSummary);
}

void SimilarityPanel::summarize(Background& work, const std::shared_ptr<const inspect::StateSource>& source,
                                Overview& into, void (SimilarityPanel::*show)()) {
    work.run([source, request = overviewRequest()](
                 const CancelToken& cancel) { return overviewOf(*source, request, cancel); },
             [this, &into, show](Overview overview) {
                 into = std::move(overview);
                 (this->*show)();
             });
}

OverviewRequest SimilarityPanel::overviewRequest() const {
    return {kind(), masked()};
}

inspect::MaskedPositions SimilarityPanel::masked() const {
    return static_cast<inspect::MaskedPositions>(std::max(0, masked_->currentIndex()));
}

RowOrder SimilarityPanel::order() const {
    return static_cast<RowOrder>(std::max(0, order_->currentIndex()));
}

void SimilarityPanel::referenceChanged() {
    const auto reference = context().selection->reference();
    const bool usable = reference != nullptr && reference->steps > 0 && reference->positions > 0;
    otherWork_.drop();
    otherSource_ = usable ? sourceOf(reference) : nullptr;
    held_.reset();
    following_->setVisible(otherSource_ != nullptr);
    following_->setChecked(!held_);
    recomputeOther();
    showStep();
}

/// A matrix is not compared with itself.
std::optional<inspect::MatrixCell> SimilarityPanel::cellOfOther() const {
    if (otherSource_ == nullptr || !hasData() || held_) return held_;
    if (&otherSource_->trace() == &source_->trace()) return std::nullopt;
    const auto& layers = otherSource_->layers();
    const auto same = std::find_if(layers.begin(), layers.end(), [&](const inspect::StateLayer& layer) {
        return layer.block == source_->layers()[static_cast<std::size_t>(layer_)].block;
    });
    if (same == layers.end()) return std::nullopt;
    return inspect::MatrixCell{
        otherSource_, static_cast<int>(same - layers.begin()),
        inspect::partnerStep(source_->trace(), step(), otherSource_->trace(), context().selection->linkBy())};
}

void SimilarityPanel::showOverview() {
    QStringList titles;
    if (hasData())
        for (const auto& layer : source_->layers()) titles << qt(layer.title);
    grid_->show(overview_.thumbnails, titles);
    fitThumbnails();
    showSummary();
    showStep();
}

void SimilarityPanel::showStep() {
    curves_->setPlayhead(step());
    if (!hasData()) {
        title_->clear();  // of the previous trace
        return matrix_->show({});
    }
    const int at = step();
    updateChoices();
    grid_->setCurrent(layer_, at);
    const bool before = other_.has_value();
    other_ = cellOfOther();
    // A pin starts a comparison, also if another view has pinned it.
    if (other_.has_value() != before) {
        const QSignalBlocker quiet(mode_);
        if (other_ && mode_->currentIndex() == 0) setMode(pairMode_);
        if (!other_) setMode(0);
    }
    pictures_.request({{source_, layer_, at},
                       other_,
                       kind(),
                       static_cast<MatrixMode>(std::max(0, mode_->currentIndex())),
                       auto_->isChecked(),
                       order(),
                       masked()});
}

void SimilarityPanel::take(MatrixPicture picture) {
    if (!hasData()) return;
    title_->setText(picture.title);
    matrix_->show(std::move(picture.content));
    showPair();
}

void SimilarityPanel::showSummary() {
    if (curves_->byRun() && hasData())
        return curves_->showRuns({overview_, *source_, layer_, context().selection->linkBy()}, runs_->all(),
                                 kind());
    // B is never shown without A.
    const bool other = hasData() && otherSource_ != nullptr;
    curves_->showSummary({hasData() ? &overview_ : nullptr, source_.get()},
                         {other ? &otherOverview_ : nullptr, otherSource_.get()}, kind());
}

void SimilarityPanel::showPair() {
    if (pictures_.working()) return;  // the cells are still those of another layer or measure
    const QPoint cell = matrix_->chosen();
    const auto& content = matrix_->content();
    if (!hasData() || cell.x() < 0 || (!inspect::comparesRows(kind()) && !content.fractions))
        return curves_->showPair({}, tr("Click a cell to follow its pair over the steps"));
    const auto row = [&](int at) { return content.order[static_cast<std::size_t>(at)]; };
    const bool crosses = !content.columnLabels.isEmpty();
    curves_->showPair(
        {source_, layer_, summaryKind(kind()), row(cell.y()), crosses ? cell.x() : row(cell.x()), masked()},
        (crosses ? tr("%1 reads %2") : tr("%1 and %2"))
            .arg(content.labels.value(cell.y()), content.columnLabel(cell.x())));
}

void SimilarityPanel::setLayer(int layer) {
    if (!hasData()) return;
    layer_ = std::clamp(layer, 0, static_cast<int>(source_->layers().size()) - 1);
    layers_->setCurrentIndex(layer_);
    if (curves_->byRun()) showSummary();
    showStep();
    Q_EMIT stateChanged();
}

void SimilarityPanel::showReading(bool ofText, int layer) {
    const QString number = QString::number(layer), after = QString::number(layer + 1);
    const QStringList blocks =
        ofText ? QStringList{QStringLiteral("cross_attention/") + number, QStringLiteral("hidden/") + number}
               : QStringList{QStringLiteral("condition_cross_attention/") + number,
                             QStringLiteral("condition/") + after};
    if (!hasData()) return;
    const auto& layers = source_->layers();
    for (const QString& block : blocks)
        for (std::size_t at = 0; at < layers.size(); ++at)
            if (layers[at].block == block.toStdString()) return setLayer(static_cast<int>(at));
    Q_EMIT statusMessage(tr("This layer is not recorded: capture the layers first."));
}

void SimilarityPanel::setMode(int mode) {
    mode_->setCurrentIndex(std::clamp(mode, 0, mode_->count() - 1));
}

void SimilarityPanel::pinB() {
    if (!hasData()) return;
    context().selection->setReference(context().selection->trace());
    held_ = inspect::MatrixCell{source_, layer_, step()};
    following_->setChecked(false);
    showStep();
    Q_EMIT statusMessage(
        tr("Pinned as B: %1. Select another step, layer or trace to compare.").arg(qt(held_->title())));
}

void SimilarityPanel::setFollowing(bool on) {
    if (otherSource_ == nullptr) return;
    held_ = on ? std::nullopt : other_;
    following_->setChecked(!held_);
    showStep();
}

QString SimilarityPanel::statement() const {
    if (!hasData()) return source_ ? tr("Hidden states not recorded.") : tr("No trace is open.");
    QString text = title_->text();
    // Statistics of this layer and step, if computed.
    const auto at = static_cast<std::size_t>(step());
    if (static_cast<std::size_t>(layer_) >= overview_.layers.size()) return text;
    const LayerSummary& summary = overview_.layers[static_cast<std::size_t>(layer_)];
    if (at < summary.meanOffDiagonal.size() && std::isfinite(summary.meanOffDiagonal[at]))
        text += (kind() == summaryKind(kind()) ? tr("   mean %1") : tr("   mean cosine %1"))
                    .arg(numberText(summary.meanOffDiagonal[at], 3));
    if (at < summary.effectiveRank.size() && std::isfinite(summary.effectiveRank[at]))
        text += tr(", effective rank %1").arg(numberText(summary.effectiveRank[at], 3));
    return text;
}

}  // namespace kurve::views
