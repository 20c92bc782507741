#include "views/runs/run_table_model.h"

#include <QIcon>
#include <QPainter>
#include <algorithm>
#include <limits>
#include <set>

#include "views/common/format.h"
#include "views/common/theme.h"
#include "views/common/view_table.h"

namespace kurve::views {

namespace {

constexpr std::size_t kMostMetrics = 12;
constexpr const char* kFrontArea = "front_area";  // of the index: see frontier::frontArea()

// Colour, dash and marker of the run as the charts draw it.
QPixmap swatch(const QString& id) {
    const RunStyle style = runStyle(id);
    QPixmap pixmap(px(18), px(12));
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(style.pen(2));
    painter.drawLine(QPointF(1, pixmap.height() / 2.0), QPointF(pixmap.width() - 1, pixmap.height() / 2.0));
    painter.setPen(Qt::NoPen);
    painter.setBrush(style.color);
    const QPointF c(pixmap.width() / 2.0, pixmap.height() / 2.0);
    const double r = px(3);
    if (style.marker % 3 == 1)
        painter.drawRect(QRectF(c.x() - r, c.y() - r, 2 * r, 2 * r));
    else if (style.marker % 3 == 2)
        painter.drawPolygon(QPolygonF(
            {c + QPointF(0, -r - 1), c + QPointF(r + 1, 0), c + QPointF(0, r + 1), c + QPointF(-r - 1, 0)}));
    else
        painter.drawEllipse(c, r, r);
    return pixmap;
}

// Of a run that no chart draws: an empty ring.
QPixmap hiddenSwatch() {
    QPixmap pixmap(px(18), px(12));
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().faint, theme().scale));
    painter.drawEllipse(QPointF(pixmap.width() / 2.0, pixmap.height() / 2.0), px(3), px(3));
    return pixmap;
}

// A selected row would tint a pixmap: the run would have another colour than in the charts.
QIcon plainIcon(const QPixmap& pixmap) {
    QIcon icon(pixmap);
    icon.addPixmap(pixmap, QIcon::Selected);
    return icon;
}

QString qt(const std::string& text) {
    return QString::fromStdString(text);
}

}  // namespace

void RunTableModel::setMetrics(const std::vector<store::RunSummary>& runs) {
    std::set<std::string> names;
    for (const auto& run : runs)
        for (const auto& [name, value] : run.metrics) names.insert(name);
    // Quality first: what a reader compares runs by.
    std::vector<std::string> ordered;
    for (const char* first : {"bleu", "valid_loss", "valid_nll", "loss", kFrontArea})
        if (names.erase(first)) ordered.emplace_back(first);
    for (const std::string& name : names)
        if (ordered.size() < kMostMetrics) ordered.push_back(name);
    if (ordered == metrics_) return;
    beginResetModel();
    metrics_ = std::move(ordered);
    endResetModel();
}

void RunTableModel::setRuns(const std::vector<store::RunSummary>& runs) {
    setMetrics(runs);
    const bool sameHead =
        runs.size() >= runs_.size() && std::equal(runs_.begin(), runs_.end(), runs.begin(),
                                                  [](const auto& a, const auto& b) { return a.id == b.id; });
    if (!sameHead) {
        beginResetModel();
        runs_ = runs;
        endResetModel();
        return;
    }
    const int before = static_cast<int>(runs_.size()), after = static_cast<int>(runs.size());
    std::copy(runs.begin(), runs.begin() + before, runs_.begin());
    if (before > 0) Q_EMIT dataChanged(index(0, 0), index(before - 1, columnCount() - 1));
    if (after == before) return;
    beginInsertRows({}, before, after - 1);
    runs_ = runs;
    endInsertRows();
}

const store::RunSummary* RunTableModel::at(int row) const {
    return row >= 0 && row < static_cast<int>(runs_.size()) ? &runs_[static_cast<std::size_t>(row)] : nullptr;
}

void RunTableModel::setHidden(const QStringList& ids) {
    hidden_ = ids;
    if (!runs_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int RunTableModel::rowOf(const QString& id) const {
    const std::string wanted = id.toStdString();
    const auto found =
        std::find_if(runs_.begin(), runs_.end(), [&](const auto& run) { return run.id == wanted; });
    return found == runs_.end() ? -1 : static_cast<int>(found - runs_.begin());
}

int RunTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}
int RunTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : FirstMetric + static_cast<int>(metrics_.size());
}

QVariant RunTableModel::text(const store::RunSummary& run, int column) const {
    switch (column) {
        case Star:
            return run.starred ? QStringLiteral("★") : QStringLiteral("☆");
        case Name:
            return qt(run.name.empty() ? run.id : run.name);
        case Family:
            return qt(run.family);
        case State: {
            const StateLook look = stateLook(run.state);
            return QStringLiteral("%1 %2").arg(look.glyph, look.text);
        }
        case Step:
            return countText(run.step);
        case Started:
            return momentText(run.started);
        default:
            break;
    }
    const auto value = run.metrics.find(metrics_[static_cast<std::size_t>(column - FirstMetric)]);
    return value == run.metrics.end() ? QString() : numberText(value->second);
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
            return qt(run.name.empty() ? run.id : run.name).toCaseFolded();
        default:
            break;
    }
    if (column < FirstMetric) return text(run, column);
    const auto value = run.metrics.find(metrics_[static_cast<std::size_t>(column - FirstMetric)]);
    return value == run.metrics.end() ? -std::numeric_limits<double>::infinity() : value->second;
}

QVariant RunTableModel::exportValue(const store::RunSummary& run, int column) const {
    if (column == Star) return run.starred ? 1 : 0;
    if (column == Step) return static_cast<qlonglong>(run.step);
    if (column < FirstMetric) return {};
    const auto value = run.metrics.find(metrics_[static_cast<std::size_t>(column - FirstMetric)]);
    return value == run.metrics.end() ? QVariant() : QVariant(value->second);
}

QString RunTableModel::tip(const store::RunSummary& run) const {
    QString text = QStringLiteral("<b>%1</b><br>%2").arg(qt(run.name).toHtmlEscaped(), qt(run.id));
    text += QStringLiteral("<br>%1").arg(stateLook(run.state).text);
    if (!run.reason.empty()) text += QStringLiteral(": %1").arg(qt(run.reason).toHtmlEscaped());
    if (hidden_.contains(qt(run.id))) text += tr("<br>hidden in the charts (H)");
    if (!run.parent.empty()) text += tr("<br>forked from %1").arg(qt(run.parent));
    if (!run.tags.empty()) {
        QStringList tags;
        for (const auto& tag : run.tags) tags << qt(tag);
        text += tr("<br>tags: %1").arg(tags.join(QStringLiteral(", ")).toHtmlEscaped());
    }
    return text;
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const {
    const store::RunSummary* run = at(index.row());
    if (!run || index.column() >= columnCount()) return {};
    const int column = index.column();
    const bool hidden = !hidden_.isEmpty() && hidden_.contains(qt(run->id));
    switch (role) {
        case Qt::DisplayRole:
            return text(*run, column);
        case Qt::EditRole:
            return column == Name ? QVariant(qt(run->name)) : QVariant();
        case Qt::DecorationRole:
            if (column != Name) return {};
            return plainIcon(hidden ? hiddenSwatch() : swatch(qt(run->id)));
        case Qt::ToolTipRole:
            return tip(*run);
        case Qt::ForegroundRole:
            if (run->trashed || (hidden && column == Name)) return theme().faint;
            if (column == State) return stateLook(run->state).color;
            if (column == Star) return run->starred ? theme().warn : theme().faint;
            return column == Name ? QVariant() : QVariant(theme().muted);
        case Qt::TextAlignmentRole:
            if (column == Step || column >= FirstMetric) return int(Qt::AlignRight | Qt::AlignVCenter);
            return column == Star ? int(Qt::AlignCenter) : int(Qt::AlignLeft | Qt::AlignVCenter);
        case Qt::AccessibleTextRole:
            if (column == Star) return run->starred ? tr("starred") : tr("not starred");
            if (column == Name && hidden)
                return tr("%1, hidden in the charts").arg(text(*run, column).toString());
            return text(*run, column);
        case kExportRole:
            return exportValue(*run, column);
        case IdRole:
            return qt(run->id);
        case SortRole:
            return sortKey(*run, column);
        case TrashedRole:
            return run->trashed;
        case StateRole:
            return qt(run->state);
        case ProgressRole:
            return run->totalSteps > 0 ? static_cast<double>(run->step) / static_cast<double>(run->totalSteps)
                                       : -1.0;
        default:
            return {};
    }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    if (role == Qt::TextAlignmentRole)
        return section == Step || section >= FirstMetric ? int(Qt::AlignRight | Qt::AlignVCenter)
                                                         : int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section >= FirstMetric &&
        metrics_[static_cast<std::size_t>(section - FirstMetric)] == kFrontArea)
        return tr(
            "Accuracy and diversity: the area that the front of the run's sweeps reaches with distinct-2 "
            "(0 to 1) and chrF / 100, above the corner (0, 0). More is better; compare runs that decoded "
            "the same sentences.");
    if (role != Qt::DisplayRole) return {};
    static const QStringList kTitles{QStringLiteral("★"), tr("Run"),     tr("State"),
                                     tr("Step"),          tr("Started"), tr("Family")};
    if (section < FirstMetric) return kTitles[section];
    return qt(metrics_[static_cast<std::size_t>(section - FirstMetric)]);
}

Qt::ItemFlags RunTableModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (index.isValid() && index.column() == Name) flags |= Qt::ItemIsEditable;
    return flags;
}

bool RunTableModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    store::RunSummary* run =
        index.isValid() && index.row() < rowCount() ? &runs_[static_cast<std::size_t>(index.row())] : nullptr;
    if (!run || role != Qt::EditRole || index.column() != Name) return false;
    const QString name = value.toString().trimmed();
    if (name.isEmpty() || name == qt(run->name)) return false;
    run->name = name.toStdString();
    Q_EMIT dataChanged(index, index);
    Q_EMIT renameRequested(qt(run->id), name);
    return true;
}

}  // namespace kurve::views
