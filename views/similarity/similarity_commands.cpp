// The panel's bar, layout, commands and saved state.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QStandardItemModel>
#include <algorithm>

#include "views/common/chart/view_picture.h"
#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/form/saved_controls.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/linked_playhead.h"
#include "views/common/shell/playhead.h"
#include "views/common/theme/theme.h"
#include "views/similarity/similarity_curves.h"
#include "views/similarity/similarity_panel.h"
#include "views/similarity/thumbnail_grid.h"

namespace kurve::views {

QLayout* SimilarityPanel::buildBar() {
    describe(pin_, "similarity.pin", {},
             tr("Pin this matrix as B to compare another step, layer or trace (P)"));
    capture_->setObjectName(QStringLiteral("similarity.capture"));
    describe(auto_, "similarity.auto", {}, tr("Scale to 98 % of the values instead of −1 to 1 (A)"));
    describe(following_, "similarity.following", {},
             tr("Move B with A's layer and step, linked as in the timeline (L)"));
    masked_->setToolTip(tr("Masked positions are similar to each other and raise every mean (H)"));
    order_->setItemData(1, tr("Seriation: similar rows next to each other"), Qt::ToolTipRole);
    auto* bar = wrapBox({layers_, measure_, pin_, mode_, following_, masked_, auto_, order_},
                        {.spacing = space::kSmall});
    if (context().commands != nullptr) bar->addWidget(linkButton(*this, context()));
    bar->addWidget(head_);
    layers_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    describe(captureNote_, {.role = "caption", .shrinks = true});
    bar->addWidget(capture_);
    bar->addWidget(captureNote_);
    leaveOutOfFigures(*bar);
    return bar;
}

QWidget* SimilarityPanel::buildBody() {
    scroll_ = new QScrollArea;
    scroll_->setWidget(grid_);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->viewport()->setAutoFillBackground(false);
    scroll_->setMinimumSize(px(120), px(64));
    describe(title_, "similarity.title", {.role = "title", .wraps = true});
    describe(value_, "similarity.value", {.role = "caption", .format = Qt::PlainText});  // <s> is a token
    value_->setMinimumHeight(QFontMetrics(smallFont()).height());
    auto* left = boxed(vbox({title_, value_, {matrix_, 1}}, {.margins = 0, .spacing = space::kTight}));
    // The thumbnails shrink first.
    rows_ = splitBox(Qt::Vertical, {{scroll_, 1}, {splitBox(Qt::Horizontal, {{left, 3}, {curves_, 2}}), 3}});
    connect(rows_, &QSplitter::splitterMoved, this, [this] { rowsMoved_ = true; });
    return rows_;
}

/// As high as they are, up to a third: the splitter had its sizes before there were thumbnails.
void SimilarityPanel::fitThumbnails() {
    if (rowsMoved_ || rows_->orientation() == Qt::Horizontal) return;
    const int whole = grid_->height() + scroll_->horizontalScrollBar()->sizeHint().height();
    const int height = std::min({whole, scroll_->maximumHeight(), rows_->height() / 3});
    rows_->setSizes({height, rows_->height() - height});
}

void SimilarityPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    // In a low panel the thumbnails are beside the matrix.
    constexpr double kLow = 420, kThumbnails = 210;
    const bool low = height() < px(kLow);
    scroll_->setMaximumHeight(low ? QWIDGETSIZE_MAX : px(kThumbnails));
    QMetaObject::invokeMethod(this, &SimilarityPanel::fitThumbnails, Qt::QueuedConnection);  // laid out then
    const Qt::Orientation orientation = low ? Qt::Horizontal : Qt::Vertical;
    if (rows_->orientation() == orientation) return;
    rows_->setOrientation(orientation);
    if (low) rows_->setSizes({width() / 4, width() * 3 / 4});
}

QList<QWidget*> SimilarityPanel::savedParts() const {
    return {measure_, layers_, order_, auto_, masked_, head_};
}

QJsonObject SimilarityPanel::saveState() const {
    QJsonObject saved = saveControls(savedParts());
    saved[QStringLiteral("pair_mode")] = mode_->itemData(pairMode_).toString();
    saved[QStringLiteral("summary")] = curves_->save();
    return saved;
}

void SimilarityPanel::restoreState(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    if (const int mode = mode_->findData(saved.value(QStringLiteral("pair_mode")).toString()); mode >= 0)
        pairMode_ = mode;
    restoreControls(savedParts(), saved);
    curves_->restore(saved.value(QStringLiteral("summary")).toObject());
}

/// Only positions have states, not control points or compared layers. The choice is saved for the next layer
/// with states; meanwhile the order is the sentence's, as it is where one side reads the other.
void SimilarityPanel::updateChoices() {
    const int states = static_cast<int>(RowOrder::State);
    const bool available = hasTokenStates({source_, layer_, step()}, kind());
    const inspect::StateLayer& layer = source_->layers()[static_cast<std::size_t>(layer_)];
    const bool crosses = layer.crosses;
    measure_->setEnabled(!layer.attention);
    measure_->setToolTip(layer.attention ? tr("Attention is shown as recorded; a measure compares states")
                                         : tr("Measure"));
    order_->setEnabled(!crosses);
    masked_->setEnabled(!crosses);
    auto* items = qobject_cast<QStandardItemModel*>(order_->model());
    items->item(states)->setEnabled(available);
    order_->setItemData(states,
                        available ? tr("Groups by state: given, finished, kept, changed, new, masked")
                                  : tr("These rows are not positions and have no state"),
                        Qt::ToolTipRole);
}

void SimilarityPanel::nextOrder() {
    if (!order_->isEnabled()) return;
    const bool available = hasData() && hasTokenStates({source_, layer_, step()}, kind());
    order_->setCurrentIndex((order_->currentIndex() + 1) %
                            (available ? order_->count() : order_->count() - 1));
}

void SimilarityPanel::addCommands() {
    if (context().commands == nullptr) return;
    const CommandGroup add(context().commands, tr("View"), this, "similarity.");
    add("mode", tr("Next comparison mode"), Qt::Key_D, tr("A, B, A − B or split triangle"),
        [this] { setMode((mode_->currentIndex() + 1) % mode_->count()); });
    add("pin", tr("Pin matrix as B"), Qt::Key_P, tr("Compare this matrix with others"), [this] { pinB(); });
    add("following", tr("Toggle B follows A"), Qt::Key_L, tr("Move B with A's layer and step, or hold it"),
        [this] { setFollowing(held_.has_value()); });
    add("masked", tr("Next treatment of masked positions"), Qt::Key_H, tr("Include, grey out or exclude"),
        [this] {
            if (source_ && source_->anyMasked() && masked_->isEnabled())
                masked_->setCurrentIndex((masked_->currentIndex() + 1) % masked_->count());
        });
    add("auto", tr("Toggle auto scale"), Qt::Key_A, tr("Scale to 98 % of the values instead of −1 to 1"),
        [this] { auto_->toggle(); });
    add("order", tr("Next row order"), Qt::Key_O, tr("Sentence, similarity or state"),
        [this] { nextOrder(); });
    add("head", tr("Next attention head"), Qt::Key_E, tr("Mean of the heads, or one head"), [this] {
        if (!head_->isHidden()) head_->setCurrentIndex((head_->currentIndex() + 1) % head_->count());
    });
    add("colours", tr("Summary as heat map or lines"), Qt::Key_C, tr("State summary per step"),
        [this] { curves_->setColours(!curves_->colours()); });
    add("by_run", tr("Summary by layer or by run"), Qt::Key_R,
        tr("All layers of the trace, or this layer of all selected runs"),
        [this] { curves_->toggleByRun(); });
    addMatrixCommands();
}

/// Lists and thumbnails have arrow keys of their own.
void SimilarityPanel::addMatrixCommands() {
    const CommandGroup add(context().commands, tr("View"), matrix_, "similarity.");
    add("layer_up", tr("Previous layer"), Qt::Key_Up, tr("Show the matrix of the previous layer"),
        [this] { setLayer(layer_ - 1); });
    add("layer_down", tr("Next layer"), Qt::Key_Down, tr("Show the matrix of the next layer"),
        [this] { setLayer(layer_ + 1); });
    add("step_back", tr("Matrix of previous step"), Qt::Key_Left, tr("Move the playhead"),
        [this] { context().playhead->setDenoiseStep(step() - 1); });
    add("step_on", tr("Matrix of next step"), Qt::Key_Right, tr("Move the playhead"),
        [this] { context().playhead->setDenoiseStep(step() + 1); });
    const auto cell = [&](const char* id, const QString& title, Qt::Key key, QPoint by) {
        add(id, title, Qt::SHIFT | key, tr("Move the selected cell"),
            [this, by] { matrix_->moveChosen(by); });
    };
    cell("cell_left", tr("Select left cell"), Qt::Key_Left, {-1, 0});
    cell("cell_right", tr("Select right cell"), Qt::Key_Right, {1, 0});
    cell("cell_up", tr("Select upper cell"), Qt::Key_Up, {0, -1});
    cell("cell_down", tr("Select lower cell"), Qt::Key_Down, {0, 1});
    add("zoom_in", tr("Zoom in matrix"), Qt::Key_Plus, tr("About the selected cell"),
        [this] { matrix_->zoom(1.5); });
    add("zoom_out", tr("Zoom out matrix"), Qt::Key_Minus, tr("About the selected cell"),
        [this] { matrix_->zoom(1 / 1.5); });
    add("zoom_all", tr("Reset matrix zoom"), Qt::Key_0, tr("Show the whole matrix"),
        [this] { matrix_->showAll(); });
}

}  // namespace kurve::views
