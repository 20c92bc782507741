#include "views/common/table/frozen_table.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "views/common/theme/theme.h"

namespace kurve::views {

class FrozenTable::Overlay : public QTableView {
public:
    explicit Overlay(FrozenTable* table) : QTableView(table), table_(table) {
        setObjectName(QStringLiteral("frozen"));
        setFrameShape(QFrame::NoFrame);
        setFocusPolicy(Qt::NoFocus);
        setShowGrid(false);
        setWordWrap(false);
        setSelectionBehavior(QAbstractItemView::SelectRows);
        setEditTriggers(QAbstractItemView::NoEditTriggers);
        setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
        setMouseTracking(true);
        verticalHeader()->hide();
        verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
        horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
        horizontalHeader()->setFocusPolicy(Qt::NoFocus);
        horizontalHeader()->setHighlightSections(false);
        hide();
    }

protected:
    /// Both viewports have the same origin, so that nothing has to be mapped.
    bool viewportEvent(QEvent* event) override {
        switch (event->type()) {
            case QEvent::MouseButtonPress:
            case QEvent::MouseButtonRelease:
            case QEvent::MouseButtonDblClick:
            case QEvent::MouseMove:
            case QEvent::Wheel:
            case QEvent::ContextMenu:
            case QEvent::ToolTip:
            case QEvent::Leave:
                return QCoreApplication::sendEvent(table_->viewport(), event);
            default:
                return QTableView::viewportEvent(event);
        }
    }
    void paintEvent(QPaintEvent* event) override {
        QTableView::paintEvent(event);
        table_->paintOver(viewport(), event->rect());
        QPainter painter(viewport());
        painter.setPen(QPen(theme().border, theme().scale));
        painter.drawLine(viewport()->rect().topRight(), viewport()->rect().bottomRight());
    }

private:
    FrozenTable* table_;
};

FrozenTable::FrozenTable(QWidget* parent) : QTableView(parent), overlay_(new Overlay(this)) {
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setShowGrid(false);
    setWordWrap(false);
    verticalHeader()->hide();
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    const auto follow = [this] { overlay_->verticalScrollBar()->setValue(verticalScrollBar()->value()); };
    connect(verticalScrollBar(), &QScrollBar::valueChanged, overlay_, follow);
    connect(overlay_->verticalScrollBar(), &QScrollBar::rangeChanged, overlay_, follow);
    connect(overlay_->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
            [this](int column, Qt::SortOrder order) {
                if (isSortingEnabled()) horizontalHeader()->setSortIndicator(column, order);
            });
}

void FrozenTable::setModel(QAbstractItemModel* model) {
    overlay_->hide();
    setOverlayModel(nullptr);
    QTableView::setModel(model);
    placeFrozen();
}

// Without a model while it is hidden: a filter over thousands of rows notifies each view of every range that
// is inserted or removed.
void FrozenTable::setOverlayModel(QAbstractItemModel* maybeModel) {
    if (overlay_->model() == maybeModel) return;
    // A view creates a selection model for each model and never deletes it.
    QItemSelectionModel* own = overlay_->model() == nullptr ? overlay_->selectionModel() : nullptr;
    overlay_->setModel(maybeModel);
    delete own;
    if (maybeModel == nullptr) return;
    delete overlay_->selectionModel();
    overlay_->setSelectionModel(selectionModel());
}

int FrozenTable::frozenWidth() const {
    return overlay_->isHidden() ? 0 : overlay_->width();
}

QTableView* FrozenTable::frozen() const {
    return overlay_;
}

bool FrozenTable::isFrozen(int column) const {
    return !overlay_->isHidden() &&
           std::any_of(shown_.begin(), shown_.end(), [&](const auto& one) { return one.column == column; });
}

QModelIndex FrozenTable::indexAt(const QPoint& position) const {
    return position.x() < frozenWidth() ? overlay_->indexAt(position) : QTableView::indexAt(position);
}

QRect FrozenTable::visualRect(const QModelIndex& index) const {
    return isFrozen(index.column()) ? overlay_->visualRect(index) : QTableView::visualRect(index);
}

void FrozenTable::scrollTo(const QModelIndex& index, ScrollHint hint) {
    const int across = horizontalScrollBar()->value();
    const bool visible = isFrozen(index.column());
    QTableView::scrollTo(index, hint);
    if (visible) return horizontalScrollBar()->setValue(across);
    const int covered = frozenWidth() - columnViewportPosition(index.column());
    if (covered > 0 && index.isValid())
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - covered);
}

/// The editor is in the table, below the overlay: scrolls back to the cell.
bool FrozenTable::edit(const QModelIndex& index, EditTrigger trigger, QEvent* event) {
    const bool wanted = trigger == AllEditTriggers || (editTriggers() & trigger);
    if (wanted && isFrozen(index.column()) && (index.flags() & Qt::ItemIsEditable))
        horizontalScrollBar()->setValue(0);
    return QTableView::edit(index, trigger, event);
}

void FrozenTable::updateGeometries() {
    QTableView::updateGeometries();
    placeFrozen();
}

void FrozenTable::scrollContentsBy(int dx, int dy) {
    QTableView::scrollContentsBy(dx, dy);
    if (dx != 0) placeFrozen();
}

void FrozenTable::placeFrozen() {
    if (model() == nullptr) return;
    const auto columns = frozenColumns();
    if (columns.empty() || columnViewportPosition(columns.front().column) >= 0) {
        overlay_->hide();
        return setOverlayModel(nullptr);
    }
    const bool appears = overlay_->isHidden();
    setOverlayModel(model());
    showColumns(columns);
    int width = 0;
    for (const FrozenColumn& one : columns) width += one.width;
    const int head = horizontalHeader()->isHidden() ? 0 : horizontalHeader()->height();
    overlay_->horizontalHeader()->setFixedHeight(head);
    overlay_->setGeometry(viewport()->x(), viewport()->y() - head, std::min(width, viewport()->width()),
                          viewport()->height() + head);
    overlay_->show();
    if (!appears) return;
    overlay_->raise();
    overlay_->doItemsLayout();
    overlay_->verticalScrollBar()->setValue(verticalScrollBar()->value());
}

void FrozenTable::showColumns(const std::vector<FrozenColumn>& columns) {
    shown_ = columns;
    QHeaderView* header = overlay_->horizontalHeader();
    const QHeaderView* own = horizontalHeader();
    for (int column = 0; column < model()->columnCount(); ++column) {
        const bool hidden = std::none_of(columns.begin(), columns.end(),
                                         [&](const auto& one) { return one.column == column; });
        if (overlay_->isColumnHidden(column) != hidden) overlay_->setColumnHidden(column, hidden);
    }
    header->setDefaultAlignment(own->defaultAlignment());
    header->setMinimumSectionSize(own->minimumSectionSize());
    for (int position = 0; position < static_cast<int>(columns.size()); ++position) {
        const FrozenColumn& one = columns[static_cast<std::size_t>(position)];
        header->moveSection(header->visualIndex(one.column), position);
        overlay_->setColumnWidth(one.column, one.width);
        QAbstractItemDelegate* delegate = itemDelegateForColumn(one.column);
        if (overlay_->itemDelegateForColumn(one.column) == delegate) continue;
        overlay_->setItemDelegateForColumn(one.column, delegate);
        if (delegate) disconnect(delegate, nullptr, overlay_, nullptr);  // editors are the table's
    }
    header->setSectionsClickable(isSortingEnabled());
    header->setSortIndicatorShown(isSortingEnabled());
    if (isSortingEnabled()) header->setSortIndicator(own->sortIndicatorSection(), own->sortIndicatorOrder());
    overlay_->verticalHeader()->setDefaultSectionSize(verticalHeader()->defaultSectionSize());
    overlay_->setIconSize(iconSize());
    overlay_->setTextElideMode(textElideMode());
}

void FrozenTable::paintOver(QWidget* /*viewport*/, const QRect& /*exposed*/) {}

void FrozenTable::paintEvent(QPaintEvent* event) {
    QTableView::paintEvent(event);
    paintOver(viewport(), event->rect());
}

}  // namespace kurve::views
