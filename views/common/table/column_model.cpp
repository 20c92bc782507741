#include "views/common/table/column_model.h"

#include <utility>

namespace kurve::views {

void ColumnModel::setTable(int rows, std::vector<Column> columns) {
    beginResetModel();
    rows_ = rows;
    columns_ = std::move(columns);
    endResetModel();
}

int ColumnModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : rows_;
}

int ColumnModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant ColumnModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Column& column = columns_[static_cast<std::size_t>(index.column())];
    const QVariant own = column.data(index.row(), role);
    if (own.isValid() || role != Qt::TextAlignmentRole) return own;
    return QVariant((column.isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

QVariant ColumnModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Vertical) return QAbstractTableModel::headerData(section, orientation, role);
    if (section < 0 || section >= columnCount()) return {};
    if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(columns_[static_cast<std::size_t>(section)].title) : QVariant();
}

}  // namespace kurve::views
