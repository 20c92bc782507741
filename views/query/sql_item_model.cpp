#include "views/query/sql_item_model.h"

#include "views/common/table/view_table.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {
constexpr int kLongestShown = 300;  ///< characters; the tooltip and the export have all
}

void SqlItemModel::setTable(store::SqlTable table) {
    beginResetModel();
    table_ = std::move(table);
    endResetModel();
}

int SqlItemModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}
int SqlItemModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

QVariant SqlItemModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= columnCount()) return {};
    const nlohmann::json& value =
        table_.rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    const QString text = value.is_null()     ? QStringLiteral("NULL")
                         : value.is_string() ? QString::fromStdString(value.get_ref<const std::string&>())
                                             : QString::fromStdString(value.dump());
    switch (role) {
        case Qt::DisplayRole:
            return value.is_number_float()
                       ? numberText(value.get<double>(), 8)
                       : text.left(kLongestShown).replace(QLatin1Char('\n'), QLatin1Char(' '));
        case Qt::ToolTipRole:
            return text.size() > 40 ? QVariant(plainTip(text.left(4000))) : QVariant();
        case kExportRole:
            if (value.is_null()) return QString();
            return value.is_number() ? QVariant(value.get<double>()) : QVariant(text);
        case Qt::TextAlignmentRole:
            return static_cast<int>(value.is_number() ? Qt::AlignRight | Qt::AlignVCenter
                                                      : Qt::AlignLeft | Qt::AlignVCenter);
        case Qt::ForegroundRole:
            return value.is_null() ? QVariant(theme().faint) : QVariant();
        case Qt::FontRole:
            return monoFont();
        default:
            return {};
    }
}

QVariant SqlItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole || section < 0) return {};
    if (orientation == Qt::Vertical) return section + 1;
    return section < columnCount() ? QString::fromStdString(table_.columns[static_cast<std::size_t>(section)])
                                   : QVariant();
}

}  // namespace kurve::views
