#pragma once

#include <optional>
#include <string>
#include <vector>

#include "views/common/engine_info.h"
#include "views/compare/run_columns_item_model.h"

namespace kurve::views {

/// Where each run ended: last finite value of every metric, and how far it is from the first run's.
class MetricTableItemModel : public RunColumnsItemModel {
    Q_OBJECT
public:
    using RunColumnsItemModel::RunColumnsItemModel;
    void setRuns(const std::vector<ComparedRun>& runs, const EngineInfo& engine);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

protected:
    [[nodiscard]] QString firstColumnTitle() const override { return QStringLiteral("Final value"); }

private:
    struct Cell {
        QString text;
        double value = 0;
        bool known = false;
    };
    struct Row {
        QString title, tip;
        bool comparable = false;                      ///< has a delta to the first run
        bool ranked = false, higherIsBetter = false;  ///< ranked: one direction is better
        std::vector<Cell> cells;
    };
    [[nodiscard]] QString cellText(const Row& row, std::size_t run) const;
    [[nodiscard]] QVariant color(const Row& row, std::size_t run) const;
    void addFacts();
    void addMetrics(const EngineInfo& engine);

    std::vector<Row> rows_;
};

/// Metric ids of the runs: validation first, then losses and scores, then the rest.
[[nodiscard]] std::vector<std::string> metricsOf(const std::vector<ComparedRun>& runs);
/// Last finite value of a metric, if there is one.
[[nodiscard]] std::optional<double> finalValue(const ComparedRun& run, const std::string& metric);

}  // namespace kurve::views
