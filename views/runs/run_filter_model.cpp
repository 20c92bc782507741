#include "views/runs/run_filter_model.h"

#include "views/runs/run_table_model.h"

namespace kurve::views {

RunFilterModel::RunFilterModel(QObject* parent) : QSortFilterProxyModel(parent) {
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
    return run && run->trashed == trashShown_ && filter_.matches(*run);
}

}  // namespace kurve::views
