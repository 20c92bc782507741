#include "views/runs/run_table_model.h"

#include <QPainter>
#include <algorithm>
#include <utility>

#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/data/run_catalog.h"
#include "views/common/table/view_table.h"
#include "views/common/text/format.h"
#include "views/common/theme/cached_icon.h"
#include "views/common/theme/theme.h"
#include "views/runs/row_changes.h"

namespace kurve::views {

namespace {

struct FixedColumn {
    const char *id, *title;
};
constexpr FixedColumn kFixed[RunTableModel::FirstChosen] = {
    {"star", "★"},
    {"name", QT_TRANSLATE_NOOP("kurve::views::RunTableModel", "Run")},
    {"state", QT_TRANSLATE_NOOP("kurve::views::RunTableModel", "State")},
    {"step", QT_TRANSLATE_NOOP("kurve::views::RunTableModel", "Step")},
    {"started", QT_TRANSLATE_NOOP("kurve::views::RunTableModel", "Started")},
    {"family", QT_TRANSLATE_NOOP("kurve::views::RunTableModel", "Family")}};

// Colour, dash and marker of the run as the charts draw it.
QPixmap swatch(const RunStyle& style) {
    QPixmap pixmap(px(18), px(12));
    pixmap.fill(Qt::transparent);
    QCPPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(style.pen(2));
    const QPointF middle(pixmap.width() / 2.0, pixmap.height() / 2.0);
    painter.drawLine(QPointF(1, middle.y()), QPointF(pixmap.width() - 1, middle.y()));
    const QCPScatterStyle marker = runMarker(style, 7);
    marker.applyTo(&painter, QPen(style.color));
    marker.drawShape(&painter, middle);
    return pixmap;
}

// A run hidden in charts: an empty ring.
QPixmap hiddenSwatch(const RunStyle& style) {
    QPixmap pixmap(px(18), px(12));
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(style.color, theme().scale));
    painter.drawEllipse(QPointF(pixmap.width() / 2.0, pixmap.height() / 2.0), px(3), px(3));
    return pixmap;
}

// Without it a selected row would tint the pixmap, unlike in the charts.
QIcon plainIcon(const QPixmap& pixmap) {
    QIcon icon(pixmap);
    icon.addPixmap(pixmap, QIcon::Selected);
    return icon;
}

}  // namespace

QIcon runSwatch(const QString& id) {
    return cachedIcon("run", runStyle(id), [](const RunStyle& style) { return plainIcon(swatch(style)); });
}

std::vector<RunColumn> RunTableModel::wantedColumns() const {
    std::vector<RunColumn> columns;
    for (const RunColumn& column : chosen_ ? *chosen_ : defaultColumns(keys_)) {
        columns.push_back(column);
        const bool isMetric = column.kind == RunColumn::Kind::Metric;
        if (values_.baseline().empty() || column.kind == RunColumn::Kind::Setting || (chosen_ && !isMetric))
            continue;
        if (!isMetric) columns.push_back({RunColumn::Kind::Metric, column.key});  // whose difference it is
        columns.push_back({RunColumn::Kind::Delta, column.key});
    }
    return columns;
}

void RunTableModel::layOutColumns() {
    std::vector<RunColumn> columns = wantedColumns();
    if (columns == columns_) return;
    beginResetModel();
    columns_ = std::move(columns);
    endResetModel();
}

void RunTableModel::readBaseline() {
    values_.setBaseline(at(rowOf(baseline_)));
}

void RunTableModel::setEngine(const EngineInfo* engine) {
    values_.setEngine(engine);
    if (!runs_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void RunTableModel::setBaseline(const QString& id) {
    baseline_ = id;
    readBaseline();
    layOutColumns();
    if (!runs_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void RunTableModel::chooseColumns(std::optional<std::vector<RunColumn>> chosen) {
    chosen_ = std::move(chosen);
    layOutColumns();
}

std::vector<RunColumn> RunTableModel::chosenColumns() const {
    std::vector<RunColumn> columns = columns_;
    std::erase_if(columns, [](const auto& column) { return column.kind == RunColumn::Kind::Delta; });
    return columns;
}

const RunColumn* RunTableModel::chosenAt(int column) const {
    return column >= FirstChosen && column < columnCount()
               ? &columns_[static_cast<std::size_t>(column - FirstChosen)]
               : nullptr;
}

QString RunTableModel::columnId(int column) const {
    if (const RunColumn* chosen = chosenAt(column)) return chosen->id();
    return column >= 0 && column < FirstChosen ? QLatin1String(kFixed[column].id) : QString();
}

int RunTableModel::columnOf(const QString& id) const {
    for (int column = 0; column < columnCount(); ++column)
        if (columnId(column) == id) return column;
    return -1;
}

void RunTableModel::setRuns(const store::RunList& list) {
    const store::RunList before = std::exchange(list_, list);  // keeps the old rows alive for the comparison
    const std::vector<store::RunSummary>& runs = *list_;
    const auto changes = runs_.empty() ? std::nullopt : rowChanges(rows_, runs);
    if (!changes) return reset();
    for (auto block = changes->removed.rbegin(); block != changes->removed.rend(); ++block) {
        beginRemoveRows({}, block->first, block->first + block->count - 1);
        runs_.erase(runs_.begin() + block->first, runs_.begin() + block->first + block->count);
        indexRows();
        endRemoveRows();
    }
    for (const RowBlock& block : changes->added) {
        beginInsertRows({}, block.first, block.first + block.count - 1);
        const auto first =
            runs_.insert(runs_.begin() + block.first, static_cast<std::size_t>(block.count), nullptr);
        std::transform(runs.begin() + block.first, runs.begin() + block.first + block.count, first,
                       [](const store::RunSummary& run) { return &run; });
        std::for_each(first, first + block.count, [this](const auto* run) { keys_.add(*run); });
        indexRows();
        endInsertRows();
    }
    const std::vector<int> other = takeChanges();
    readBaseline();
    layOutColumns();
    reportChanges(other);
    updateGroups();
}

void RunTableModel::setGrouping(RunGroupBy by) {
    if (std::exchange(grouping_, by) == by) return;
    updateGroups();
    if (!runs_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

void RunTableModel::updateGroups() {
    std::vector<RunGroup> groups = groupsOf(runs_, grouping_);
    if (groups.empty() && groups_.empty()) return;
    const int first = runCount(), last = rowCount() - 1;
    const bool same = std::ranges::equal(groups, groups_, {}, &RunGroup::key, &RunGroup::key);
    if (same) {  // a filter decides about them again: which of their runs it accepts may have changed
        groups_ = std::move(groups);
        return Q_EMIT dataChanged(index(first, 0), index(last, columnCount() - 1));
    }
    if (last >= first) {
        beginRemoveRows({}, first, last);
        groups_.clear();
        endRemoveRows();
    }
    if (groups.empty()) return;
    beginInsertRows({}, first, first + static_cast<int>(groups.size()) - 1);
    groups_ = std::move(groups);
    endInsertRows();
}

void RunTableModel::reset() {
    beginResetModel();
    runs_.clear();
    for (const store::RunSummary& run : *list_) runs_.push_back(&run);
    for (const store::RunSummary* run : runs_) keys_.add(*run);
    edited_.clear();
    indexRows();
    readBaseline();
    columns_ = wantedColumns();
    groups_ = groupsOf(runs_, grouping_);
    endResetModel();
}

void RunTableModel::indexRows() {
    rows_.clear();
    for (std::size_t row = 0; row < runs_.size(); ++row) rows_[runs_[row]->id] = static_cast<int>(row);
}

/// Takes over the new list; returns the rows that changed.
std::vector<int> RunTableModel::takeChanges() {
    std::vector<int> rows;
    for (std::size_t row = 0; row < runs_.size(); ++row) {
        const store::RunSummary& now = (*list_)[row];
        if (isSameRun(*std::exchange(runs_[row], &now), now)) continue;
        keys_.add(now);
        rows.push_back(static_cast<int>(row));
    }
    edited_.clear();
    return rows;
}

/// Filtering, sorting and painting cost per row, and of thousands one trains. A change of the baseline
/// affects every row.
void RunTableModel::reportChanges(const std::vector<int>& rows) {
    const bool all = !baseline_.isEmpty() && std::ranges::find(rows, rowOf(baseline_)) != rows.end();
    if (all) return Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    for (const int row : rows) Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
}

void RunTableModel::setLostSince(const QMap<QString, double>& runs) {
    if (std::exchange(lostSince_, runs) == runs) return;
    if (!runs_.empty()) Q_EMIT dataChanged(index(0, State), index(runCount() - 1, State));
}

const store::RunSummary* RunTableModel::at(int row) const {
    return row >= 0 && row < static_cast<int>(runs_.size()) ? runs_[static_cast<std::size_t>(row)] : nullptr;
}

void RunTableModel::setHidden(const QStringList& ids) {
    hidden_ = ids;
    if (!runs_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int RunTableModel::rowOf(const QString& id) const {
    const auto found = rows_.find(id.toStdString());
    return found == rows_.end() ? -1 : found->second;
}

int RunTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(runs_.size() + groups_.size());
}
int RunTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : FirstChosen + static_cast<int>(columns_.size());
}

QVariant RunTableModel::text(const store::RunSummary& run, int column) const {
    switch (column) {
        case Star:
            return run.starred ? QStringLiteral("★") : QStringLiteral("☆");
        case Name:
            return runName(run);
        case Family:
            return qt(run.family);
        case State: {
            const double lost = lostSince_.value(qt(run.id), 0);
            const StateStyle state = stateStyle(lost > 0 ? "lost_contact" : run.state);
            const QString text = QStringLiteral("%1 %2").arg(state.glyph, state.text);
            return lost > 0 ? tr("%1 since %2").arg(text, momentText(lost)) : text;
        }
        case Step:
            return countText(run.step);
        case Started:
            return momentText(run.started);
        default:
            break;
    }
    return values_.text(run, *chosenAt(column));
}

QVariant RunTableModel::sortKey(const store::RunSummary& run, int column) const {
    switch (column) {
        case Star:
            return run.starred ? 0 : 1;
        case Step:
            return static_cast<qlonglong>(run.step);
        case Started:
            return run.started;
        case Name:
            return runName(run).toCaseFolded();
        default:
            break;
    }
    const RunColumn* chosen = chosenAt(column);
    return chosen ? values_.sortKey(run, *chosen) : text(run, column);
}

QString RunTableModel::remarkOf(const store::RunSummary& run, int column) const {
    const RunColumn* chosen = chosenAt(column);
    return chosen ? values_.remark(run, *chosen) : QString();
}

QVariant RunTableModel::color(const store::RunSummary& run, int column) const {
    if (column == State)
        return stateStyle(lostSince_.contains(qt(run.id)) ? "lost_contact" : run.state).color;
    if (column == Star) return run.starred ? theme().warn : theme().faint;
    if (const RunColumn* chosen = chosenAt(column))
        if (const QVariant own = values_.color(run, *chosen); own.isValid()) return own;
    return column == Name ? QVariant() : QVariant(theme().muted);
}

QVariant RunTableModel::alignment(int column) const {
    const RunColumn* chosen = chosenAt(column);
    if (column == Step || (chosen && chosen->kind != RunColumn::Kind::Setting))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    return column == Star ? int(Qt::AlignCenter) : int(Qt::AlignLeft | Qt::AlignVCenter);
}

QString RunTableModel::tip(const store::RunSummary& run, int column) const {
    QString text = QStringLiteral("<b>%1</b><br>%2").arg(qt(run.name).toHtmlEscaped(), qt(run.id));
    text += QStringLiteral("<br>%1").arg(this->text(run, State).toString().section(QLatin1Char(' '), 1));
    if (!run.reason.empty()) text += QStringLiteral(": %1").arg(qt(run.reason).toHtmlEscaped());
    if (hidden_.contains(qt(run.id))) text += tr("<br>hidden in charts (H)");
    if (!run.machine.empty()) text += tr("<br>trained on %1").arg(qt(run.machine).toHtmlEscaped());
    if (!run.parent.empty()) text += tr("<br>forked from %1").arg(qt(run.parent));
    if (!run.tags.empty()) {
        QStringList tags;
        for (const auto& tag : run.tags) tags << qt(tag);
        text += tr("<br>tags: %1").arg(tags.join(QStringLiteral(", ")).toHtmlEscaped());
    }
    if (qt(run.id) == baseline_) text += tr("<br>the baseline (B)");
    if (const QString remark = remarkOf(run, column); !remark.isEmpty())
        text += QStringLiteral("<br>%1").arg(remark.toHtmlEscaped());
    return text;
}

QVariant RunTableModel::groupData(const RunGroup& group, int column, int role) const {
    if (role == GroupRole) return group.key;
    if (column == Step && role == Qt::TextAlignmentRole) return alignment(column);
    if (column == Step && role == Qt::ToolTipRole) return tr("Runs of the group");
    if (column != Name) return {};
    if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return group.title;
    QFont font;
    font.setBold(true);
    return role == Qt::FontRole ? font : QVariant();
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.column() >= columnCount()) return {};
    if (const int group = index.row() - runCount(); group >= 0 && group < static_cast<int>(groups_.size()))
        return groupData(groups_[static_cast<std::size_t>(group)], index.column(), role);
    const store::RunSummary* run = at(index.row());
    if (!run) return {};
    const int column = index.column();
    const bool hidden = !hidden_.isEmpty() && hidden_.contains(qt(run->id));
    switch (role) {
        case Qt::DisplayRole:
            return text(*run, column);
        case Qt::EditRole:
            return column == Name ? QVariant(qt(run->name)) : QVariant();
        case Qt::DecorationRole:
            if (column != Name) return {};
            if (!hidden) return runSwatch(qt(run->id));
            return cachedIcon("hidden", {theme().faint},
                              [](const RunStyle& style) { return plainIcon(hiddenSwatch(style)); });
        case Qt::ToolTipRole:
            return tip(*run, column);
        case Qt::ForegroundRole:
            if (run->trashed || (hidden && column == Name)) return theme().faint;
            return color(*run, column);
        case Qt::TextAlignmentRole:
            return alignment(column);
        case Qt::AccessibleTextRole:
            if (column == Star) return run->starred ? tr("starred") : tr("not starred");
            if (column == Name && hidden)
                return tr("%1, hidden in charts").arg(text(*run, column).toString());
            return (text(*run, column).toString() + QLatin1Char(' ') + remarkOf(*run, column)).trimmed();
        case kExportRole:
            if (column == Star) return run->starred ? 1 : 0;
            return column == Step || column >= FirstChosen ? sortKey(*run, column) : QVariant();
        case IdRole:
            return qt(run->id);
        case SortRole:
            return sortKey(*run, column);
        case GroupRole:
            return groupKey(*run, grouping_);
        default:
            return {};
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const RunColumn* chosen = chosenAt(section);
    if (role == Qt::TextAlignmentRole) return section == Star ? QVariant() : alignment(section);
    if (role == Qt::ToolTipRole && chosen) return values_.headerTip(*chosen);
    if (role != Qt::DisplayRole) return {};
    return chosen ? chosen->title() : tr(kFixed[section].title);
}

Qt::ItemFlags RunTableModel::flags(const QModelIndex& index) const {
    if (index.row() >= runCount()) return index.isValid() ? Qt::ItemIsEnabled : Qt::NoItemFlags;
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() == Name) flags |= Qt::ItemIsEditable;
    return flags;
}

bool RunTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    const store::RunSummary* run = index.isValid() ? at(index.row()) : nullptr;
    if (!run || role != Qt::EditRole || index.column() != Name) return false;
    const QString name = value.toString().trimmed();
    if (name.isEmpty() || name == qt(run->name)) return false;
    store::RunSummary& edited = edited_.emplace_back(*run);
    edited.name = name.toStdString();
    edited.version = 0;  // differs from the catalog's next version
    runs_[static_cast<std::size_t>(index.row())] = &edited;
    Q_EMIT dataChanged(index, index);
    Q_EMIT renameRequested(qt(edited.id), name);
    return true;
}

}  // namespace kurve::views
