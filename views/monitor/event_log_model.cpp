#include "views/monitor/event_log_model.h"

#include <QDateTime>
#include <algorithm>

#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

void EventLogModel::setRows(const GrowingList<store::EventRow>& log,
                            const GrowingList<store::EventRow>& events) {
    std::vector<store::EventRow> rows(log.begin(), log.end());
    rows.insert(rows.end(), events.begin(), events.end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.wall < b.wall; });
    const bool continues =
        rows.size() >= rows_.size() &&
        std::equal(rows_.begin(), rows_.end(), rows.begin(),
                   [](const auto& a, const auto& b) { return a.wall == b.wall && a.text == b.text; });
    if (continues && rows.size() == rows_.size()) return;
    if (!continues) {
        beginResetModel();
        rows_ = std::move(rows);
        endResetModel();
        return;
    }
    beginInsertRows({}, static_cast<int>(rows_.size()), static_cast<int>(rows.size()) - 1);
    rows_ = std::move(rows);
    endInsertRows();
}

int EventLogModel::rowAtStep(qint64 step) const {
    int found = -1;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (rows_[i].step <= step) found = static_cast<int>(i);
    return found;
}

int EventLogModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

QVariant EventLogModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const store::EventRow& row = rows_[static_cast<std::size_t>(index.row())];
    const bool bad = row.kind == "error" || row.kind == "non_finite" || row.kind == "nan";
    const bool warn =
        bad || row.kind == "warning" || row.kind == "warn" || row.kind == "alert" || row.kind == "collapse";
    switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
            if (index.column() == Step) return countText(row.step);
            if (index.column() == Kind) return qt(row.kind);
            if (index.column() == Text) return plainTip(qt(row.text));
            return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(row.wall * 1000))
                .toString(QStringLiteral("HH:mm:ss"));
        case Qt::ForegroundRole:
            if (bad) return theme().bad;
            if (warn) return theme().warn;
            return index.column() == Text ? QVariant() : QVariant(theme().muted);
        case Qt::TextAlignmentRole:
            return int((index.column() == Step ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        case StepRole:
            return static_cast<qlonglong>(row.step);
        default:
            return {};
    }
}

QVariant EventLogModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= Columns)
        return {};
    static const QStringList kTitles{tr("Time"), tr("Step"), tr("Kind"), tr("Text")};
    return kTitles[section];
}

}  // namespace kurve::views
