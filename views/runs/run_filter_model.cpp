#include "views/runs/run_filter_model.h"

#include "core/store/filter_words.h"
#include "views/runs/run_table_model.h"

namespace kurve::views {

RunFilterModel::RunFilterModel(RunTableModel* runs, QObject* parent) : QSortFilterProxyModel(parent) {
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
    invalidateFilter();
    return {};
}

void RunFilterModel::setTrashShown(bool on) {
    trashShown_ = on;
    invalidateFilter();
}

const RunTableModel& RunFilterModel::runs() const {
    return *static_cast<const RunTableModel*>(sourceModel());
}

bool RunFilterModel::matches(const store::RunSummary& run) const {
    if (run.trashed != trashShown_) return false;
    const bool archivedWanted = trashShown_ || filter_.asksFor("tag", store::kArchivedTag);
    return (archivedWanted || !store::isArchived(run)) && filter_.matches(run);
}

bool RunFilterModel::hasMatch(const QString& group) const {
    for (int row = 0; row < runs().runCount(); ++row)
        if (const auto& run = *runs().at(row); groupKey(run, runs().grouping()) == group && matches(run))
            return true;
    return false;
}

int RunFilterModel::matchCount() const {
    if (runs().grouping() == RunGroupBy::None) return rowCount();
    int count = 0;
    for (int row = 0; row < runs().runCount(); ++row) count += matches(*runs().at(row)) ? 1 : 0;
    return count;
}

bool RunFilterModel::filterAcceptsRow(int row, const QModelIndex&) const {
    const store::RunSummary* run = runs().at(row);
    if (run == nullptr) return hasMatch(runs().index(row, 0).data(RunTableModel::GroupRole).toString());
    const bool folded = !folded_.isEmpty() && folded_.contains(groupKey(*run, runs().grouping()));
    return !folded && matches(*run);
}

void RunFilterModel::toggleGroup(const QModelIndex& row) {
    if (!row.isValid() || runs().at(mapToSource(row).row()) != nullptr) return;
    const QString group = row.data(RunTableModel::GroupRole).toString();
    if (!folded_.remove(group)) folded_.insert(group);
    invalidateFilter();
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void RunFilterModel::setFolded(const QStringList& groups) {
    folded_ = QSet<QString>(groups.begin(), groups.end());
    invalidateFilter();
}

QVariant RunFilterModel::data(const QModelIndex& index, int role) const {
    const QVariant value = QSortFilterProxyModel::data(index, role);
    if (role != Qt::DisplayRole || index.column() != RunTableModel::Name) return value;
    if (runs().at(mapToSource(index).row()) != nullptr) return value;
    const bool folded = folded_.contains(index.data(RunTableModel::GroupRole).toString());
    return (folded ? QStringLiteral("▸ ") : QStringLiteral("▾ ")) + value.toString();
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
