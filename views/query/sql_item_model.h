#pragma once

#include <QAbstractTableModel>

#include "core/store/query.h"

namespace kurve::views {

/// The answer to a query.
class SqlItemModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void setTable(store::SqlTable table);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    store::SqlTable table_;
};

}  // namespace kurve::views
