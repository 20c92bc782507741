#pragma once

#include <vector>

#include "views/common/frozen_table.h"

namespace kurve::views {

/// A table with a column for each run: columns as wide as their cells need and sharing what room is left,
/// titles shortened to what tells the runs apart. What the rows are stays in sight where the runs are
/// scrolled.
class RunColumnsTable : public FrozenTable {
    Q_OBJECT
public:
    RunColumnsTable(QAbstractItemModel* model, const QString& name, const QString& accessibleName,
                    QWidget* parent = nullptr);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    [[nodiscard]] std::vector<FrozenColumn> frozenColumns() const override;

private:
    [[nodiscard]] int needed(int column) const;
    void fit();
};

}  // namespace kurve::views
