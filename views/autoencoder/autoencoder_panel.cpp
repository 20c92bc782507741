#include "views/autoencoder/autoencoder_panel.h"

#include <QFrame>
#include <QHeaderView>
#include <QLabel>
#include <QListView>
#include <QTableWidget>
#include <algorithm>

#include "views/autoencoder/autoencoder_controls.h"
#include "views/autoencoder/chunk_delegate.h"
#include "views/autoencoder/chunk_list_model.h"
#include "views/autoencoder/latent_plane.h"
#include "views/autoencoder/noise_accuracy.h"
#include "views/common/chart/line_chart.h"
#include "views/common/data/engine_info.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/engine.h"
#include "views/common/services/inference.h"
#include "views/common/shell/card_grid.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

namespace {

constexpr int kAskMilliseconds = 60;  // twice the time of an answer

bool hasAutoencoder(const Schema& schema) {
    return std::find(schema.provides.begin(), schema.provides.end(), kChunkAutoencoder) !=
           schema.provides.end();
}

/// `content` under a title, beside plots that have one.
QFrame* card(const QString& title, const QString& hint, QWidget* content) {
    auto* card = describe(new QFrame, {.role = "card"});
    auto* name = describe(new QLabel(title), {.role = "title"});
    auto* head = wrapBox({name, describe(new QLabel(hint), {.role = "caption"})});
    vboxIn(card, {head, {content, 1}}, {.margins = {10, 7}, .spacing = space::kTight});
    return card;
}

double meanSigma(const Reconstruction& made) {
    double sum = 0;
    for (const ReconstructedChunk& chunk : made.chunks) sum += chunk.sigma;
    return made.chunks.empty() ? 0 : sum / static_cast<double>(made.chunks.size());
}

}  // namespace

AutoencoderPanel::AutoencoderPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("autoencoder"), tr("Autoencoder bench"), context, parent),
      controls_(new AutoencoderControls),
      model_(new ChunkListModel(this)),
      list_(describe(new QListView, "autoencoder.chunks", tr("Chunks and their reconstructions"))),
      between_(new QTableWidget(0, 2)),
      plane_(new LatentPlane),
      accuracy_(new LineChart(QStringLiteral("autoencoder.accuracy"), tr("Tokens right against noise"))),
      asks_(kAskMilliseconds, [this] { reconstruct(); }) {
    buildList();
    setContent(buildContent());
    accuracy_->setKeyTitle(tr("noise"));
    accuracy_->setKeyLimits({0, kMostNoise});  // those of the slider, which it marks
    if (context.commands != nullptr)
        context.commands->add(
            {QStringLiteral("autoencoder.refit"), tr("Fit axes of the latent plane"), tr("View"), Qt::Key_R,
             tr("On the chunks shown; until then the axes stay")},
            [this] { plane_->refit(); }, this);
    connectAll();
    takeSelection();
}

void AutoencoderPanel::buildList() {
    list_->setModel(model_);
    list_->setItemDelegate(new ChunkDelegate(list_));
    list_->setFlow(QListView::LeftToRight);
    list_->setWrapping(true);
    list_->setResizeMode(QListView::Adjust);
    list_->setSelectionMode(QAbstractItemView::ContiguousSelection);
    list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list_->setFont(monoFont());
    list_->setMinimumHeight(px(130));
    describe(between_, "autoencoder.between", tr("Decoded texts between chunks A and B"));
    between_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    between_->setSelectionBehavior(QAbstractItemView::SelectRows);
    between_->setTabKeyNavigation(false);
    between_->setShowGrid(false);
    between_->verticalHeader()->hide();
    between_->horizontalHeader()->setStretchLastSection(true);
    between_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
    between_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    between_->setHorizontalHeaderLabels({tr("t"), tr("(1 − t) z_A + t z_B, decoded")});
    between_->setMinimumHeight(px(130));
}

QWidget* AutoencoderPanel::buildContent() {
    chunksCard_ = card(tr("Chunks"), tr("their tokens, and below them what their vectors give back"), list_);
    betweenCard_ = card(tr("Between A and B"), tr("click a chunk (A), Shift+click another (B)"), between_);
    auto* cards = new CardGrid;
    cards->setCells({{chunksCard_, 0, 0, 1, 3}, {betweenCard_, 1, 0}, {plane_, 1, 1}, {accuracy_, 1, 2}},
                    {2, 3}, {4, 5, 5});
    auto* page = new QWidget;
    auto* column = vboxIn(page, {controls_}, {.margins = space::kSmall, .spacing = space::kSmall});
    column->addWidget(cards, 1);
    return page;
}

void AutoencoderPanel::connectAll() {
    connect(controls_, &AutoencoderControls::changed, this, [this] {
        accuracy_->setPlayhead(controls_->noise());
        request();
        Q_EMIT stateChanged();
    });
    connect(controls_, &AutoencoderControls::checkpointChanged, this, &AutoencoderPanel::newWeights);
    connect(list_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &AutoencoderPanel::chooseEnds);
    connect(plane_, &LatentPlane::chunkChosen, this, [this](int row, bool second) {
        using enum QItemSelectionModel::SelectionFlag;
        const QModelIndex index = model_->index(row);
        if (!second) return list_->setCurrentIndex(index);
        list_->selectionModel()->setCurrentIndex(index, NoUpdate);
        setEnds({ends_[0], row});
    });
    onThemeChange(list_->viewport(), qOverload<>(&QWidget::update));
    if (context().selection != nullptr)
        connect(context().selection, &Selection::runsChanged, this, &AutoencoderPanel::takeSelection);
    if (context().catalog == nullptr) return;
    connect(context().catalog, &RunCatalog::runsChanged, this, &AutoencoderPanel::refresh);
    connect(context().catalog, &RunCatalog::dataChanged, this, [this](const QString& id) {
        if (id == run_) refresh();
    });
}

// ---- the run ----

void AutoencoderPanel::takeSelection() {
    const QString id = context().selection != nullptr ? context().selection->primaryRun() : QString();
    if (watched_.set({id})) {
        run_ = id;
        newWeights();
    }
    refresh();
}

void AutoencoderPanel::newWeights() {
    ++ticket_;
    asking_ = again_ = clouded_ = false;
    corpus_.drop();
    ask<Inference>().release();
    plane_->reset();
    clear({});
    refresh();
}

QString AutoencoderPanel::whatFor() const {
    QStringList families;
    for (const auto& schema : context().engine->families())
        if (hasAutoencoder(*schema)) families << QString::fromStdString(schema->title);
    return tr("This bench is for autoencoders of chunks: select a run of %1.")
        .arg(families.join(QStringLiteral(", ")));
}

std::pair<QString, QString> AutoencoderPanel::whyNot() const {
    if (context().engine == nullptr || context().engine->families().empty())
        return {tr("Waiting for the engine"), ask<Engine>().problem()};
    if (run_.isEmpty()) return {tr("No run selected"), whatFor()};
    const store::RunSummary* run = context().catalog->run(run_);
    const auto data = context().catalog->data(run_);
    if (run == nullptr || data == nullptr) return {tr("Reading the run…"), {}};
    if (!data->error.isEmpty()) return {tr("The run could not be read"), data->error};
    const auto schema = context().engine->family(run->family);
    if (schema == nullptr || !hasAutoencoder(*schema))
        return {tr("%1 is not an autoencoder of chunks").arg(QString::fromStdString(run->name)), whatFor()};
    if (data->checkpoints.empty())
        return {tr("No checkpoint yet"), tr("The bench works with the run's first checkpoint.")};
    return {};
}

void AutoencoderPanel::refresh() {
    const auto [headline, sentence] = whyNot();
    setEmpty(!headline.isEmpty());
    if (!headline.isEmpty()) return setEmptyTexts(headline, sentence);
    const auto data = context().catalog->data(run_);
    controls_->setCheckpoints(data->checkpoints);
    if (!data->samples.empty())
        controls_->suggest(QString::fromStdString(
            data->samples[0].reference.empty() ? data->samples[0].input : data->samples[0].reference));
    showAccuracy(*data);
    if (answered_.isEmpty()) request();
}

void AutoencoderPanel::showAccuracy(const RunData& data) {
    bool isStep = false;
    const qint64 step = controls_->checkpoint().toLongLong(&isStep);
    const NoiseAccuracy measured = noiseAccuracyOf(data, isStep ? step : -1);
    CurveSpec spec{tr("validation split"), runStyle(run_)};
    spec.markers = true;
    if (measured.noise.empty())
        accuracy_->keepOnly({});
    else
        accuracy_->setCurve(QStringLiteral("valid"), spec, measured.noise, measured.accuracy);
    accuracy_->setPlayhead(controls_->noise());
}

// ---- words and sessions ----

bool AutoencoderPanel::hasData() const {
    return !made_.chunks.empty();
}

QString AutoencoderPanel::statement() const {
    if (!hasData()) return tr("No text is reconstructed.");
    const auto whole = std::count_if(made_.chunks.begin(), made_.chunks.end(), [](const auto& chunk) {
        return rightTokens(chunk) == countedTokens(chunk);
    });
    return tr("%1 of %2 right (%3 %), %4 of %5 whole; mean σ %6.")
        .arg(made_.right)
        .arg(countedText(made_.tokens, tr("token")))
        .arg(100.0 * made_.right / std::max(1, made_.tokens), 0, 'f', 1)
        .arg(whole)
        .arg(countedText(static_cast<qint64>(made_.chunks.size()), tr("chunk")))
        .arg(numberText(meanSigma(made_), 2));
}

QJsonObject AutoencoderPanel::saveState() const {
    return controls_->save();
}

void AutoencoderPanel::restoreState(const QJsonObject& saved) {
    if (!saved.isEmpty()) controls_->restore(saved);
}

}  // namespace kurve::views
