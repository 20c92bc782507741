#include "views/similarity/similarity_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/command_registry.h"
#include "views/common/empty_state.h"
#include "views/common/format.h"
#include "views/common/playhead.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/similarity/similarity_curves.h"
#include "views/similarity/thumbnail_grid.h"

namespace kurve::views {

namespace {

QComboBox* choice(const QString& id, const QString& name, const QStringList& entries) {
    auto* combo = new QComboBox;
    combo->setObjectName(id);
    combo->setAccessibleName(name);
    combo->setToolTip(name);
    combo->addItems(entries);
    return combo;
}

QString nameOf(const trace::Trace& trace) {
    const auto run = trace.meta.find("run");
    return run == trace.meta.end() ? QString() : QString::fromStdString(run->second);
}

}  // namespace

SimilarityPanel::SimilarityPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("similarity"), tr("Token similarity"), context, parent),
      layers_(choice(QStringLiteral("similarity.layer"), tr("Layer"), {})),
      measure_(choice(QStringLiteral("similarity.measure"), tr("Measure"),
                      {tr("Cosine"), tr("Centred cosine"), tr("Dot product"), tr("CKA between layers")})),
      mode_(choice(QStringLiteral("similarity.mode"), tr("What the matrix shows"),
                   {tr("A"), tr("B"), tr("A − B"), tr("A above, B below")})),
      pin_(new QPushButton(tr("Pin as B"))),
      capture_(new QPushButton(tr("Capture layers"))),
      auto_(new QCheckBox(tr("Auto scale"))),
      likeness_(new QCheckBox(tr("By likeness"))),
      title_(new QLabel),
      value_(new QLabel),
      captureNote_(new QLabel),
      grid_(new ThumbnailGrid),
      matrix_(new MatrixView),
      curves_(new SimilarityCurves),
      empty_(new EmptyState),
      stack_(new QStackedLayout),
      pictures_([](const MatrixWish& wish) { return matrixPictureOf(wish); },
                [this](MatrixPicture picture) { take(std::move(picture)); }) {
    auto* page = new QWidget;
    page->setMinimumSize(px(420), px(200));  // a long bar must not squeeze the side columns
    page->setProperty("role", "surface");
    page->setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(px(space::kSmall), px(space::kTight), px(space::kSmall), px(space::kSmall));
    column->setSpacing(px(space::kTight));
    auto* bar = new QHBoxLayout;
    bar->setSpacing(px(space::kSmall));
    buildBar(bar);
    column->addLayout(bar);
    buildBody(column);
    stack_->addWidget(empty_);
    stack_->addWidget(page);
    setLayout(stack_);
    empty_->setTexts(tr("No denoising chosen"),
                     tr("Open a recorded denoising, or run a prompt: the states it holds are compared here."),
                     tr("Show the newest recording"));
    connectParts();
    setFocusPolicy(Qt::StrongFocus);
    matrix_->setFocusPolicy(Qt::StrongFocus);
    setFocusProxy(matrix_);
    addCommands();
    traceChanged();
}

SimilarityPanel::~SimilarityPanel() {
    cancel_.request();
}

void SimilarityPanel::connectParts() {
    connect(empty_, &EmptyState::clicked, this, &SimilarityPanel::recordedTraceWanted);
    connect(layers_, &QComboBox::activated, this, &SimilarityPanel::setLayer);
    connect(measure_, &QComboBox::currentIndexChanged, this, &SimilarityPanel::recompute);
    connect(mode_, &QComboBox::currentIndexChanged, this, &SimilarityPanel::showStep);
    connect(curves_, &SimilarityCurves::summaryChanged, this, &SimilarityPanel::showSummary);
    connect(auto_, &QCheckBox::toggled, this, &SimilarityPanel::showStep);
    connect(likeness_, &QCheckBox::toggled, this, &SimilarityPanel::showStep);
    connect(pin_, &QPushButton::clicked, this, &SimilarityPanel::pinOther);
    connect(capture_, &QPushButton::clicked, this, [this] {
        if (source_)
            Q_EMIT captureRequested(this->context().selection->trace(),
                                    {"latent", "curve", "hidden", "attention"});
    });
    connect(grid_, &ThumbnailGrid::chosen, this, [this](int layer, int step) {
        layer_ = layer;
        layers_->setCurrentIndex(layer);
        this->context().playhead->setDenoiseStep(step);
        showStep();
    });
    connect(matrix_, &MatrixView::cellChosen, this, &SimilarityPanel::showPair);
    connect(matrix_, &MatrixView::cellHovered, this, [this](int row, int column) {
        const auto& content = matrix_->content();
        value_->setText(row < 0 ? QString()
                                : tr("%1 · %2: %3")
                                      .arg(content.labels.value(row), content.labels.value(column),
                                           numberText(matrix_->shownValue(row, column), 3)));
    });
    connect(themeNotifier(), &ThemeNotifier::changed, this, &SimilarityPanel::recompute);
    connect(context().selection, &Selection::traceChanged, this, &SimilarityPanel::traceChanged);
    connect(context().playhead, &Playhead::denoiseStepChanged, this, &SimilarityPanel::showStep);
    connect(curves_, &SimilarityCurves::stepChosen, context().playhead, &Playhead::setDenoiseStep);
}

void SimilarityPanel::buildBar(QHBoxLayout* bar) {
    pin_->setObjectName(QStringLiteral("similarity.pin"));
    pin_->setToolTip(
        tr("Keep what is shown as B: another step, layer or denoising can then be compared with it (P)"));
    capture_->setObjectName(QStringLiteral("similarity.capture"));
    auto_->setObjectName(QStringLiteral("similarity.auto"));
    auto_->setToolTip(
        tr("Scale to 98 % of the values instead of −1 to 1 (A); the scale stands beside the matrix"));
    likeness_->setObjectName(QStringLiteral("similarity.likeness"));
    likeness_->setToolTip(
        tr("Rows in an order that brings like ones together, instead of the sentence's (O)"));
    for (QWidget* part :
         {static_cast<QWidget*>(layers_), static_cast<QWidget*>(measure_), static_cast<QWidget*>(pin_),
          static_cast<QWidget*>(mode_), static_cast<QWidget*>(auto_), static_cast<QWidget*>(likeness_)})
        bar->addWidget(part);
    layers_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    captureNote_->setProperty("role", "caption");
    captureNote_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // it gives way first
    captureNote_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    bar->addWidget(captureNote_, 1);
    bar->addWidget(capture_);
}

void SimilarityPanel::buildBody(QVBoxLayout* column) {
    auto* scroll = scroll_ = new QScrollArea;
    scroll->setWidget(grid_);
    scroll->setWidgetResizable(false);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->viewport()->setAutoFillBackground(false);
    scroll->setMinimumSize(px(120), px(64));
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    auto* left = new QWidget;
    auto* leftColumn = new QVBoxLayout(left);
    leftColumn->setContentsMargins(0, 0, 0, 0);
    leftColumn->setSpacing(px(space::kTight));
    title_->setProperty("role", "title");
    title_->setWordWrap(true);
    value_->setProperty("role", "caption");
    value_->setMinimumHeight(QFontMetrics(smallFont()).height());
    leftColumn->addWidget(title_);
    leftColumn->addWidget(value_);
    leftColumn->addWidget(matrix_, 1);
    split->addWidget(left);
    split->addWidget(curves_);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    // The pictures give way first: in the usual layout this panel shares its height with the timeline.
    rows_ = new QSplitter(Qt::Vertical);
    rows_->setChildrenCollapsible(false);
    rows_->addWidget(scroll);
    rows_->addWidget(split);
    rows_->setStretchFactor(0, 1);
    rows_->setStretchFactor(1, 3);
    column->addWidget(rows_, 1);
}

MatrixKind SimilarityPanel::kind() const {
    return static_cast<MatrixKind>(measure_->currentIndex());
}

int SimilarityPanel::step() const {
    return source_ ? std::clamp(context().playhead->denoiseStep(), 0, std::max(0, source_->steps() - 1)) : 0;
}

void SimilarityPanel::traceChanged() {
    const auto trace = context().selection->trace();
    const QString before =
        source_ ? source_->layers().empty() ? QString() : layers_->currentText() : QString();
    source_ = trace ? std::make_shared<const StateSource>(trace, nameOf(*trace)) : nullptr;
    layers_->clear();
    if (hasData())
        for (const auto& layer : source_->layers()) layers_->addItem(layer.title);
    layer_ = std::max(0, layers_->findText(before));
    layers_->setCurrentIndex(layer_);
    stack_->setCurrentIndex(source_ ? 1 : 0);
    tellCapture();
    recompute();
}

void SimilarityPanel::tellCapture() {
    const bool captured = source_ && source_->hasHidden();
    capture_->setVisible(source_ != nullptr && !captured);
    captureNote_->clear();  // it stays: the bar's controls keep their widths
    if (!source_ || captured) return;
    const QString size = captureSize();
    captureNote_->setText(source_->layers().empty() ? tr("This recording holds no states.")
                                                    : tr("This recording holds no layers."));
    captureNote_->setToolTip(captureNote_->text());
    capture_->setToolTip(
        tr("Denoise the same prompt with the same settings again and record all layers and attention%1")
            .arg(size.isEmpty() ? QString() : tr(" (about %1)").arg(size)));
    if (!size.isEmpty()) capture_->setText(tr("Capture layers (%1)").arg(size));
}

QString SimilarityPanel::captureSize() const {
    const auto data = context().catalog ? context().catalog->data(nameOf(source_->trace())) : nullptr;
    if (!data || !data->values.count("config")) return {};
    const double bytes = captureBytes(source_->trace(), QString::fromStdString(data->values.at("config")));
    return bytes > 0 ? bytesText(bytes) : QString();
}

void SimilarityPanel::recompute() {
    cancel_.request();
    cancel_ = CancelToken();
    if (!hasData()) {
        overview_ = {};
        showOverview();
        return;
    }
    work_.run([source = source_, kind = kind(), colors = matrixColors(1),
               cancel = cancel_] { return overviewOf(*source, kind, colors, cancel); },
              [this](Overview overview) {
                  overview_ = std::move(overview);
                  showOverview();
              });
    if (other_)
        otherWork_.run(
            [source = other_->source, kind = kind(), colors = matrixColors(1)] {
                return overviewOf(*source, kind, colors, CancelToken());
            },
            [this](Overview overview) {
                otherOverview_ = std::move(overview);
                showSummary();
            });
    showStep();
}

void SimilarityPanel::showOverview() {
    QStringList titles;
    if (hasData())
        for (const auto& layer : source_->layers()) titles << layer.title;
    grid_->show(overview_.thumbnails, titles);
    showSummary();
    showStep();
}

void SimilarityPanel::showStep() {
    if (!hasData()) return matrix_->show({});
    const int at = step();
    grid_->setCurrent(layer_, at);
    curves_->setPlayhead(at);
    pictures_.ask({{source_, layer_, at},
                   other_,
                   kind(),
                   static_cast<MatrixMode>(std::max(0, mode_->currentIndex())),
                   auto_->isChecked(),
                   likeness_->isChecked()});
}

void SimilarityPanel::take(MatrixPicture picture) {
    if (!hasData()) return;
    title_->setText(picture.title);
    matrix_->show(std::move(picture.content));
    showPair();
}

void SimilarityPanel::showSummary() {
    curves_->showSummary({hasData() ? &overview_ : nullptr, source_.get()},
                         {other_ ? &otherOverview_ : nullptr, other_ ? other_->source.get() : nullptr});
}

void SimilarityPanel::showPair() {
    const QPoint cell = matrix_->chosen();
    const auto& content = matrix_->content();
    if (!hasData() || cell.x() < 0 || kind() == MatrixKind::LayerAlignment)
        return curves_->showPair({}, tr("Click a cell: that pair through the steps"));
    const auto row = [&](int at) { return content.order[static_cast<std::size_t>(at)]; };
    curves_->showPair({source_, layer_, kind(), row(cell.y()), row(cell.x())},
                      tr("%1 and %2").arg(content.labels.value(cell.y()), content.labels.value(cell.x())));
}

void SimilarityPanel::setLayer(int layer) {
    if (!hasData()) return;
    layer_ = std::clamp(layer, 0, static_cast<int>(source_->layers().size()) - 1);
    layers_->setCurrentIndex(layer_);
    showStep();
}

void SimilarityPanel::setMode(int mode) {
    mode_->setCurrentIndex(std::clamp(mode, 0, mode_->count() - 1));
}

void SimilarityPanel::pinOther() {
    if (!hasData()) return;
    other_ = MatrixPlace{source_, layer_, step()};
    otherOverview_ = overview_;
    if (mode_->currentIndex() == 0) mode_->setCurrentIndex(static_cast<int>(MatrixMode::Difference));
    showStep();
    showSummary();
    Q_EMIT statusMessage(
        tr("Pinned as B: %1. Choose another step, layer or denoising to compare.").arg(other_->title()));
}

void SimilarityPanel::addCommands() {
    if (context().commands == nullptr) return;
    // Arrows act in the matrix only: lists and the grid of pictures have their own.
    const auto add = [this](const char* id, const QString& title, int key, const QString& help,
                            std::function<void()> run, QWidget* scope) {
        context().commands->add(
            {QLatin1String("similarity.") + QLatin1String(id), title, tr("View"), QKeySequence(key), help},
            std::move(run), scope);
    };
    add(
        "mode", tr("Next comparison of A and B"), Qt::Key_D, tr("A, A − B, split triangle"),
        [this] { setMode((mode_->currentIndex() + 1) % mode_->count()); }, this);
    add(
        "pin", tr("Pin the matrix as B"), Qt::Key_P, tr("What is shown is compared with what comes next"),
        [this] { pinOther(); }, this);
    add(
        "auto", tr("Scale of the middle 98 %"), Qt::Key_A, tr("Instead of −1 to 1"),
        [this] { auto_->toggle(); }, this);
    add(
        "order", tr("Order by likeness"), Qt::Key_O, tr("Clustered instead of as in the sentence"),
        [this] { likeness_->toggle(); }, this);
    add(
        "layer_up", tr("Layer above"), Qt::Key_Up, tr("Matrix of the layer before"),
        [this] { setLayer(layer_ - 1); }, matrix_);
    add(
        "layer_down", tr("Layer below"), Qt::Key_Down, tr("Matrix of the layer after"),
        [this] { setLayer(layer_ + 1); }, matrix_);
    add(
        "step_back", tr("Matrix of the step before"), Qt::Key_Left, tr("Moves the playhead"),
        [this] { context().playhead->setDenoiseStep(step() - 1); }, matrix_);
    add(
        "step_on", tr("Matrix of the step after"), Qt::Key_Right, tr("Moves the playhead"),
        [this] { context().playhead->setDenoiseStep(step() + 1); }, matrix_);
}

// Space shows B while it is held, which no command can.
void SimilarityPanel::keyPressEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Space) return Panel::keyPressEvent(event);
    if (!event->isAutoRepeat()) matrix_->setFlicker(true);
}

void SimilarityPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    // In a low panel everything stands side by side: a matrix under its pictures would be too small to read.
    constexpr double kLow = 420, kPictures = 210;
    const bool low = height() < px(kLow);
    scroll_->setMaximumHeight(low ? QWIDGETSIZE_MAX : px(kPictures));
    const Qt::Orientation wanted = low ? Qt::Horizontal : Qt::Vertical;
    if (rows_->orientation() == wanted) return;
    rows_->setOrientation(wanted);
    if (low) rows_->setSizes({width() / 4, width() * 3 / 4});
}

void SimilarityPanel::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Space) return Panel::keyReleaseEvent(event);
    if (!event->isAutoRepeat()) matrix_->setFlicker(false);
}

QString SimilarityPanel::statement() const {
    return hasData() ? title_->text() : tr("No denoising chosen.");
}

}  // namespace kurve::views
