#pragma once

#include <string>
#include <vector>

#include "views/compare/run_columns_item_model.h"

namespace kurve::views {

/// The settings in which the runs differ, one row each.
class ConfigDiffItemModel : public RunColumnsItemModel {
    Q_OBJECT
public:
    using RunColumnsItemModel::RunColumnsItemModel;
    void setRuns(const std::vector<ComparedRun>& runs);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

protected:
    [[nodiscard]] QString firstColumnTitle() const override { return QStringLiteral("Setting"); }

private:
    struct Row {
        QString key, tip;
        std::vector<QString> values;  ///< by run; empty where a run has no such setting
    };
    static std::vector<Row> differingRows(const std::vector<ComparedRun>& runs);
    std::vector<Row> rows_;
};

}  // namespace kurve::views
