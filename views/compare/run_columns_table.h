#pragma once

#include <vector>

#include "views/common/table/frozen_table.h"
#include "views/compare/compared_run.h"

namespace kurve::views {

/// A table with a column for each run: columns as wide as their cells need, titles shortened to
/// distinguishing labels. The first column is frozen.
class RunColumnsTable : public FrozenTable {
    Q_OBJECT
public:
    /// `first`: what the first column names.
    RunColumnsTable(const QString& name, const QString& accessibleName, QString first);
    void setRows(const std::vector<ComparedRun>& runs, std::vector<CellRow> rows);
    [[nodiscard]] int rowCount() const { return model_->rowCount(); }

protected:
    void showEvent(QShowEvent* event) override;
    [[nodiscard]] int sizeHintForColumn(int column) const override;
    [[nodiscard]] std::vector<FrozenColumn> frozenColumns() const override;

private:
    CellTableModel* model_;
    QString first_;
};

}  // namespace kurve::views
