#pragma once

#include <vector>

#include "views/common/data/engine_info.h"
#include "views/compare/metric_value.h"
#include "views/compare/run_columns_item_model.h"

namespace kurve::views {

/// Final metrics of each run: last finite value of every metric or the best one with its step, and its
/// difference to the first run's.
class MetricTableItemModel : public RunColumnsItemModel {
    Q_OBJECT
public:
    using RunColumnsItemModel::RunColumnsItemModel;
    void setRuns(const std::vector<ComparedRun>& runs, const EngineInfo& engine, ValueChoice choice);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

protected:
    [[nodiscard]] QString firstColumnTitle() const override { return QStringLiteral("Value"); }

private:
    struct Cell {
        QString text;
        double value = 0;
        bool known = false;
        QString step;  ///< of a best value
    };
    struct Row {
        QString title, tip;
        bool comparable = false;                      ///< has a delta to the first run
        bool ranked = false, higherIsBetter = false;  ///< ranked: one direction is better
        std::vector<Cell> cells;
    };
    [[nodiscard]] QString cellText(const Row& row, std::size_t run) const;
    [[nodiscard]] QVariant color(const Row& row, std::size_t run) const;
    void addRunRows();
    void addMetrics(const EngineInfo& engine, ValueChoice choice);

    std::vector<Row> rows_;
};

}  // namespace kurve::views
