#include "views/common/table/cell_table_model.h"

#include <algorithm>
#include <utility>

namespace kurve::views {

namespace {

bool haveSameId(const CellData& a, const CellData& b) {
    const auto id = [](const CellData& cell) {
        return cell.value(CellTableModel::kIdRole, cell.value(Qt::DisplayRole));
    };
    return id(a) == id(b);
}

}  // namespace

void CellTableModel::setCells(CellRow columns, std::vector<CellRow> rows) {
    const bool same = std::ranges::equal(columns, columns_, haveSameId) &&
                      std::ranges::equal(rows, rows_, [](const CellRow& a, const CellRow& b) {
                          return haveSameId(a.front(), b.front());
                      });
    const bool changed = rows != rows_;  // headers hold icons, which are never equal
    if (!same) beginResetModel();
    columns_ = std::move(columns);
    rows_ = std::move(rows);
    if (!same) return endResetModel();
    if (!columns_.empty()) Q_EMIT headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
    if (changed && !rows_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int CellTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int CellTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant CellTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount()) return {};
    return rows_[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())].value(role);
}

QVariant CellTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    return columns_[static_cast<std::size_t>(section)].value(role);
}

}  // namespace kurve::views
