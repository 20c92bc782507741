#pragma once

#include <QAbstractTableModel>
#include <QString>
#include <map>
#include <vector>

namespace kurve::views {

struct RunData;

/// The traces of a run: a row per fixed prompt, a column per evaluation. A cell has the output and the
/// trace's file.
class TraceTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role { FileRole = Qt::UserRole + 1, StepRole };
    using QAbstractTableModel::QAbstractTableModel;

    /// No reset without changes, so that the view's selection stays.
    void setRun(const RunData* data);
    [[nodiscard]] QString file(const QModelIndex& cell) const { return data(cell, FileRole).toString(); }
    /// The cell of a trace; invalid if not in the table.
    [[nodiscard]] QModelIndex cellOf(const QString& file) const;
    /// The newest trace; invalid without any.
    [[nodiscard]] QModelIndex newest() const;
    /// The column of the last evaluation at or before `step`; 0 if none is; -1 without columns.
    [[nodiscard]] int columnAt(qint64 step) const;
    [[nodiscard]] qint64 stepOf(int column) const { return steps_[static_cast<std::size_t>(column)]; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Cell {
        QString file, output;
        friend bool operator==(const Cell&, const Cell&) = default;
    };
    std::vector<qint64> steps_;
    std::vector<int> prompts_;
    std::vector<QString> texts_;  ///< of the prompts
    std::map<std::pair<int, qint64>, Cell> cells_;
};

}  // namespace kurve::views
