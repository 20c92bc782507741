#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "views/compare/compared_run.h"

namespace kurve::views {

/// A table whose first column names a quantity and whose others are the compared runs.
class RunColumnsItemModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

protected:
    void setColumns(std::vector<ComparedRun> runs) { runs_ = std::move(runs); }  ///< within a model reset
    [[nodiscard]] const std::vector<ComparedRun>& runs() const { return runs_; }
    [[nodiscard]] virtual QString firstColumnTitle() const = 0;

private:
    std::vector<ComparedRun> runs_;
};

}  // namespace kurve::views
