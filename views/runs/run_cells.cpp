#include "views/runs/run_cells.h"

#include <algorithm>

#include "views/common/telling_name.h"
#include "views/common/theme.h"

namespace kurve::views {

namespace {
constexpr int kMostPeers = 100;
constexpr double kSignAlone = 40;  ///< a column below this width has no room for a word
}  // namespace

NameDelegate::NameDelegate(QTableView* table) : QStyledItemDelegate(table), table_(table) {}

void NameDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    const QStyle& style = *table_->style();
    const int room = style.subElementRect(QStyle::SE_ItemViewItemText, option, table_).width() -
                     2 * (style.pixelMetric(QStyle::PM_FocusFrameHMargin, option, table_) + 1) - px(8);
    const QFontMetrics& metrics = option->fontMetrics;
    if (room <= 0 || metrics.horizontalAdvance(option->text) <= room) return;
    option->text = tellingName(option->text, inSight(index.column()), room,
                               [&](const QString& text) { return metrics.horizontalAdvance(text); });
}

QStringList NameDelegate::inSight(int column) const {
    const QAbstractItemModel& model = *table_->model();
    const int first = std::max(0, table_->rowAt(0)), last = table_->rowAt(table_->viewport()->height() - 1);
    QStringList names;
    for (int row = first; row < (last < 0 ? model.rowCount() : last + 1) && names.size() < kMostPeers; ++row)
        names << model.index(row, column).data().toString();
    return names;
}

void StateDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (option->rect.width() >= px(kSignAlone)) return;
    option->text = option->text.section(QLatin1Char(' '), 0, 0);
    option->textElideMode = Qt::ElideNone;
}

}  // namespace kurve::views
