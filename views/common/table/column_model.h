#pragma once

#include <QAbstractTableModel>
#include <functional>
#include <vector>

namespace kurve::views {

/// A table that is replaced as a whole: what a column holds is a function of the row. GUI thread.
class ColumnModel : public QAbstractTableModel {
    Q_OBJECT
public:
    struct Column {
        QString title;
        std::function<QVariant(int row, int role)> data;
        bool isNumber = false;  ///< aligned right, unless `data` says otherwise
    };

    using QAbstractTableModel::QAbstractTableModel;
    void setTable(int rows, std::vector<Column> columns);
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    int rows_ = 0;
    std::vector<Column> columns_;
};

}  // namespace kurve::views
