#include "views/compare/run_columns_item_model.h"

namespace kurve::views {

int RunColumnsItemModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : 1 + static_cast<int>(runs_.size());
}

QVariant RunColumnsItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    if (section == 0) return role == Qt::DisplayRole ? QVariant(firstColumnTitle()) : QVariant();
    const ComparedRun& run = runs_[static_cast<std::size_t>(section) - 1];
    switch (role) {
        case Qt::DisplayRole:
            return run.title;
        case Qt::DecorationRole:
            return runIcon(run.id);
        case Qt::ToolTipRole:
            return section == 1 ? QStringLiteral("%1: baseline").arg(run.title) : run.title;
        case Qt::TextAlignmentRole:
            return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
        default:
            return {};
    }
}

}  // namespace kurve::views
