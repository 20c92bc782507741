#include "views/compare/sample_matrix.h"

#include <QHeaderView>
#include <QPainter>
#include <algorithm>
#include <utility>

#include "views/common/form/controls.h"
#include "views/common/services/studio.h"
#include "views/common/table/fit_rows.h"
#include "views/common/table/rich_text_delegate.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr double kPromptShare = 0.3;

/// Frames the selected cells.
class WordsDelegate : public RichTextDelegate {
public:
    using RichTextDelegate::RichTextDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        RichTextDelegate::paint(painter, option, index);
        const bool current = option.state.testFlag(QStyle::State_HasFocus);
        if (!current && !option.state.testFlag(QStyle::State_Selected)) return;
        painter->save();
        painter->setPen(QPen(theme().accent, (current ? 2 : 1) * theme().scale));
        painter->drawRect(option.rect.adjusted(1, 1, -2, -2));
        painter->restore();
    }
};

QString runOf(const QModelIndex& output) {
    return output.data(SampleRunRole).toString();
}

/// Relative to the run's folder; empty where there is none.
QString traceOf(const QModelIndex& output) {
    return output.data(SampleTraceRole).toString();
}

}  // namespace

SampleMatrix::SampleMatrix(const StudioContext& context)
    : context_(context), model_(new CellTableModel(this)) {
    describe(this, "compare.samples", QStringLiteral("Outputs of the compared runs for the fixed prompts"));
    setModel(model_);
    setItemDelegate(new WordsDelegate(SampleHtmlRole, this));
    setFrameShape(QFrame::NoFrame);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(this, &QTableView::doubleClicked, this, &SampleMatrix::openCurrent);
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &SampleMatrix::markedChanged);
    connect(model_, &QAbstractItemModel::modelReset, this, [this] {
        fit();
        Q_EMIT markedChanged();
    });
    fitRows(*this);
}

void SampleMatrix::setRuns(const std::vector<ComparedRun>& runs, const SampleRequest& request) {
    model_->setCells(runColumns(QStringLiteral("Prompt and reference"), runs), sampleCells(runs, request));
}

void SampleMatrix::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    fit();
}

void SampleMatrix::fit() {
    const int columns = model_->columnCount(), room = viewport()->width();
    if (columns < 2) return;
    const int first = std::max(px(170), static_cast<int>(room * kPromptShare));
    setColumnWidth(0, first);
    for (int column = 1; column < columns; ++column)
        setColumnWidth(column, std::max(px(170), (room - first) / (columns - 1)));
}

QModelIndexList SampleMatrix::marked() const {
    QModelIndexList cells = selectionModel()->selectedIndexes();
    cells.removeIf([](const QModelIndex& index) { return index.column() == 0; });
    std::ranges::sort(cells, [](const QModelIndex& a, const QModelIndex& b) {
        return std::pair(a.column(), a.row()) < std::pair(b.column(), b.row());
    });
    return cells;
}

int SampleMatrix::markedCount() const {
    return static_cast<int>(marked().size());
}

void SampleMatrix::openCurrent() {
    const QModelIndex index = currentIndex();
    if (!index.isValid() || index.column() == 0)
        return Q_EMIT statusMessage(QStringLiteral("No output selected; choose one with the arrow keys."));
    if (const QString trace = traceOf(index); !trace.isEmpty())
        return context_.ask<Traces>().open(runOf(index), trace);
    Q_EMIT statusMessage(QStringLiteral("This output has no trace."));
}

void SampleMatrix::openMarked() {
    const QModelIndexList cells = marked();
    if (cells.size() != 2)
        return Q_EMIT statusMessage(
            QStringLiteral("Two marked outputs are needed; mark them with Ctrl+click."));
    const QString first = traceOf(cells[0]), second = traceOf(cells[1]);
    if (first.isEmpty() || second.isEmpty())
        return Q_EMIT statusMessage(QStringLiteral("One of these outputs has no trace."));
    context_.ask<Traces>().open(runOf(cells[0]), first);
    context_.ask<Traces>().openBeside(runOf(cells[1]), second);
}

}  // namespace kurve::views
