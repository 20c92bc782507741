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
    KURVE_TRY(store::RunFilter filter, store::RunFilter::parse(text.toStdString()));
    filter_ = std::move(filter);
    invalidateFilter();
    return {};
}

void RunFilterModel::setTrashShown(bool on) {
    trashShown_ = on;
    invalidateFilter();
}

bool RunFilterModel::filterAcceptsRow(int row, const QModelIndex&) const {
    const auto* model = static_cast<const RunTableModel*>(sourceModel());
    const store::RunSummary* run = model->at(row);
    if (!run || run->trashed != trashShown_) return false;
    const bool archivedWanted = trashShown_ || filter_.asksFor("tag", store::kArchivedTag);
    return (archivedWanted || !store::isArchived(*run)) && filter_.matches(*run);
}

bool RunFilterModel::lessThan(const QModelIndex& left, const QModelIndex& right) const {
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
