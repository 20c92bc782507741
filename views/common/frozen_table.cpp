#include "views/common/frozen_table.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "views/common/eliding_header.h"
#include "views/common/theme.h"

namespace kurve::views {

class FrozenTable::Picture : public QTableView {
public:
    explicit Picture(FrozenTable* table) : QTableView(table), table_(table) {
        setHorizontalHeader(new ElidingHeader(Qt::Horizontal, this));
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
    /// Both viewports begin at the same place, so that nothing has to be mapped.
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

FrozenTable::FrozenTable(QWidget* parent) : QTableView(parent), picture_(new Picture(this)) {
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    const auto follow = [this] { picture_->verticalScrollBar()->setValue(verticalScrollBar()->value()); };
    connect(verticalScrollBar(), &QScrollBar::valueChanged, picture_, follow);
    connect(picture_->verticalScrollBar(), &QScrollBar::rangeChanged, picture_, follow);
    connect(picture_->horizontalHeader(), &QHeaderView::sortIndicatorChanged, this,
            [this](int column, Qt::SortOrder order) {
                if (isSortingEnabled()) horizontalHeader()->setSortIndicator(column, order);
            });
}

void FrozenTable::setModel(QAbstractItemModel* model) {
    picture_->hide();
    setPictured(nullptr);
    QTableView::setModel(model);
    placeFrozen();
}

// Without a model while it is hidden: a filter over thousands of rows tells each view of every range that
// comes or goes.
void FrozenTable::setPictured(QAbstractItemModel* maybeModel) {
    if (picture_->model() == maybeModel) return;
    // A view makes a selection of its own for each model and keeps it for ever.
    QItemSelectionModel* own = picture_->model() == nullptr ? picture_->selectionModel() : nullptr;
    picture_->setModel(maybeModel);
    delete own;
    if (maybeModel == nullptr) return;
    delete picture_->selectionModel();
    picture_->setSelectionModel(selectionModel());
}

int FrozenTable::frozenWidth() const {
    return picture_->isHidden() ? 0 : picture_->width();
}

QTableView* FrozenTable::frozen() const {
    return picture_;
}

bool FrozenTable::isFrozen(int column) const {
    return !picture_->isHidden() &&
           std::any_of(shown_.begin(), shown_.end(), [&](const auto& one) { return one.column == column; });
}

QModelIndex FrozenTable::indexAt(const QPoint& place) const {
    return place.x() < frozenWidth() ? picture_->indexAt(place) : QTableView::indexAt(place);
}

QRect FrozenTable::visualRect(const QModelIndex& index) const {
    return isFrozen(index.column()) ? picture_->visualRect(index) : QTableView::visualRect(index);
}

void FrozenTable::scrollTo(const QModelIndex& index, ScrollHint hint) {
    const int across = horizontalScrollBar()->value();
    const bool inSight = isFrozen(index.column());
    QTableView::scrollTo(index, hint);
    if (inSight) return horizontalScrollBar()->setValue(across);
    const int covered = frozenWidth() - columnViewportPosition(index.column());
    if (covered > 0 && index.isValid())
        horizontalScrollBar()->setValue(horizontalScrollBar()->value() - covered);
}

/// The editor lies in the table, below the picture: it goes back to where the cell is.
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
        picture_->hide();
        return setPictured(nullptr);
    }
    const bool appears = picture_->isHidden();
    setPictured(model());
    showColumns(columns);
    int width = 0;
    for (const FrozenColumn& one : columns) width += one.width;
    const int head = horizontalHeader()->isHidden() ? 0 : horizontalHeader()->height();
    picture_->horizontalHeader()->setFixedHeight(head);
    picture_->setGeometry(viewport()->x(), viewport()->y() - head, std::min(width, viewport()->width()),
                          viewport()->height() + head);
    picture_->show();
    if (!appears) return;
    picture_->raise();
    picture_->doItemsLayout();
    picture_->verticalScrollBar()->setValue(verticalScrollBar()->value());
}

void FrozenTable::showColumns(const std::vector<FrozenColumn>& columns) {
    shown_ = columns;
    QHeaderView* header = picture_->horizontalHeader();
    const QHeaderView* own = horizontalHeader();
    for (int column = 0; column < model()->columnCount(); ++column) {
        const bool away = std::none_of(columns.begin(), columns.end(),
                                       [&](const auto& one) { return one.column == column; });
        if (picture_->isColumnHidden(column) != away) picture_->setColumnHidden(column, away);
    }
    header->setDefaultAlignment(own->defaultAlignment());
    header->setMinimumSectionSize(own->minimumSectionSize());
    for (int place = 0; place < static_cast<int>(columns.size()); ++place) {
        const FrozenColumn& one = columns[static_cast<std::size_t>(place)];
        header->moveSection(header->visualIndex(one.column), place);
        picture_->setColumnWidth(one.column, one.width);
        QAbstractItemDelegate* delegate = itemDelegateForColumn(one.column);
        if (picture_->itemDelegateForColumn(one.column) == delegate) continue;
        picture_->setItemDelegateForColumn(one.column, delegate);
        if (delegate) disconnect(delegate, nullptr, picture_, nullptr);  // editors are the table's
    }
    header->setSectionsClickable(isSortingEnabled());
    header->setSortIndicatorShown(isSortingEnabled());
    if (isSortingEnabled()) header->setSortIndicator(own->sortIndicatorSection(), own->sortIndicatorOrder());
    picture_->verticalHeader()->setDefaultSectionSize(verticalHeader()->defaultSectionSize());
    picture_->setIconSize(iconSize());
    picture_->setTextElideMode(textElideMode());
}

void FrozenTable::paintOver(QWidget* /*viewport*/, const QRect& /*exposed*/) {}

void FrozenTable::paintEvent(QPaintEvent* event) {
    QTableView::paintEvent(event);
    paintOver(viewport(), event->rect());
}

}  // namespace kurve::views
