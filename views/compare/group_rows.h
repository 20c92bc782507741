#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/series/student.h"
#include "views/common/table/view_table.h"
#include "views/compare/metric_value.h"
#include "views/compare/run_grouping.h"

namespace kurve::views {

/// A group of compared runs: mean and 95 % CI of some values over its members, and the difference to the base
/// group, the one of the first run.
struct GroupRow {
    struct Cell {
        series::SampleStatistics statistics;
        series::MeanDifference difference;  ///< to the base group
    };
    QString title, tip, firstMember;
    RunStyle style;
    int count = 0, hidden = 0;  ///< hidden: members that no chart draws; they count
    bool isBase = false;
    std::vector<Cell> cells = {};  ///< by value
};

[[nodiscard]] std::vector<GroupRow> groupRows(const std::vector<ComparedRun>& runs,
                                              const RunGrouping& grouping,
                                              const std::vector<MetricValue>& values,
                                              const QStringList& hidden);

/// As the cells of a table: title and count, then of each value its mean, with `range` also its lowest and
/// highest member. A number or a text to sort by; what a group does not have is invalid.
inline constexpr int kGroupSortRole = Qt::UserRole + 1;
enum GroupColumn : unsigned char { GroupTitle, GroupCount };
[[nodiscard]] CellRow groupColumns(const std::vector<MetricValue>& values, bool range);
[[nodiscard]] std::vector<CellRow> groupCells(const std::vector<GroupRow>& rows,
                                              const std::vector<MetricValue>& values, bool range);

/// All numbers, at full precision.
[[nodiscard]] ViewTable groupTable(const std::vector<GroupRow>& rows, const std::vector<MetricValue>& values);

}  // namespace kurve::views
