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
#include <cmath>
#include <numeric>

#include "views/common/empty_state.h"
#include "views/common/format.h"
#include "views/common/line_chart.h"
#include "views/common/playhead.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"
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

RunStyle lookOf(int index, bool dashed) {
    return {categoryColor(index), dashed ? Qt::DashLine : Qt::SolidLine, index % 6};
}

std::vector<double> upTo(std::size_t count) {
    std::vector<double> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1.0);
    return numbers;
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
      summary_(choice(QStringLiteral("similarity.summary"), tr("What runs through the steps"),
                      {tr("Mean similarity"), tr("Neighbours' similarity"), tr("Effective rank"),
                       tr("Repeated tokens")})),
      pin_(new QPushButton(tr("Pin as B"))),
      capture_(new QPushButton(tr("Capture layers"))),
      auto_(new QCheckBox(tr("Auto scale"))),
      likeness_(new QCheckBox(tr("By likeness"))),
      title_(new QLabel),
      value_(new QLabel),
      captureNote_(new QLabel),
      grid_(new ThumbnailGrid),
      matrix_(new MatrixView),
      summaryChart_(new LineChart(QStringLiteral("similarity.summaryChart"), tr("Mean similarity"))),
      cellChart_(new LineChart(QStringLiteral("similarity.cellChart"), tr("One pair through the steps"))),
      empty_(new EmptyState),
      stack_(new QStackedLayout) {
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
    connect(empty_, &EmptyState::clicked, this, &SimilarityPanel::recordedTraceWanted);
    connect(layers_, &QComboBox::activated, this, &SimilarityPanel::setLayer);
    connect(measure_, &QComboBox::currentIndexChanged, this, &SimilarityPanel::recompute);
    connect(mode_, &QComboBox::currentIndexChanged, this, &SimilarityPanel::showStep);
    connect(summary_, &QComboBox::currentIndexChanged, this, &SimilarityPanel::showSummary);
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
    connect(matrix_, &MatrixView::cellChosen, this, &SimilarityPanel::showCell);
    connect(matrix_, &MatrixView::cellHovered, this, [this](int row, int column) {
        const auto& content = matrix_->content();
        value_->setText(row < 0 ? QString()
                                : tr("%1 · %2: %3")
                                      .arg(content.labels.value(row), content.labels.value(column),
                                           numberText(matrix_->shownValue(row, column), 3)));
    });
    connect(themeNotifier(), &ThemeNotifier::changed, this, &SimilarityPanel::recompute);
    connect(context.selection, &Selection::traceChanged, this, &SimilarityPanel::traceChanged);
    connect(context.playhead, &Playhead::denoiseStepChanged, this, &SimilarityPanel::showStep);
    connect(summaryChart_, &LineChart::clickedAt, this, [this](double x) {
        this->context().playhead->setDenoiseStep(static_cast<int>(std::lround(x)) - 1);
    });
    setFocusPolicy(Qt::StrongFocus);
    traceChanged();
}

SimilarityPanel::~SimilarityPanel() {
    cancel_.request();
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
    bar->addStretch(1);
    captureNote_->setProperty("role", "caption");
    bar->addWidget(captureNote_);
    bar->addWidget(capture_);
}

void SimilarityPanel::buildBody(QVBoxLayout* column) {
    auto* scroll = new QScrollArea;
    scroll->setWidget(grid_);
    scroll->setWidgetResizable(false);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->viewport()->setAutoFillBackground(false);
    scroll->setMinimumHeight(px(64));
    scroll->setMaximumHeight(px(210));
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
    auto* right = new QWidget;
    auto* rightColumn = new QVBoxLayout(right);
    rightColumn->setContentsMargins(0, 0, 0, 0);
    rightColumn->setSpacing(px(space::kTight));
    rightColumn->addWidget(summary_, 0, Qt::AlignLeft);
    rightColumn->addWidget(summaryChart_, 1);
    rightColumn->addWidget(cellChart_, 1);
    for (LineChart* chart : {summaryChart_, cellChart_}) {
        chart->setKeyTitle(tr("denoising step"));
        chart->setMinimumHeight(px(70));
    }
    split->addWidget(left);
    split->addWidget(right);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    // The pictures give way first: in the usual layout this panel shares its height with the timeline.
    auto* rows = new QSplitter(Qt::Vertical);
    rows->addWidget(scroll);
    rows->addWidget(split);
    rows->setStretchFactor(0, 1);
    rows->setStretchFactor(1, 3);
    column->addWidget(rows, 1);
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
    captureNote_->setVisible(source_ != nullptr && !captured);
    if (!source_ || captured) return;
    const QString size = captureSize();
    captureNote_->setText(source_->layers().empty() ? tr("This recording holds no states.")
                                                    : tr("This recording holds no layers."));
    capture_->setToolTip(
        tr("Denoise the same prompt with the same settings again and record all layers and attention%1")
            .arg(size.isEmpty() ? QString() : tr(" (about %1)").arg(size)));
    if (!size.isEmpty()) capture_->setText(tr("Capture layers (%1)").arg(size));
}

/// From the run's settings, where they tell width and depth: halves of 2 bytes.
QString SimilarityPanel::captureSize() const {
    const auto data = context().catalog ? context().catalog->data(nameOf(source_->trace())) : nullptr;
    if (!data || !data->values.count("config")) return {};
    const QString config = QString::fromStdString(data->values.at("config"));
    const auto number = [&](const char* key) {
        const auto at = config.indexOf(QLatin1String(key));
        return at < 0 ? 0.0
                      : config.mid(at)
                            .section(QLatin1Char('='), 1)
                            .section(QLatin1Char('\n'), 0, 0)
                            .trimmed()
                            .toDouble();
    };
    const double hidden = number("\nhidden ="), layers = number("decoder_layers ="),
                 heads = number("\nheads =");
    if (hidden <= 0 || layers <= 0) return {};
    const auto* curve = source_->trace().block("curve");
    const double rows = curve ? static_cast<double>(curve->shape[1]) : source_->trace().slots;
    return bytesText(2.0 * source_->steps() * layers * rows * (hidden + std::max(1.0, heads) * rows));
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

metrics::SimilarityMatrix SimilarityPanel::matrixAt(const MatrixPlace& place) const {
    return place.source->matrix(place.layer, place.step, kind());
}

std::vector<int> SimilarityPanel::orderOf(const metrics::SimilarityMatrix& matrix) const {
    if (likeness_->isChecked() && matrix.n <= 512) return metrics::likenessOrder(matrix);
    std::vector<int> order(static_cast<std::size_t>(matrix.n));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

void SimilarityPanel::showStep() {
    if (!hasData()) return matrix_->show({});
    const MatrixPlace place{source_, layer_, step()};
    grid_->setCurrent(layer_, place.step);
    summaryChart_->setPlayhead(place.step + 1);
    cellChart_->setPlayhead(place.step + 1);
    const auto a = matrixAt(place);
    const auto order = orderOf(a);
    MatrixView::Content content;
    content.a = ordered(a, order);
    content.mode = static_cast<MatrixMode>(std::max(0, mode_->currentIndex()));
    QString title = QStringLiteral("A: ") + place.title();
    if (other_ && content.mode != MatrixMode::A) {
        auto b = matrixAt(*other_);
        if (b.n == a.n) content.b = ordered(b, order);
        title += QStringLiteral("   B: ") + other_->title();
        if (b.n != a.n) title += tr("   (another size: %1 and %2 rows)").arg(a.n).arg(b.n);
    } else if (content.mode != MatrixMode::A) {
        title += tr("   B: nothing is pinned yet");
    }
    const bool alignment = kind() == MatrixKind::LayerAlignment &&
                           !source_->layers()[static_cast<std::size_t>(layer_)].attention;
    QStringList names;
    std::vector<bool> repeated;
    if (alignment) {
        for (const int other : source_->alignable(layer_))
            names << source_->layers()[static_cast<std::size_t>(other)].title;
        repeated.resize(static_cast<std::size_t>(names.size()));
    } else {
        names = source_->labels(layer_, place.step);
        repeated = source_->repeated(layer_, place.step);
    }
    for (const int row : order) {
        content.labels << names.value(row);
        content.marked.push_back(repeated[static_cast<std::size_t>(row)]);
    }
    const bool unbounded =
        kind() == MatrixKind::Dot || source_->layers()[static_cast<std::size_t>(layer_)].attention;
    content.scale = auto_->isChecked() || unbounded ? robustScale(content.a) : 1;
    if (content.b.n > 0)
        content.differenceScale =
            auto_->isChecked() || unbounded ? robustScale(differenceOf(content.a, content.b)) : 1;
    content.muteDiagonal = kind() != MatrixKind::LayerAlignment;
    title_->setText(title);
    matrix_->show(std::move(content));
    showCell();
}

void SimilarityPanel::showSummary() {
    const auto draw = [&](const Overview& overview, const StateSource& source, bool dashed,
                          QStringList& shown) {
        const auto add = [&](const QString& title, const std::vector<double>& values, int color) {
            if (values.empty()) return;
            const QString id = title + (dashed ? QStringLiteral(" (B)") : QString());
            summaryChart_->setCurve(id, {id, lookOf(color, dashed), false, true}, upTo(values.size()),
                                    values);
            shown << id;
        };
        if (summary_->currentIndex() == 3) return add(tr("repeated tokens"), overview.repeatedTokens, 0);
        for (std::size_t layer = 0; layer < overview.layers.size(); ++layer) {
            const auto& numbers = overview.layers[layer];
            const std::vector<double>* sides[] = {&numbers.meanOffDiagonal, &numbers.adjacent,
                                                  &numbers.effectiveRank};
            add(source.layers()[layer].title, *sides[summary_->currentIndex()], static_cast<int>(layer));
        }
    };
    summaryChart_->keepOnly({});
    summaryChart_->setTitle(summary_->currentText());
    QStringList shown;
    if (hasData()) draw(overview_, *source_, false, shown);
    if (other_) draw(otherOverview_, *other_->source, true, shown);
    summaryChart_->keepOnly(shown);
}

void SimilarityPanel::showCell() {
    const QPoint cell = matrix_->chosen();
    cellChart_->keepOnly({});
    if (!hasData() || cell.x() < 0 || likeness_->isChecked() || kind() == MatrixKind::LayerAlignment) {
        cellChart_->setTitle(tr("Click a cell: that pair through the steps"));
        return;
    }
    const auto names = matrix_->content().labels;
    cellChart_->setTitle(tr("%1 and %2").arg(names.value(cell.y()), names.value(cell.x())));
    QStringList shown;
    const int rows = source_->layers()[static_cast<std::size_t>(layer_)].rows;
    for (std::size_t layer = 0; layer < source_->layers().size(); ++layer) {
        if (source_->layers()[layer].attention || source_->layers()[layer].rows != rows) continue;
        std::vector<double> values;
        for (int step = 0; step < source_->steps(); ++step)
            values.push_back(source_->matrix(static_cast<int>(layer), step, kind()).at(cell.y(), cell.x()));
        const QString id = source_->layers()[layer].title;
        cellChart_->setCurve(id, {id, lookOf(static_cast<int>(layer), false), false, true},
                             upTo(values.size()), values);
        shown << id;
    }
    cellChart_->keepOnly(shown);
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

void SimilarityPanel::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_D:
            return setMode((mode_->currentIndex() + 1) % mode_->count());
        case Qt::Key_P:
            return pinOther();
        case Qt::Key_A:
            return auto_->toggle();
        case Qt::Key_O:
            return likeness_->toggle();
        case Qt::Key_Up:
            return setLayer(layer_ - 1);
        case Qt::Key_Down:
            return setLayer(layer_ + 1);
        case Qt::Key_Left:
            return context().playhead->setDenoiseStep(step() - 1);
        case Qt::Key_Right:
            return context().playhead->setDenoiseStep(step() + 1);
        case Qt::Key_Space:
            if (!event->isAutoRepeat()) matrix_->setFlicker(true);
            return;
        default:
            Panel::keyPressEvent(event);
    }
}

void SimilarityPanel::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Space) return Panel::keyReleaseEvent(event);
    if (!event->isAutoRepeat()) matrix_->setFlicker(false);
}

QString SimilarityPanel::statement() const {
    return hasData() ? title_->text() : tr("No denoising chosen.");
}

}  // namespace kurve::views
