#include "views/runs/run_table.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QJsonArray>
#include <QJsonObject>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <utility>

#include "views/common/form/controls.h"
#include "views/common/theme/theme_listener.h"
#include "views/runs/run_cells.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/run_table_model.h"

namespace kurve::views {

namespace {

constexpr float kPointedTint = 0.14f;
constexpr double kFrozenFraction = 0.62;  ///< of the width at most, so that a metric fits beside it
constexpr double kGlyph = 26, kStateWidth = 46, kLeastName = 96, kNameWidth = 165;

/// Tells what mouse and keys select from what a change of the rows unselects: only the former goes through
/// select(), or it does so with its signals blocked.
class RowSelection : public QItemSelectionModel {
public:
    RowSelection(QAbstractItemModel* model, RunTable& table)
        : QItemSelectionModel(model, &table), table_(table) {}
    using QItemSelectionModel::select;
    void select(const QItemSelection& rows, SelectionFlags how) override {
        const QItemSelection before = selection();
        QItemSelectionModel::select(rows, how);
        if (!signalsBlocked() && selection() != before) Q_EMIT table_.runsSelected(table_.selectedIds());
    }

private:
    RunTable& table_;
};

}  // namespace

RunTable::RunTable(RunFilterModel* model, QWidget* parent) : FrozenTable(parent) {
    setModel(model);
    delete selectionModel();  // Qt's own
    setSelectionModel(new RowSelection(model, *this));
    describe(this, "runs.table", tr("Runs of the project"));
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::EditKeyPressed);
    setTextElideMode(Qt::ElideMiddle);
    setItemDelegateForColumn(RunTableModel::Name, new NameDelegate(this));
    setItemDelegateForColumn(RunTableModel::State, new StateDelegate(this));
    setSortingEnabled(true);
    setContextMenuPolicy(Qt::CustomContextMenu);
    setTabKeyNavigation(false);
    setMouseTracking(true);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    for (int column = 0; column < RunTableModel::FirstChosen; ++column)
        if (!isShownByDefault(column)) hiddenColumns_.insert(runs().columnId(column));
    connectHeader();
    scaleRows();
    onThemeChange(this, &RunTable::scaleRows);
    connect(this, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (index.column() == RunTableModel::Name) edit(index);
    });
    connect(this, &QTableView::entered, this, [this](const QModelIndex& index) {
        const QString id = index.data(RunTableModel::IdRole).toString();
        if (std::exchange(hovered_, id) != id) Q_EMIT hovered(id);
    });
    connect(model, &QAbstractItemModel::modelReset, this, &RunTable::layOut);
    rowsInserted_.setSingleShot(true);
    connect(&rowsInserted_, &QTimer::timeout, this, &RunTable::fitName);
    connect(model, &QAbstractItemModel::rowsInserted, &rowsInserted_, qOverload<>(&QTimer::start));
}

void RunTable::connectHeader() {
    QHeaderView* header = horizontalHeader();
    header->setHighlightSections(false);
    header->setSectionsMovable(true);
    header->setMinimumSectionSize(px(24));
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    sortedBy_ = runs().columnId(RunTableModel::Started);
    sortAsChosen();
    connect(header, &QHeaderView::sectionResized, this, [this](int column, int, int width) {
        if (!fitting_ && width > 0) widths_[runs().columnId(column)] = width / theme().scale;
    });
    connect(header, &QHeaderView::sectionMoved, this, [this] {
        if (fitting_) return;
        const QStringList shown = columnIds();
        for (const QString& id : shown) order_.removeAll(id);  // hidden ones keep their order
        order_ = shown + order_;
        layOut();  // a delta stays with its metric
    });
    connect(header, &QHeaderView::sortIndicatorChanged, this, [this](int column, Qt::SortOrder order) {
        if (fitting_) return;
        sortedBy_ = runs().columnId(column);
        sortOrder_ = order;
    });
    frozen()->horizontalHeader()->setContextMenuPolicy(Qt::CustomContextMenu);
    for (QHeaderView* own : {header, frozen()->horizontalHeader()})
        connect(own, &QHeaderView::customContextMenuRequested, this, [this, own](const QPoint& position) {
            Q_EMIT headerMenuRequested(runs().columnId(own->logicalIndexAt(position)),
                                       own->mapToGlobal(position));
        });
}

bool RunTable::isShownByDefault(int fixedColumn) {
    return fixedColumn == RunTableModel::Name || fixedColumn == RunTableModel::State ||
           fixedColumn == RunTableModel::Step;
}

RunFilterModel& RunTable::filter() const {
    return *static_cast<RunFilterModel*>(model());
}

RunTableModel& RunTable::runs() const {
    return *static_cast<RunTableModel*>(filter().sourceModel());
}

void RunTable::setGrouping(RunGroupBy by) {
    filter().setFolded({});
    runs().setGrouping(by);
    layOut();
}

void RunTable::scaleRows() {
    verticalHeader()->setDefaultSectionSize(px(26));
    setIconSize(QSize(px(18), px(12)));
}

void RunTable::fitColumns() {
    if (!std::exchange(widthsSet_, true)) layOut();
}

int RunTable::defaultWidth(int column) const {
    const QFontMetrics metrics(font());
    switch (column) {
        case RunTableModel::Star:
            return px(26);
        case RunTableModel::State:
            return px(kStateWidth);
        case RunTableModel::Step:
            return metrics.horizontalAdvance(QStringLiteral("000 000")) + px(16);
        case RunTableModel::Started:
            return metrics.horizontalAdvance(QStringLiteral("yesterday 00:00")) + px(18);
        case RunTableModel::Family:
            return px(80);
        default:
            break;
    }
    const QString title = model()->headerData(column, Qt::Horizontal).toString();
    return std::clamp(metrics.horizontalAdvance(title) + px(20), px(72), px(150));
}

QStringList RunTable::orderOfColumns() const {
    QStringList there, order;
    for (int column = 0; column < runs().columnCount(); ++column) there << runs().columnId(column);
    const auto add = [&](const QString& id) {
        const auto column = RunColumn::fromId(id);
        if (!there.contains(id) || order.contains(id)) return;
        if (column && column->kind == RunColumn::Kind::Delta) return;
        order << id;
        if (!column || column->kind == RunColumn::Kind::Setting) return;
        const QString metric = RunColumn{RunColumn::Kind::Metric, column->key}.id();
        const QString delta = RunColumn{RunColumn::Kind::Delta, column->key}.id();
        const bool isBase = metric == id || !there.contains(metric);
        if (isBase && there.contains(delta) && !order.contains(delta)) order << delta;
    };
    for (const QString& id : order_) add(id);
    for (const QString& id : there) add(id);
    return order;
}

void RunTable::layOut() {
    const int scrolled = verticalScrollBar()->value(), across = horizontalScrollBar()->value();
    QHeaderView* header = horizontalHeader();
    fitting_ = true;
    const QStringList order = orderOfColumns();
    for (int position = 0; position < order.size(); ++position) {
        const int column = runs().columnOf(order[position]);
        header->moveSection(header->visualIndex(column), position);
        header->setSectionHidden(column, hiddenColumns_.contains(order[position]));
        if (column == RunTableModel::Name) continue;
        const auto width = widths_.constFind(order[position]);
        setColumnWidth(column, width == widths_.constEnd() ? defaultWidth(column) : px(*width));
    }
    fitting_ = false;
    sortAsChosen();
    fitName();
    verticalScrollBar()->setValue(scrolled);
    horizontalScrollBar()->setValue(across);
    placeFrozen();
}

void RunTable::sortAsChosen() {
    int column = runs().columnOf(sortedBy_);
    if (column < 0) column = RunTableModel::Started;
    fitting_ = true;
    sortByColumn(column, sortOrder_);
    fitting_ = false;
}

void RunTable::fitName() {
    const auto dragged = widths_.constFind(runs().columnId(RunTableModel::Name));
    int others = 0;
    for (const int column : {RunTableModel::Star, RunTableModel::State, RunTableModel::Step})
        others += columnWidth(column);
    for (int column = RunTableModel::FirstChosen; !runs().hasChosen() && column < runs().columnCount();
         ++column)
        others += columnWidth(column);
    const int available = std::min(viewport()->width() - others, widthOfNames());
    // Chosen columns may scroll; the default ones should not.
    const int wanted = px(runs().hasChosen() ? kNameWidth : kLeastName);
    const int least =
        std::clamp(viewport()->width() - columnWidth(RunTableModel::Star), px(kLeastName), wanted);
    fitting_ = true;
    setColumnWidth(RunTableModel::Name,
                   dragged == widths_.constEnd() ? std::max(least, available) : px(*dragged));
    fitting_ = false;
    placeFrozen();
}

/// A wider column would only push the metrics out.
int RunTable::widthOfNames() const {
    constexpr int kMeasured = 300;
    int widest = 0;
    for (int row = 0; row < std::min(model()->rowCount(), kMeasured); ++row)
        widest = std::max(widest, fontMetrics().horizontalAdvance(
                                      model()->index(row, RunTableModel::Name).data().toString()));
    return widest + iconSize().width() + px(32);
}

void RunTable::resizeEvent(QResizeEvent* event) {
    FrozenTable::resizeEvent(event);
    fitName();
}

/// The leading columns that are star, name or state; at least the name. Where they are too wide the state is
/// reduced to its glyph, then the name is shortened.
std::vector<FrozenTable::FrozenColumn> RunTable::frozenColumns() const {
    const QHeaderView* header = horizontalHeader();
    std::vector<FrozenColumn> columns;
    for (int position = 0; position < header->count(); ++position) {
        const int column = header->logicalIndex(position);
        if (column != RunTableModel::Star && column != RunTableModel::Name && column != RunTableModel::State)
            break;
        if (!header->isSectionHidden(column)) columns.push_back({column, columnWidth(column)});
    }
    const auto at = [&](int column) { return std::ranges::find(columns, column, &FrozenColumn::column); };
    if (at(RunTableModel::Name) == columns.end())
        columns = {{RunTableModel::Name, columnWidth(RunTableModel::Name)}};
    int excess = -static_cast<int>(kFrozenFraction * viewport()->width());
    for (const FrozenColumn& one : columns) excess += one.width;
    const auto shrink = [&](int column, int least) {
        const auto one = at(column);
        if (excess <= 0 || one == columns.end()) return;
        const int less =
            std::clamp(one->width - least, 0, column == RunTableModel::State ? one->width : excess);
        one->width -= less;
        excess -= less;
    };
    shrink(RunTableModel::State, px(kGlyph));
    shrink(RunTableModel::Name, px(kLeastName));
    return columns;
}

QRect RunTable::rowRect(const QString& id) const {
    const int row = id.isEmpty() ? -1 : runs().rowOf(id);
    const QModelIndex index = row < 0 ? QModelIndex() : filter().mapFromSource(runs().index(row, 0));
    if (!index.isValid()) return {};
    return {0, rowViewportPosition(index.row()), viewport()->width(), rowHeight(index.row())};
}

void RunTable::setPointed(const QString& id) {
    if (id == pointed_) return;
    const QRect before = rowRect(std::exchange(pointed_, id));
    for (QWidget* shown : {viewport(), frozen()->viewport()}) {
        shown->update(before);
        shown->update(rowRect(pointed_));
    }
}

void RunTable::paintOver(QWidget* viewport, const QRect& exposed) {
    const QRect row = rowRect(pointed_);
    if (row.isEmpty() || !row.intersects(exposed)) return;
    QPainter painter(viewport);
    QColor tint = theme().accent;
    tint.setAlphaF(kPointedTint);
    painter.fillRect(row, tint);
    painter.setPen(QPen(theme().accent, theme().scale));
    painter.drawRect(row.adjusted(0, 0, -1, -1));
}

bool RunTable::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave && !std::exchange(hovered_, QString()).isEmpty()) Q_EMIT hovered({});
    return FrozenTable::viewportEvent(event);
}

QStringList RunTable::columnIds() const {
    QStringList ids;
    for (int position = 0; position < horizontalHeader()->count(); ++position)
        ids << runs().columnId(horizontalHeader()->logicalIndex(position));
    return ids;
}

void RunTable::showColumn(const QString& columnId, bool on) {
    if (on)
        hiddenColumns_.remove(columnId);
    else
        hiddenColumns_.insert(columnId);
    layOut();
}

QStringList RunTable::selectedIds() const {
    QStringList ids;
    const QModelIndex current = currentIndex();
    for (const QModelIndex& index : selectionModel()->selectedRows()) {
        const bool isCurrent = current.isValid() && index.row() == current.row();
        ids.insert(isCurrent ? 0 : ids.size(), index.data(RunTableModel::IdRole).toString());
    }
    return ids;
}

void RunTable::select(const QStringList& ids) {
    QItemSelection rows;
    QStringList listed;
    QModelIndex first;
    for (const QString& id : ids) {
        const int row = runs().rowOf(id);
        const QModelIndex index = row < 0 ? QModelIndex() : filter().mapFromSource(runs().index(row, 0));
        if (!index.isValid()) continue;
        if (!first.isValid()) first = index;
        rows.select(index, index);
        listed << id;
    }
    if (selectedIds() == listed) return;
    const QModelIndex name = first.siblingAtColumn(RunTableModel::Name);
    using Rows = QItemSelectionModel;
    if (name.isValid()) selectionModel()->setCurrentIndex(name, Rows::NoUpdate);
    selectionModel()->Rows::select(rows, Rows::ClearAndSelect | Rows::Rows);
    scrollTo(name);
}

QJsonObject RunTable::columns() const {
    QJsonArray list, chosen;
    QStringList all = columnIds();
    for (const QString& id : order_)
        if (!all.contains(id)) all << id;
    for (const QString& id : all) {
        QJsonObject column{{QStringLiteral("id"), id}};
        if (widths_.contains(id)) column.insert(QStringLiteral("width"), widths_.value(id));
        if (hiddenColumns_.contains(id)) column.insert(QStringLiteral("hidden"), true);
        list.append(column);
    }
    QJsonObject state{{QStringLiteral("columns"), list},
                      {QStringLiteral("sorted_by"), sortedBy_},
                      {QStringLiteral("descending"), sortOrder_ == Qt::DescendingOrder}};
    for (const RunColumn& column : runs().chosenColumns()) chosen.append(column.id());
    if (const RunGroupBy by = runs().grouping(); by != RunGroupBy::None) {
        state.insert(QStringLiteral("group_by"), groupingId(by));
        state.insert(QStringLiteral("folded"), QJsonArray::fromStringList(filter().folded()));
    }
    if (runs().hasChosen()) state.insert(QStringLiteral("chosen"), chosen);
    return state;
}

void RunTable::restoreColumns(const QJsonObject& state) {
    if (state.isEmpty()) return;
    order_.clear();
    hiddenColumns_.clear();
    for (const auto value : state.value(QStringLiteral("columns")).toArray()) {
        const QJsonObject column = value.toObject();
        const QString id = column.value(QStringLiteral("id")).toString();
        order_ << id;
        if (const double width = column.value(QStringLiteral("width")).toDouble(); width > 0)
            widths_[id] = width;
        if (column.value(QStringLiteral("hidden")).toBool()) hiddenColumns_.insert(id);
    }
    sortedBy_ = state.value(QStringLiteral("sorted_by")).toString();
    sortOrder_ =
        state.value(QStringLiteral("descending")).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder;
    if (const QJsonValue list = state.value(QStringLiteral("chosen")); list.isArray()) {
        std::vector<RunColumn> chosen;
        for (const auto id : list.toArray())
            if (const auto column = RunColumn::fromId(id.toString())) chosen.push_back(*column);
        runs().chooseColumns(std::move(chosen));
    }
    runs().setGrouping(groupingOf(state.value(QStringLiteral("group_by")).toString()));
    filter().setFolded(state.value(QStringLiteral("folded")).toVariant().toStringList());
    widthsSet_ = true;
    layOut();
}

}  // namespace kurve::views
