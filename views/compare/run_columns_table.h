#pragma once

#include <vector>

#include "views/common/table/frozen_table.h"

namespace kurve::views {

/// A table with a column for each run: columns as wide as their cells need, titles shortened to
/// distinguishing labels. The first column is frozen.
class RunColumnsTable : public FrozenTable {
    Q_OBJECT
public:
    RunColumnsTable(QAbstractItemModel* model, const QString& name, const QString& accessibleName,
                    QWidget* parent = nullptr);

protected:
    void showEvent(QShowEvent* event) override;
    [[nodiscard]] int sizeHintForColumn(int column) const override;
    [[nodiscard]] std::vector<FrozenColumn> frozenColumns() const override;
};

}  // namespace kurve::views
