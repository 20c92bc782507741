#include "views/runs/run_filter_model.h"

#include <numeric>

#include "core/store/filter_words.h"
#include "views/common/text/format.h"
#include "views/runs/run_table_model.h"

namespace kurve::views {

RunFilterModel::RunFilterModel(RunTableModel* runs, QObject* parent) : QSortFilterProxyModel(parent) {
    // Before the rows are filtered again, for which the base class connects.
    const auto forget = [this] { matching_.reset(); };
    connect(runs, &QAbstractItemModel::dataChanged, this, forget);
    connect(runs, &QAbstractItemModel::rowsInserted, this, forget);
    connect(runs, &QAbstractItemModel::rowsRemoved, this, forget);
    connect(runs, &QAbstractItemModel::modelReset, this, forget);
    setSourceModel(runs);
    setSortRole(RunTableModel::SortRole);
    setDynamicSortFilter(true);
}

Status RunFilterModel::setExpression(const QString& text) {
    const auto setting = [this](const store::RunSummary& run, const std::string& key) {
        return runs().values().setting(run, key);
    };
    KURVE_TRY(store::RunFilter filter, store::RunFilter::parse(text.toStdString(), setting));
    filter_ = std::move(filter);
    filterAgain();
    return {};
}

void RunFilterModel::filterAgain() {
    matching_.reset();
    invalidateFilter();
    if (runs().grouping() == RunGroupBy::None || rowCount() == 0) return;
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));  // arrows and counts
}

void RunFilterModel::setTrashShown(bool on) {
    trashShown_ = on;
    filterAgain();
}

const RunTableModel& RunFilterModel::runs() const {
    return *static_cast<const RunTableModel*>(sourceModel());
}

bool RunFilterModel::matches(const store::RunSummary& run) const {
    if (run.trashed != trashShown_) return false;
    const bool archivedWanted = trashShown_ || filter_.asksFor("tag", store::kArchivedTag);
    return (archivedWanted || !store::isArchived(run)) && filter_.matches(run);
}

const QHash<QString, int>& RunFilterModel::matching() const {
    if (matching_) return *matching_;
    QHash<QString, int>& counts = matching_.emplace();
    for (int row = 0; row < runs().runCount(); ++row)
        if (const auto& run = *runs().at(row); matches(run)) ++counts[groupKey(run, runs().grouping())];
    return counts;
}

int RunFilterModel::matchCount() const {
    if (runs().grouping() == RunGroupBy::None) return rowCount();
    return std::accumulate(matching().begin(), matching().end(), 0);
}

bool RunFilterModel::filterAcceptsRow(int row, const QModelIndex&) const {
    const store::RunSummary* run = runs().at(row);
    if (run == nullptr)
        return matching().contains(runs().index(row, 0).data(RunTableModel::GroupRole).toString());
    const bool folded = !folded_.isEmpty() && folded_.contains(groupKey(*run, runs().grouping()));
    return !folded && matches(*run);
}

void RunFilterModel::toggleGroup(const QModelIndex& row) {
    if (!row.isValid() || runs().at(mapToSource(row).row()) != nullptr) return;
    const QString group = row.data(RunTableModel::GroupRole).toString();
    if (!folded_.remove(group)) folded_.insert(group);
    filterAgain();
}

void RunFilterModel::setFolded(const QStringList& groups) {
    folded_ = QSet<QString>(groups.begin(), groups.end());
    invalidateFilter();
}

QVariant RunFilterModel::data(const QModelIndex& index, int role) const {
    const QVariant value = QSortFilterProxyModel::data(index, role);
    const int column = index.column();
    if (role != Qt::DisplayRole || (column != RunTableModel::Name && column != RunTableModel::Step))
        return value;
    if (runs().at(mapToSource(index).row()) != nullptr) return value;
    const QString group = index.data(RunTableModel::GroupRole).toString();
    if (column == RunTableModel::Step) return countText(matching().value(group));
    return (folded_.contains(group) ? QStringLiteral("▸ ") : QStringLiteral("▾ ")) + value.toString();
}

bool RunFilterModel::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    if (runs().grouping() != RunGroupBy::None) {
        const QString mine = left.data(RunTableModel::GroupRole).toString(),
                      other = right.data(RunTableModel::GroupRole).toString();
        // The view reverses the order; the groups keep theirs.
        const bool reversed = sortOrder() == Qt::DescendingOrder;
        if (mine != other) return (mine < other) != reversed;
        const bool first = runs().at(left.row()) == nullptr, second = runs().at(right.row()) == nullptr;
        if (first != second) return first != reversed;
    }
    const QVariant a = left.data(sortRole()), b = right.data(sortRole());
    if (!a.isValid() || !b.isValid()) {
        const bool missingFirst = sortOrder() == Qt::DescendingOrder;  // the view reverses the order
        return a.isValid() != b.isValid() && a.isValid() != missingFirst;
    }
    const bool aText = a.metaType().id() == QMetaType::QString,
               bText = b.metaType().id() == QMetaType::QString;
    if (aText != bText) return bText;
    return aText ? a.toString() < b.toString() : a.toDouble() < b.toDouble();
}

}  // namespace kurve::views
