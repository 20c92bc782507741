#include "views/compare/group_table_model.h"

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

}  // namespace

void GroupTableModel::setGroups(const std::vector<ComparedRun>& runs, const RunGrouping& grouping,
                                const std::vector<MetricValue>& values, const QStringList& hidden) {
    beginResetModel();
    values_ = values;
    rows_.clear();
    base_.clear();
    const auto& groups = grouping.groups();
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto& members = groups[g].members;
        Row row{groups[g].title, groups[g].tip, runs[members.front()].id, RunGrouping::style(g),
                static_cast<int>(members.size())};
        row.hidden = static_cast<int>(std::count_if(
            members.begin(), members.end(), [&](std::size_t m) { return hidden.contains(runs[m].id); }));
        row.isBase = std::find(members.begin(), members.end(), std::size_t{0}) != members.end();
        for (const MetricValue& value : values_) {
            std::vector<double> found;
            for (const std::size_t member : members)
                if (const auto one = value.of(runs[member]); one && std::isfinite(*one))
                    found.push_back(*one);
            row.cells.push_back({series::sampleStatistics(found), {}});
        }
        rows_.push_back(std::move(row));
    }
    const auto base = std::find_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.isBase; });
    if (base != rows_.end()) base_ = base->title;
    for (Row& row : rows_)
        for (std::size_t v = 0; base != rows_.end() && v < values_.size(); ++v)
            row.cells[v].difference =
                series::meanDifference(base->cells[v].statistics, row.cells[v].statistics);
    endResetModel();
}

void GroupTableModel::setRange(bool on) {
    if (on == range_) return;
    beginResetModel();
    range_ = on;
    endResetModel();
}

QString GroupTableModel::firstMember(int row) const {
    return row >= 0 && row < rowCount() ? rows_[static_cast<std::size_t>(row)].firstMember : QString();
}

int GroupTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int GroupTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : FirstValue + static_cast<int>(values_.size()) * (range_ ? 3 : 1);
}

std::pair<std::size_t, GroupTableModel::Part> GroupTableModel::partOf(int column) const {
    const auto at = static_cast<std::size_t>(column - FirstValue);
    return range_ ? std::pair(at / 3, static_cast<Part>(at % 3)) : std::pair(at, Part::Mean);
}

QString GroupTableModel::columnId(int column) const {
    if (column < 0 || column >= columnCount()) return {};
    if (column < FirstValue) return QLatin1String(column == Title ? "title" : "count");
    const auto [value, part] = partOf(column);
    const char* const suffixes[] = {"", " lowest", " highest"};
    return values_[value].id() + QLatin1String(suffixes[static_cast<std::size_t>(part)]);
}

int GroupTableModel::columnOf(const QString& id) const {
    for (int column = 0; column < columnCount(); ++column)
        if (columnId(column) == id) return column;
    return -1;
}

/// Mean and interval, below it the difference to the base group.
QString GroupTableModel::cellText(const Row& row, const Cell& cell) const {
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

QString GroupTableModel::cellTip(const Row& row, std::size_t v) const {
    const Cell& cell = row.cells[v];
    QStringList lines{QStringLiteral("%1, %2").arg(row.title, values_[v].title)};
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
                     .arg(base_, signedText(difference.value), signedText(difference.value - difference.half),
                          signedText(difference.value + difference.half));
    if (!row.isBase && difference.half >= 0 && !difference.isDistinguishable())
        lines << QStringLiteral("the CI contains 0: not distinguishable");
    return lines.join(QLatin1Char('\n'));
}

QVariant GroupTableModel::cellColor(const Row& row, std::size_t v) const {
    const Cell& cell = row.cells[v];
    if (cell.statistics.n == 0) return theme().muted;
    if (row.isBase || !values_[v].ranked || !cell.difference.isDistinguishable()) return theme().text;
    return (cell.difference.value > 0) == values_[v].higherIsBetter ? theme().good : theme().bad;
}

QVariant GroupTableModel::titleData(const Row& row, int role) const {
    switch (role) {
        case Qt::DisplayRole:
            return row.isBase && rows_.size() > 1 ? row.title + QStringLiteral("\nbaseline") : row.title;
        case kSortRole:
            return row.title;
        case Qt::ToolTipRole:
            return row.tip;
        case Qt::DecorationRole:
            return lineIcon(row.style);
        default:
            return {};
    }
}

QVariant GroupTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    if (index.column() == Title) return titleData(row, role);
    if (role == Qt::FontRole) return monoFont();
    if (index.column() == Count) {
        if (role == kSortRole) return row.count;
        if (role == Qt::ToolTipRole) return row.tip;
        if (role != Qt::DisplayRole) return {};
        return row.hidden > 0 ? QStringLiteral("%1\n%2 hidden").arg(row.count).arg(row.hidden)
                              : QString::number(row.count);
    }
    const auto [value, part] = partOf(index.column());
    const Cell& cell = row.cells[value];
    const double number = part == Part::Mean  ? cell.statistics.mean
                          : part == Part::Min ? cell.statistics.min
                                              : cell.statistics.max;
    switch (role) {
        case Qt::DisplayRole:
            return part == Part::Mean ? cellText(row, cell) : numberText(number);
        case kSortRole:
            return numberOr(number);
        case Qt::ToolTipRole:
            return cellTip(row, value);
        case Qt::ForegroundRole:
            return part == Part::Mean ? cellColor(row, value) : QVariant(theme().muted);
        default:
            return {};
    }
}

QVariant GroupTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    const bool isTip = role == Qt::ToolTipRole;
    if (!isTip && role != Qt::DisplayRole) return {};
    if (section == Title) return QStringLiteral("group");
    if (section == Count)
        return isTip ? QStringLiteral("members, hidden ones included") : QStringLiteral("n");
    const auto [value, part] = partOf(section);
    const MetricValue& about = values_[value];
    if (isTip) return about.doc.isEmpty() ? about.title : about.title + QStringLiteral(": ") + about.doc;
    return part == Part::Mean  ? about.title
           : part == Part::Min ? QStringLiteral("lowest run")
                               : QStringLiteral("highest run");
}

ViewTable GroupTableModel::table() const {
    ViewTable table{QStringLiteral("Group means"), {"group", "n", "hidden"}, {}};
    for (const MetricValue& value : values_)
        for (const char* part : {"mean", "± (95 %)", "n", "lowest run", "highest run", "difference",
                                 "± of the difference", "distinguishable"})
            table.columns << QStringLiteral("%1: %2").arg(value.title, QString::fromUtf8(part));
    for (const Row& row : rows_) {
        std::vector<ViewTable::Cell> cells{row.title, double(row.count), double(row.hidden)};
        const auto add = [&](double number) {
            cells.push_back(std::isnan(number) ? ViewTable::Cell(QString()) : ViewTable::Cell(number));
        };
        for (const Cell& cell : row.cells) {
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
