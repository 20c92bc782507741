#include "views/compare/group_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

QString signedText(double value) {
    return value < 0 ? QStringLiteral("−%1").arg(numberText(-value, 3))
                     : QStringLiteral("+%1").arg(numberText(value, 3));
}

QVariant numberOr(double value) {
    return std::isfinite(value) ? QVariant(value) : QVariant();
}

/// Mean and interval, below it the difference to the base group.
QString cellText(const GroupRow& row, const GroupRow::Cell& cell) {
    if (cell.statistics.n == 0) return QStringLiteral("–");
    QString text = numberText(cell.statistics.mean);
    if (cell.statistics.n > 1) text += QStringLiteral(" ± ") + numberText(cell.statistics.half, 2);
    if (cell.statistics.n != row.count) text += QStringLiteral("  (n %1)").arg(cell.statistics.n);
    const auto& difference = cell.difference;
    if (row.isBase || std::isnan(difference.value)) return text;
    if (std::isnan(difference.half))
        return text + QStringLiteral("\n%1, no CI").arg(signedText(difference.value));
    if (!difference.isDistinguishable()) return text + QStringLiteral("\n≈ not distinguishable");
    return text + QStringLiteral("\n%1 %2 ± %3")
                      .arg(difference.value > 0 ? QStringLiteral("▲") : QStringLiteral("▼"),
                           numberText(std::abs(difference.value), 3), numberText(difference.half, 2));
}

QString cellTip(const GroupRow& row, const GroupRow::Cell& cell, const QString& value, const QString& base) {
    QStringList lines{QStringLiteral("%1, %2").arg(row.title, value)};
    if (cell.statistics.n == 0) return lines.front() + QStringLiteral(": no values");
    lines << QStringLiteral("mean %1 of n %2; lowest %3, highest %4")
                 .arg(numberText(cell.statistics.mean, 6), QString::number(cell.statistics.n),
                      numberText(cell.statistics.min, 6), numberText(cell.statistics.max, 6));
    lines << (cell.statistics.n < 2 ? QStringLiteral("one value: no CI")
                                    : QStringLiteral("95 % CI (Student) %1 to %2")
                                          .arg(numberText(cell.statistics.mean - cell.statistics.half, 6),
                                               numberText(cell.statistics.mean + cell.statistics.half, 6)));
    const auto& difference = cell.difference;
    if (!row.isBase && difference.half >= 0)
        lines << QStringLiteral("vs. %1: %2, 95 % CI (Welch) %3 to %4")
                     .arg(base, signedText(difference.value), signedText(difference.value - difference.half),
                          signedText(difference.value + difference.half));
    if (!row.isBase && difference.half >= 0 && !difference.isDistinguishable())
        lines << QStringLiteral("the CI contains 0: not distinguishable");
    return lines.join(QLatin1Char('\n'));
}

QColor cellColor(const GroupRow& row, const GroupRow::Cell& cell, const MetricValue& value) {
    if (cell.statistics.n == 0) return theme().muted;
    if (row.isBase || !value.ranked || !cell.difference.isDistinguishable()) return theme().text;
    return (cell.difference.value > 0) == value.higherIsBetter ? theme().good : theme().bad;
}

/// The groups' statistics, and how they differ from those of the base group.
void compareToBase(std::vector<GroupRow>& rows) {
    const auto base = std::ranges::find_if(rows, &GroupRow::isBase);
    if (base == rows.end()) return;
    for (GroupRow& row : rows)
        for (std::size_t v = 0; v < row.cells.size(); ++v)
            row.cells[v].difference =
                series::meanDifference(base->cells[v].statistics, row.cells[v].statistics);
}

}  // namespace

std::vector<GroupRow> groupRows(const std::vector<ComparedRun>& runs, const RunGrouping& grouping,
                                const std::vector<MetricValue>& values, const QStringList& hidden) {
    std::vector<GroupRow> rows;
    const auto& groups = grouping.groups();
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto& members = groups[g].members;
        GroupRow row{groups[g].title, groups[g].tip, runs[members.front()].id, RunGrouping::style(g),
                     static_cast<int>(members.size())};
        row.hidden = static_cast<int>(
            std::ranges::count_if(members, [&](std::size_t m) { return hidden.contains(runs[m].id); }));
        row.isBase = std::ranges::find(members, std::size_t{0}) != members.end();
        for (const MetricValue& value : values) {
            std::vector<double> found;
            for (const std::size_t member : members)
                if (const auto one = value.of(runs[member]); one && std::isfinite(*one))
                    found.push_back(*one);
            row.cells.push_back({series::sampleStatistics(found), {}});
        }
        rows.push_back(std::move(row));
    }
    compareToBase(rows);
    return rows;
}

CellRow groupColumns(const std::vector<MetricValue>& values, bool range) {
    CellRow columns{
        {{CellTableModel::kIdRole, QStringLiteral("title")}, {Qt::DisplayRole, QStringLiteral("group")}},
        {{CellTableModel::kIdRole, QStringLiteral("count")},
         {Qt::DisplayRole, QStringLiteral("n")},
         {Qt::ToolTipRole, QStringLiteral("members, hidden ones included")}}};
    for (const MetricValue& value : values) {
        const QString tip =
            value.doc.isEmpty() ? value.title : value.title + QStringLiteral(": ") + value.doc;
        columns.push_back(
            {{CellTableModel::kIdRole, value.id()}, {Qt::DisplayRole, value.title}, {Qt::ToolTipRole, tip}});
        for (const QString& end :
             range ? QStringList{QStringLiteral("lowest"), QStringLiteral("highest")} : QStringList())
            columns.push_back({{CellTableModel::kIdRole, value.id() + QLatin1Char(' ') + end},
                               {Qt::DisplayRole, end + QStringLiteral(" run")},
                               {Qt::ToolTipRole, tip}});
    }
    return columns;
}

std::vector<CellRow> groupCells(const std::vector<GroupRow>& rows, const std::vector<MetricValue>& values,
                                bool range) {
    const auto base = std::ranges::find_if(rows, &GroupRow::isBase);
    const QString baseTitle = base == rows.end() ? QString() : base->title;
    std::vector<CellRow> table;
    for (const GroupRow& row : rows) {
        const bool named = row.isBase && rows.size() > 1;
        CellRow cells{
            {{CellTableModel::kIdRole, row.title},
             {Qt::DisplayRole, named ? row.title + QStringLiteral("\nbaseline") : row.title},
             {kGroupSortRole, row.title},
             {Qt::ToolTipRole, row.tip},
             {Qt::DecorationRole, lineIcon(row.style)}},
            {{Qt::DisplayRole, row.hidden > 0 ? QStringLiteral("%1\n%2 hidden").arg(row.count).arg(row.hidden)
                                              : QString::number(row.count)},
             {kGroupSortRole, row.count},
             {Qt::ToolTipRole, row.tip},
             {Qt::FontRole, monoFont()}}};
        for (std::size_t v = 0; v < values.size(); ++v) {
            const GroupRow::Cell& cell = row.cells[v];
            const auto add = [&](const QString& text, double number, const QColor& color) {
                cells.push_back({{Qt::DisplayRole, text},
                                 {kGroupSortRole, numberOr(number)},
                                 {Qt::ToolTipRole, cellTip(row, cell, values[v].title, baseTitle)},
                                 {Qt::ForegroundRole, color},
                                 {Qt::FontRole, monoFont()}});
            };
            add(cellText(row, cell), cell.statistics.mean, cellColor(row, cell, values[v]));
            if (!range) continue;
            for (const double end : {cell.statistics.min, cell.statistics.max})
                add(numberText(end), end, theme().muted);
        }
        table.push_back(std::move(cells));
    }
    return table;
}

ViewTable groupTable(const std::vector<GroupRow>& rows, const std::vector<MetricValue>& values) {
    ViewTable table{QStringLiteral("Group means"), {"group", "n", "hidden"}, {}};
    for (const MetricValue& value : values)
        for (const char* part : {"mean", "± (95 %)", "n", "lowest run", "highest run", "difference",
                                 "± of the difference", "distinguishable"})
            table.columns << QStringLiteral("%1: %2").arg(value.title, QString::fromUtf8(part));
    for (const GroupRow& row : rows) {
        std::vector<ViewTable::Cell> cells{row.title, double(row.count), double(row.hidden)};
        const auto add = [&](double number) {
            cells.push_back(std::isnan(number) ? ViewTable::Cell(QString()) : ViewTable::Cell(number));
        };
        for (const GroupRow::Cell& cell : row.cells) {
            for (const double number : {cell.statistics.mean, cell.statistics.half, double(cell.statistics.n),
                                        cell.statistics.min, cell.statistics.max})
                add(number);
            const bool isCompared = !row.isBase && !std::isnan(cell.difference.half);
            add(row.isBase ? series::SampleStatistics::kNone : cell.difference.value);
            add(row.isBase ? series::SampleStatistics::kNone : cell.difference.half);
            cells.push_back(!isCompared                           ? QString()
                            : cell.difference.isDistinguishable() ? QStringLiteral("yes")
                                                                  : QStringLiteral("no"));
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

}  // namespace kurve::views
