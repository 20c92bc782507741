#pragma once

#include <QAbstractTableModel>
#include <QMap>
#include <vector>

namespace kurve::views {

/// What a cell shows, by Qt::ItemDataRole.
using CellData = QMap<int, QVariant>;
using CellRow = std::vector<CellData>;

/// A table that is computed as a whole and shown as it is. GUI thread.
class CellTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// What tells a row (in its first cell) or a column (in its header) from the others; without it, its
    /// text.
    static constexpr int kIdRole = Qt::UserRole + 50;
    using QAbstractTableModel::QAbstractTableModel;
    /// Every row has a cell for each column. While rows and columns are the same ones, cells change, and
    /// selection and scroll position stay; else it is a reset.
    void setCells(CellRow columns, std::vector<CellRow> rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    CellRow columns_;
    std::vector<CellRow> rows_;
};

}  // namespace kurve::views
