#include "views/compare/run_columns_table.h"

#include <QHeaderView>
#include <algorithm>
#include <utility>

#include "views/common/form/controls.h"
#include "views/common/text/distinguishing_label.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr double kMaxFrozenFraction = 0.5;  ///< of the width, for the first column

class DistinguishingHeader : public QHeaderView {
public:
    explicit DistinguishingHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
        setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    }

protected:
    /// Of a long title enough to distinguish the runs.
    QSize sectionSizeFromContents(int section) const override {
        const QSize whole = QHeaderView::sectionSizeFromContents(section);
        return {std::min(whole.width(), px(150)), whole.height()};
    }
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

RunColumnsTable::RunColumnsTable(const QString& name, const QString& accessibleName, QString first)
    : model_(new CellTableModel(this)), first_(std::move(first)) {
    setHorizontalHeader(new DistinguishingHeader(this));
    setModel(model_);
    describe(this, name, accessibleName);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setFrameShape(QFrame::NoFrame);
    verticalHeader()->setDefaultSectionSize(px(24));
}

void RunColumnsTable::setRows(const std::vector<ComparedRun>& runs, std::vector<CellRow> rows) {
    model_->setCells(runColumns(first_, runs), std::move(rows));
    resizeColumnsToContents();
}

void RunColumnsTable::showEvent(QShowEvent* event) {
    FrozenTable::showEvent(event);
    resizeColumnsToContents();
}

int RunColumnsTable::sizeHintForColumn(int column) const {
    return std::min(FrozenTable::sizeHintForColumn(column), px(260));
}

std::vector<FrozenTable::FrozenColumn> RunColumnsTable::frozenColumns() const {
    return {{0, std::min(columnWidth(0), static_cast<int>(kMaxFrozenFraction * viewport()->width()))}};
}

}  // namespace kurve::views
