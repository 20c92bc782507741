#include "views/runs/run_table.h"

#include <QHeaderView>
#include <QStyledItemDelegate>
#include <algorithm>

#include "views/common/telling_name.h"
#include "views/common/theme.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/run_table_model.h"

namespace kurve::views {

namespace {

/// Names of one project often begin and end alike: a short column shows what tells them from the others in
/// sight.
class NameDelegate : public QStyledItemDelegate {
public:
    explicit NameDelegate(QTableView* table) : QStyledItemDelegate(table), table_(table) {}

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const QStyle& style = *table_->style();
        const int room = style.subElementRect(QStyle::SE_ItemViewItemText, option, table_).width() -
                         2 * (style.pixelMetric(QStyle::PM_FocusFrameHMargin, option, table_) + 1) - px(8);
        const QFontMetrics& metrics = option->fontMetrics;
        if (room <= 0 || metrics.horizontalAdvance(option->text) <= room) return;
        option->text = tellingName(option->text, inSight(index.column()), room,
                                   [&](const QString& text) { return metrics.horizontalAdvance(text); });
    }

private:
    [[nodiscard]] QStringList inSight(int column) const {
        const QAbstractItemModel& model = *table_->model();
        const int first = std::max(0, table_->rowAt(0)),
                  last = table_->rowAt(table_->viewport()->height() - 1);
        QStringList names;
        for (int row = first; row < (last < 0 ? model.rowCount() : last + 1) && names.size() < kMostPeers;
             ++row)
            names << model.index(row, column).data().toString();
        return names;
    }
    static constexpr int kMostPeers = 100;

    QTableView* table_;
};

}  // namespace

RunTable::RunTable(RunFilterModel* model, QWidget* parent) : QTableView(parent) {
    setModel(model);
    setObjectName(QStringLiteral("runs.table"));
    setAccessibleName(tr("Runs of the project"));
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::EditKeyPressed);
    setShowGrid(false);
    setWordWrap(false);
    setTextElideMode(Qt::ElideMiddle);
    setItemDelegateForColumn(RunTableModel::Name, new NameDelegate(this));
    setSortingEnabled(true);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setContextMenuPolicy(Qt::CustomContextMenu);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setSectionsMovable(true);
    horizontalHeader()->setMinimumSectionSize(px(24));
    sortByColumn(RunTableModel::Started, Qt::DescendingOrder);
    scaleRows();
    connect(themeNotifier(), &ThemeNotifier::changed, this, &RunTable::scaleRows);
    connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column) {
        if (!fitting_ && column == RunTableModel::Name) nameFollows_ = false;  // dragged by hand
    });
    connect(this, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (index.column() == RunTableModel::Name) edit(index);
    });
}

void RunTable::scaleRows() {
    verticalHeader()->setDefaultSectionSize(px(26));
    setIconSize(QSize(px(18), px(12)));
}

void RunTable::fitColumns() {
    if (std::exchange(widthsSet_, true)) return;
    const int widths[] = {26, 136, 0, 0, 112, 80};
    for (int column = 0; column < model()->columnCount(); ++column)
        setColumnWidth(column, px(column < RunTableModel::FirstMetric ? widths[column] : 72));
    const QFontMetrics metrics(font());
    setColumnWidth(RunTableModel::State, metrics.horizontalAdvance(QStringLiteral("✓ completed")) + px(18));
    setColumnWidth(RunTableModel::Step, metrics.horizontalAdvance(QStringLiteral("000 000")) + px(16));
    nameFollows_ = true;
    fitName();
}

void RunTable::fitName() {
    if (!nameFollows_) return;
    int others = 0;
    for (const int column : {RunTableModel::Star, RunTableModel::State, RunTableModel::Step})
        others += columnWidth(column);
    fitting_ = true;
    setColumnWidth(RunTableModel::Name, std::max(px(165), viewport()->width() - others));
    fitting_ = false;
}

void RunTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    fitName();
}

QStringList RunTable::selectedIds() const {
    QStringList ids;
    const QModelIndex current = currentIndex();
    for (const QModelIndex& index : selectionModel()->selectedRows()) {
        const QString id = index.data(RunTableModel::IdRole).toString();
        if (current.isValid() && index.row() == current.row())
            ids.prepend(id);
        else
            ids.append(id);
    }
    return ids;
}

void RunTable::select(const QStringList& ids) {
    const auto* proxy = static_cast<const RunFilterModel*>(model());
    const auto* runs = static_cast<const RunTableModel*>(proxy->sourceModel());
    QItemSelection rows;
    QModelIndex first;
    for (const QString& id : ids) {
        const int row = runs->rowOf(id);
        const QModelIndex index = row < 0 ? QModelIndex() : proxy->mapFromSource(runs->index(row, 0));
        if (!index.isValid()) continue;
        if (!first.isValid()) first = index;
        rows.select(index, index);
    }
    if (!first.isValid()) return;
    const QModelIndex name = first.siblingAtColumn(RunTableModel::Name);
    selectionModel()->setCurrentIndex(name, QItemSelectionModel::NoUpdate);
    selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    scrollTo(name);
}

QByteArray RunTable::columns() const {
    return horizontalHeader()->saveState();
}

void RunTable::restoreColumns(const QByteArray& state) {
    if (!state.isEmpty() && horizontalHeader()->restoreState(state)) widthsSet_ = true;
}

}  // namespace kurve::views
