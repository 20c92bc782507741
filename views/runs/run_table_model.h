#pragma once

#include <QAbstractTableModel>
#include <QIcon>
#include <QMap>
#include <QStringList>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/store/project.h"
#include "views/common/data/engine_info.h"
#include "views/runs/run_columns.h"
#include "views/runs/run_groups.h"

namespace kurve::views {

/// Colour, dash and marker of the run as the charts draw it; the same in a selected row.
[[nodiscard]] QIcon runSwatch(const QString& id);

/// The runs of the catalog as a table: the fixed columns, then the chosen metrics (with their difference from
/// the baseline, if one is set) and settings. A refresh changes cells, removes and inserts rows, so that
/// selection and scroll position stay; another order and other columns are a reset.
class RunTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Star, Name, State, Step, Started, Family, FirstChosen };
    enum Role { IdRole = Qt::UserRole, SortRole, GroupRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setRuns(const store::RunList& runs);
    /// Runs hidden in charts: faint, with an empty ring.
    void setHidden(const QStringList& ids);
    /// Runs on other machines to which the line is broken, and since when (seconds since the epoch).
    void setLostSince(const QMap<QString, double>& runs);
    [[nodiscard]] const store::RunSummary* at(int row) const;  ///< null for the row of a group
    [[nodiscard]] int runCount() const { return static_cast<int>(runs_.size()); }
    /// Each group has a row, after those of the runs, with its GroupRole; only runs can be selected.
    void setGrouping(RunGroupBy by);
    [[nodiscard]] RunGroupBy grouping() const { return grouping_; }
    [[nodiscard]] int rowOf(const QString& id) const;  ///< -1 if there is no such run
    void setEngine(const EngineInfo* engine);
    /// May be set before the run exists; empty: none.
    void setBaseline(const QString& id);
    /// Empty: the default columns.
    void chooseColumns(std::optional<std::vector<RunColumn>> chosen);
    [[nodiscard]] bool hasChosen() const { return chosen_.has_value(); }
    /// Metrics and settings, without their deltas.
    [[nodiscard]] std::vector<RunColumn> chosenColumns() const;
    [[nodiscard]] const RunColumnValues& values() const { return values_; }
    [[nodiscard]] const RunKeys& keys() const { return keys_; }
    /// "star", "name" … or RunColumn::id(); empty and -1 for unknown ones.
    [[nodiscard]] QString columnId(int column) const;
    [[nodiscard]] int columnOf(const QString& id) const;
    /// Null for a fixed column.
    [[nodiscard]] const RunColumn* chosenAt(int column) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

Q_SIGNALS:
    void renameRequested(const QString& id, const QString& name);

private:
    [[nodiscard]] QVariant text(const store::RunSummary& run, int column) const;
    [[nodiscard]] QVariant sortKey(const store::RunSummary& run, int column) const;
    [[nodiscard]] QString tip(const store::RunSummary& run, int column) const;
    [[nodiscard]] QString remarkOf(const store::RunSummary& run, int column) const;
    [[nodiscard]] QVariant color(const store::RunSummary& run, int column) const;
    [[nodiscard]] QVariant alignment(int column) const;
    [[nodiscard]] std::vector<RunColumn> wantedColumns() const;
    void layOutColumns();
    void readBaseline();
    void reset();
    void indexRows();
    [[nodiscard]] std::vector<int> takeChanges();
    void reportChanges(const std::vector<int>& rows);
    void updateGroups();
    [[nodiscard]] QVariant groupData(const RunGroup& group, int column, int role) const;

    store::RunList list_;                         ///< owns the rows
    std::vector<const store::RunSummary*> runs_;  ///< the rows; during an update also of the previous list
    std::deque<store::RunSummary> edited_;        ///< rows edited ahead of the catalog
    std::unordered_map<std::string, int> rows_;   ///< by id
    RunGroupBy grouping_ = RunGroupBy::None;
    std::vector<RunGroup> groups_;
    QStringList hidden_;
    QMap<QString, double> lostSince_;
    QString baseline_;
    std::optional<std::vector<RunColumn>> chosen_;
    std::vector<RunColumn> columns_;  ///< after the fixed ones, deltas after their metrics
    RunColumnValues values_;
    RunKeys keys_;
};

}  // namespace kurve::views
