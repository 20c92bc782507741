#include "views/compare/group_table_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "views/common/format.h"
#include "views/common/theme.h"

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
            row.cells.push_back({series::factsOf(found), {}});
        }
        rows_.push_back(std::move(row));
    }
    const auto base = std::find_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.isBase; });
    if (base != rows_.end()) base_ = base->title;
    for (Row& row : rows_)
        for (std::size_t v = 0; base != rows_.end() && v < values_.size(); ++v)
            row.cells[v].difference = series::meanDifference(base->cells[v].facts, row.cells[v].facts);
    endResetModel();
}

void GroupTableModel::setSpread(bool on) {
    if (on == spread_) return;
    beginResetModel();
    spread_ = on;
    endResetModel();
}

QString GroupTableModel::firstMember(int row) const {
    return row >= 0 && row < rowCount() ? rows_[static_cast<std::size_t>(row)].firstMember : QString();
}

int GroupTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int GroupTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : FirstValue + static_cast<int>(values_.size()) * (spread_ ? 3 : 1);
}

std::pair<std::size_t, GroupTableModel::Part> GroupTableModel::partOf(int column) const {
    const auto at = static_cast<std::size_t>(column - FirstValue);
    return spread_ ? std::pair(at / 3, static_cast<Part>(at % 3)) : std::pair(at, Part::Mean);
}

/// Mean and interval, and below it what that says against the base group.
QString GroupTableModel::cellText(const Row& row, const Cell& cell) const {
    if (cell.facts.n == 0) return QStringLiteral("–");
    QString text = numberText(cell.facts.mean);
    if (cell.facts.n > 1) text += QStringLiteral(" ± ") + numberText(cell.facts.half, 2);
    if (cell.facts.n != row.count) text += QStringLiteral("  (n %1)").arg(cell.facts.n);
    const auto& difference = cell.difference;
    if (row.isBase || std::isnan(difference.value)) return text;
    if (std::isnan(difference.half))
        return text + QStringLiteral("\n%1, no interval").arg(signedText(difference.value));
    if (!difference.isDistinguishable()) return text + QStringLiteral("\n≈ not distinguishable");
    return text + QStringLiteral("\n%1 %2 ± %3")
                      .arg(difference.value > 0 ? QStringLiteral("▲") : QStringLiteral("▼"),
                           numberText(std::abs(difference.value), 3), numberText(difference.half, 2));
}

QString GroupTableModel::cellTip(const Row& row, std::size_t v) const {
    const Cell& cell = row.cells[v];
    QStringList lines{QStringLiteral("%1, %2").arg(row.title, values_[v].title)};
    if (cell.facts.n == 0) return lines.front() + QStringLiteral(": no member has it");
    lines << QStringLiteral("mean %1 of n %2; lowest %3, highest %4")
                 .arg(numberText(cell.facts.mean, 6), QString::number(cell.facts.n),
                      numberText(cell.facts.least, 6), numberText(cell.facts.most, 6));
    lines << (cell.facts.n < 2 ? QStringLiteral("one value has no interval")
                               : QStringLiteral("95 % interval (Student) %1 to %2")
                                     .arg(numberText(cell.facts.mean - cell.facts.half, 6),
                                          numberText(cell.facts.mean + cell.facts.half, 6)));
    const auto& difference = cell.difference;
    if (!row.isBase && difference.half >= 0)
        lines << QStringLiteral("against %1: %2, 95 % interval (Welch) %3 to %4")
                     .arg(base_, signedText(difference.value), signedText(difference.value - difference.half),
                          signedText(difference.value + difference.half));
    if (!row.isBase && difference.half >= 0 && !difference.isDistinguishable())
        lines << QStringLiteral("0 is in it: these runs do not tell the two apart");
    return lines.join(QLatin1Char('\n'));
}

QVariant GroupTableModel::cellColor(const Row& row, std::size_t v) const {
    const Cell& cell = row.cells[v];
    if (cell.facts.n == 0) return theme().muted;
    if (row.isBase || !values_[v].ranked || !cell.difference.isDistinguishable()) return theme().text;
    return (cell.difference.value > 0) == values_[v].higherIsBetter ? theme().good : theme().bad;
}

QVariant GroupTableModel::titleData(const Row& row, int role) const {
    switch (role) {
        case Qt::DisplayRole:
            return row.isBase && rows_.size() > 1
                       ? row.title + QStringLiteral("\nthe others are measured against it")
                       : row.title;
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
    const double number = part == Part::Mean    ? cell.facts.mean
                          : part == Part::Least ? cell.facts.least
                                                : cell.facts.most;
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
    if (section == Count) return isTip ? QStringLiteral("members, hidden ones counted") : QStringLiteral("n");
    const auto [value, part] = partOf(section);
    const MetricValue& about = values_[value];
    if (isTip) return about.doc.isEmpty() ? about.title : about.title + QStringLiteral(": ") + about.doc;
    return part == Part::Mean    ? about.title
           : part == Part::Least ? QStringLiteral("lowest run")
                                 : QStringLiteral("highest run");
}

ViewTable GroupTableModel::table() const {
    ViewTable table{QStringLiteral("Means over the members of each group"), {"group", "n", "hidden"}, {}};
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
            for (const double number :
                 {cell.facts.mean, cell.facts.half, double(cell.facts.n), cell.facts.least, cell.facts.most})
                add(number);
            const bool isMeasured = !row.isBase && !std::isnan(cell.difference.half);
            add(row.isBase ? series::SampleFacts::kNone : cell.difference.value);
            add(row.isBase ? series::SampleFacts::kNone : cell.difference.half);
            cells.push_back(!isMeasured                           ? QString()
                            : cell.difference.isDistinguishable() ? QStringLiteral("yes")
                                                                  : QStringLiteral("no"));
        }
        table.rows.push_back(std::move(cells));
    }
    return table;
}

}  // namespace kurve::views
