// The panel's bar, places and commands, and what of it is kept for another session.
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStandardItemModel>
#include <QVBoxLayout>
#include <algorithm>

#include "views/common/command_registry.h"
#include "views/common/linked_playhead.h"
#include "views/common/playhead.h"
#include "views/common/theme.h"
#include "views/common/view_picture.h"
#include "views/common/wrap_layout.h"
#include "views/similarity/similarity_curves.h"
#include "views/similarity/similarity_panel.h"
#include "views/similarity/thumbnail_grid.h"

namespace kurve::views {

void SimilarityPanel::buildBar(WrapLayout* bar) {
    pin_->setObjectName(QStringLiteral("similarity.pin"));
    pin_->setToolTip(
        tr("Keep what is shown as B: another step, layer or denoising can then be compared with it (P)"));
    capture_->setObjectName(QStringLiteral("similarity.capture"));
    auto_->setObjectName(QStringLiteral("similarity.auto"));
    auto_->setToolTip(
        tr("Scale to 98 % of the values instead of −1 to 1 (A); the scale stands beside the matrix"));
    following_->setObjectName(QStringLiteral("similarity.following"));
    following_->setToolTip(
        tr("B shows the layer and the step beside A's, linked as in the timeline; else it stays (L)"));
    masked_->setToolTip(tr("Masks are alike: compared with each other they raise every mean (H)"));
    order_->setItemData(1, tr("Rows that are alike stand together"), Qt::ToolTipRole);
    for (QWidget* part :
         {static_cast<QWidget*>(layers_), static_cast<QWidget*>(measure_), static_cast<QWidget*>(pin_),
          static_cast<QWidget*>(mode_), static_cast<QWidget*>(following_), static_cast<QWidget*>(masked_),
          static_cast<QWidget*>(auto_), static_cast<QWidget*>(order_)})
        bar->addWidget(part);
    if (context().commands != nullptr) bar->addWidget(linkButton(*this, context()));
    head_->setToolTip(tr("Which attention head is shown (E)"));
    bar->addWidget(head_);
    layers_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    captureNote_->setProperty("role", "caption");
    captureNote_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // it gives way first
    bar->addWidget(capture_);
    bar->addWidget(captureNote_);
    leaveOutOfFigures(*bar);
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
    title_->setObjectName(QStringLiteral("similarity.title"));
    title_->setProperty("role", "title");
    title_->setWordWrap(true);
    value_->setProperty("role", "caption");
    value_->setObjectName(QStringLiteral("similarity.value"));
    value_->setTextFormat(Qt::PlainText);  // <s> is a token
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

QJsonObject SimilarityPanel::save() const {
    return {{QStringLiteral("measure"), measure_->currentIndex()},
            {QStringLiteral("layer"), layers_->count() > 0 ? layers_->currentText() : keptLayer_},
            {QStringLiteral("order"), order_->currentIndex()},
            {QStringLiteral("auto"), auto_->isChecked()},
            {QStringLiteral("masked"), masked_->currentIndex()},
            {QStringLiteral("pair_mode"), pairMode_},
            {QStringLiteral("head"), wantedHead_},
            {QStringLiteral("summary"), curves_->save()}};
}

void SimilarityPanel::restore(const QJsonObject& kept) {
    if (kept.isEmpty()) return;
    const auto choose = [&](QComboBox* box, const QString& key) {
        box->setCurrentIndex(std::clamp(kept.value(key).toInt(), 0, box->count() - 1));
    };
    choose(measure_, QStringLiteral("measure"));
    choose(masked_, QStringLiteral("masked"));
    choose(order_, QStringLiteral("order"));
    if (kept.value(QStringLiteral("likeness")).toBool())  // as sessions before the choice of three kept it
        order_->setCurrentIndex(static_cast<int>(RowOrder::Likeness));
    auto_->setChecked(kept.value(QStringLiteral("auto")).toBool());
    pairMode_ = std::clamp(kept.value(QStringLiteral("pair_mode")).toInt(pairMode_), 1, mode_->count() - 1);
    wantedHead_ = std::max(0, kept.value(QStringLiteral("head")).toInt());
    if (head_->count() > 0) head_->setCurrentIndex(std::min(wantedHead_, head_->count() - 1));
    curves_->restore(kept.value(QStringLiteral("summary")).toObject());
    keptLayer_ = kept.value(QStringLiteral("layer")).toString();
    if (const int layer = layers_->findText(keptLayer_); layer >= 0) setLayer(layer);
}

/// States belong to slots: control points and compared layers have none, and the choice says so. It is kept
/// for the next layer that has them; meanwhile the order is the sentence's.
void SimilarityPanel::offerOrders() {
    const int states = static_cast<int>(RowOrder::State);
    const bool there = hasSlotStates({source_, layer_, step()}, kind());
    auto* items = qobject_cast<QStandardItemModel*>(order_->model());
    items->item(states)->setEnabled(there);
    order_->setItemData(states,
                        there ? tr("Groups of slots: given, finished, kept, changed, new, masked")
                              : tr("These rows are no slots of the sentence, so they have no state"),
                        Qt::ToolTipRole);
}

void SimilarityPanel::nextOrder() {
    const bool there = hasData() && hasSlotStates({source_, layer_, step()}, kind());
    order_->setCurrentIndex((order_->currentIndex() + 1) % (there ? order_->count() : order_->count() - 1));
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
        "following", tr("B follows the playhead"), Qt::Key_L, tr("Or stays at its layer and step"),
        [this] { setFollowing(held_.has_value()); }, this);
    add(
        "masked", tr("Masked slots in the matrix"), Qt::Key_H, tr("Shown, grey or left out"),
        [this] {
            if (source_ && source_->anyMasked())
                masked_->setCurrentIndex((masked_->currentIndex() + 1) % masked_->count());
        },
        this);
    add(
        "auto", tr("Scale of the middle 98 %"), Qt::Key_A, tr("Instead of −1 to 1"),
        [this] { auto_->toggle(); }, this);
    add(
        "order", tr("Order of the rows"), Qt::Key_O,
        tr("As in the sentence, clustered by likeness, or by state: kept, changed, masked …"),
        [this] { nextOrder(); }, this);
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
    const auto cell = [&](const char* id, const QString& title, Qt::Key key, QPoint by) {
        context().commands->add(
            {QLatin1String("similarity.") + QLatin1String(id), title, tr("View"),
             QKeySequence(Qt::SHIFT | key), tr("Moves the chosen cell; its value is told")},
            [this, by] { matrix_->moveChosen(by); }, matrix_);
    };
    cell("cell_left", tr("Cell to the left"), Qt::Key_Left, {-1, 0});
    cell("cell_right", tr("Cell to the right"), Qt::Key_Right, {1, 0});
    cell("cell_up", tr("Cell above"), Qt::Key_Up, {0, -1});
    cell("cell_down", tr("Cell below"), Qt::Key_Down, {0, 1});
    add(
        "zoom_in", tr("Matrix: closer"), Qt::Key_Plus, tr("About the chosen cell"),
        [this] { matrix_->zoom(1.5); }, matrix_);
    add(
        "zoom_out", tr("Matrix: farther"), Qt::Key_Minus, tr("About the chosen cell"),
        [this] { matrix_->zoom(1 / 1.5); }, matrix_);
    add(
        "zoom_all", tr("Matrix: all of it"), Qt::Key_0, tr("As a double click"),
        [this] { matrix_->showAll(); }, matrix_);
    add(
        "head", tr("Next attention head"), Qt::Key_E, tr("Their mean, or one of them"),
        [this] {
            if (!head_->isHidden()) head_->setCurrentIndex((head_->currentIndex() + 1) % head_->count());
        },
        this);
    add(
        "colours", tr("Summary as colours or lines"), Qt::Key_C, tr("Rows on one scale, or a chart"),
        [this] { curves_->setColours(!curves_->colours()); }, this);
    add(
        "by_run", tr("Summary by layer or by run"), Qt::Key_R,
        tr("Every layer of what is shown, or this layer of all selected runs"),
        [this] { curves_->toggleByRun(); }, this);
}

}  // namespace kurve::views
