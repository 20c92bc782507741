#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "views/compare/compared_run.h"

namespace kurve::views {

/// Outputs of the runs for the same fixed prompts: one row per prompt, first the prompt with its reference,
/// then one column per run. As long as the runs and prompts stay, a refresh changes cells only.
class SampleMatrixModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role { HtmlRole = Qt::UserRole, RunRole, TraceRole };
    using QAbstractTableModel::QAbstractTableModel;

    /// The contents of the cells.
    struct Request {
        std::optional<qint64> step;  ///< the last evaluation at or before it; without it the last of all
        QString against;             ///< word diff against this run's output; empty: against the reference
        friend bool operator==(const Request&, const Request&) = default;
    };
    void setRuns(const std::vector<ComparedRun>& runs, const Request& request);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Cell {
        QString text, html, note, traceFile;
        friend bool operator==(const Cell&, const Cell&) = default;
    };
    struct Row {
        QString input, reference;
        std::vector<Cell> cells;  ///< of the runs
        friend bool operator==(const Row&, const Row&) = default;
    };
    [[nodiscard]] static std::vector<Row> read(const std::vector<ComparedRun>& runs, const Request& request);

    QStringList runs_, titles_;
    std::vector<Row> rows_;
    Request request_;
};

}  // namespace kurve::views
