#include "views/compare/run_columns_table.h"

#include <QHeaderView>
#include <algorithm>
#include <vector>

#include "views/common/form/controls.h"
#include "views/common/text/distinguishing_label.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr double kMaxFrozenFraction = 0.5;  ///< of the width, for the first column

class DistinguishingHeader : public QHeaderView {
public:
    explicit DistinguishingHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {}

protected:
    void initStyleOptionForIndex(QStyleOptionHeader* option, int section) const override {
        QHeaderView::initStyleOptionForIndex(option, section);
        QStringList titles;
        for (int column = 1; column < count(); ++column)
            titles << model()->headerData(column, Qt::Horizontal).toString();
        const int icon = option->icon.isNull() ? 0 : px(26) + px(6);
        const QFontMetrics& metrics = option->fontMetrics;
        option->text =
            distinguishingLabel(option->text, titles, sectionSize(section) - icon - px(14),
                                [&](const QString& text) { return metrics.horizontalAdvance(text); });
    }
};

}  // namespace

RunColumnsTable::RunColumnsTable(QAbstractItemModel* model, const QString& name,
                                 const QString& accessibleName, QWidget* parent)
    : FrozenTable(parent) {
    setHorizontalHeader(new DistinguishingHeader(this));
    setModel(model);
    describe(this, name, accessibleName);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setShowGrid(false);
    setWordWrap(false);
    setFrameShape(QFrame::NoFrame);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(px(24));
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(model, &QAbstractItemModel::modelReset, this, &RunColumnsTable::fit);
}

void RunColumnsTable::resizeEvent(QResizeEvent* event) {
    FrozenTable::resizeEvent(event);
    fit();
}

void RunColumnsTable::showEvent(QShowEvent* event) {
    FrozenTable::showEvent(event);
    fit();
}

std::vector<FrozenTable::FrozenColumn> RunColumnsTable::frozenColumns() const {
    return {{0, std::min(columnWidth(0), static_cast<int>(kMaxFrozenFraction * viewport()->width()))}};
}

int RunColumnsTable::needed(int column) const {
    // At least enough of a long title to distinguish the runs.
    const QString title = model()->headerData(column, Qt::Horizontal).toString();
    int width = std::min(fontMetrics().horizontalAdvance(title) + px(34), px(150));
    for (int row = 0; row < model()->rowCount(); ++row) {
        const QModelIndex cell = model()->index(row, column);
        const QVariant given = cell.data(Qt::FontRole);
        const QFontMetrics metrics(given.isValid() ? given.value<QFont>() : font());
        width = std::max(width, metrics.horizontalAdvance(cell.data().toString()) + px(26));
    }
    return std::min(width, px(260));
}

void RunColumnsTable::fit() {
    const int columns = model()->columnCount();
    if (columns < 2) return;
    int left = viewport()->width();
    std::vector<int> widths;
    for (int column = 0; column < columns; ++column) {
        widths.push_back(needed(column));
        left -= widths.back();
    }
    for (int column = 0; column < columns; ++column)
        setColumnWidth(column, widths[static_cast<std::size_t>(column)] +
                                   (column > 0 ? std::max(left, 0) / (columns - 1) : 0));
}

}  // namespace kurve::views
