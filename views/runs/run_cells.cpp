#include "views/runs/run_cells.h"

#include <algorithm>

#include "views/common/text/distinguishing_label.h"
#include "views/common/theme/theme.h"
#include "views/runs/run_table_model.h"

namespace kurve::views {

namespace {
constexpr int kMostPeers = 100;
constexpr double kGlyphOnly = 48;  ///< a column below this width shows no word
}  // namespace

NameDelegate::NameDelegate(QAbstractItemView* view) : QStyledItemDelegate(view), view_(view) {}

void NameDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (!index.data(RunTableModel::IdRole).isValid()) {  // of a group
        option->textElideMode = Qt::ElideRight;
        return;
    }
    const QStyle& style = *view_->style();
    const int available = style.subElementRect(QStyle::SE_ItemViewItemText, option, view_).width() -
                          2 * (style.pixelMetric(QStyle::PM_FocusFrameHMargin, option, view_) + 1) - px(8);
    const QFontMetrics& metrics = option->fontMetrics;
    if (available <= 0 || metrics.horizontalAdvance(option->text) <= available) return;
    option->text = distinguishingLabel(option->text, visibleNames(index.column()), available,
                                       [&](const QString& text) { return metrics.horizontalAdvance(text); });
}

QStringList NameDelegate::visibleNames(int column) const {
    const QAbstractItemModel& model = *view_->model();
    const int first = std::max(0, view_->indexAt({1, 0}).row()),
              last = view_->indexAt({1, view_->viewport()->height() - 1}).row();
    QStringList names;
    for (int row = first; row < (last < 0 ? model.rowCount() : last + 1) && names.size() < kMostPeers; ++row)
        names << model.index(row, column).data().toString();
    return names;
}

void StateDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (option->rect.width() >= px(kGlyphOnly)) return;
    option->text = option->text.section(QLatin1Char(' '), 0, 0);
    option->textElideMode = Qt::ElideNone;
}

}  // namespace kurve::views
