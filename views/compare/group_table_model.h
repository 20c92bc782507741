#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

#include "core/series/student.h"
#include "views/common/table/view_table.h"
#include "views/compare/metric_value.h"
#include "views/compare/run_grouping.h"

namespace kurve::views {

/// A group in each row: mean and 95 % CI of some values over its members, and the difference to the base
/// group, the one of the first run.
class GroupTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// For sorting: a number or a text; what a group does not have is invalid.
    static constexpr int kSortRole = Qt::UserRole + 1;
    enum FixedColumn { Title, Count, FirstValue };
    using QAbstractTableModel::QAbstractTableModel;

    /// `hidden`: runs that no chart draws; they are still members, and the table counts them.
    void setGroups(const std::vector<ComparedRun>& runs, const RunGrouping& grouping,
                   const std::vector<MetricValue>& values, const QStringList& hidden);
    /// Columns of the lowest and highest member beside each mean.
    void setRange(bool on);
    /// "title", "count", "valid_bleu", "valid_bleu lowest": the same while columns come and go; empty: none.
    [[nodiscard]] QString columnId(int column) const;
    [[nodiscard]] int columnOf(const QString& id) const;  ///< -1: there is none such
    /// Of the row; empty where it has no members.
    [[nodiscard]] QString firstMember(int row) const;
    /// All values, at full precision.
    [[nodiscard]] ViewTable table() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Cell {
        series::SampleStatistics statistics;
        series::MeanDifference difference;  ///< to the base group
    };
    struct Row {
        QString title, tip, firstMember;
        RunStyle style;
        int count = 0, hidden = 0;
        bool isBase = false;
        std::vector<Cell> cells = {};  ///< by value
    };
    enum class Part : unsigned char { Mean, Min, Max };
    [[nodiscard]] std::pair<std::size_t, Part> partOf(int column) const;
    [[nodiscard]] QString cellText(const Row& row, const Cell& cell) const;
    [[nodiscard]] QString cellTip(const Row& row, std::size_t value) const;
    [[nodiscard]] QVariant cellColor(const Row& row, std::size_t value) const;
    [[nodiscard]] QVariant titleData(const Row& row, int role) const;

    std::vector<MetricValue> values_;
    std::vector<Row> rows_;
    QString base_;  ///< its title
    bool range_ = false;
};

}  // namespace kurve::views
