#include "views/compare/sample_matrix.h"

#include <QApplication>
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

}  // namespace

SampleMatrix::SampleMatrix(const StudioContext& context)
    : context_(context), model_(new SampleMatrixModel(this)) {
    describe(this, "compare.samples", QStringLiteral("Outputs of the compared runs for the fixed prompts"));
    setModel(model_);
    setItemDelegate(new WordsDelegate(SampleMatrixModel::HtmlRole, this));
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

void SampleMatrix::setRuns(const std::vector<ComparedRun>& runs, const SampleMatrixModel::Request& request) {
    model_->setRuns(runs, request);
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
    std::sort(cells.begin(), cells.end(), [](const QModelIndex& a, const QModelIndex& b) {
        return std::pair(a.column(), a.row()) < std::pair(b.column(), b.row());
    });
    return cells;
}

int SampleMatrix::markedCount() const {
    return static_cast<int>(marked().size());
}

std::optional<SampleTrace> SampleMatrix::traceOf(const QModelIndex& index) const {
    const QString file = index.data(SampleMatrixModel::TraceRole).toString();
    if (file.isEmpty()) return std::nullopt;
    return SampleTrace{index.data(SampleMatrixModel::RunRole).toString(), file};
}

void SampleMatrix::openCurrent() {
    const QModelIndex index = currentIndex();
    if (!index.isValid() || index.column() == 0)
        return Q_EMIT statusMessage(QStringLiteral("No output selected; choose one with the arrow keys."));
    if (const auto cell = traceOf(index)) return context_.ask<Traces>().open(cell->run, cell->file);
    Q_EMIT statusMessage(QStringLiteral("This output has no trace."));
}

void SampleMatrix::openMarked() {
    const QModelIndexList cells = marked();
    if (cells.size() != 2)
        return Q_EMIT statusMessage(
            QStringLiteral("Two marked outputs are needed; mark them with Ctrl+click."));
    const auto a = traceOf(cells[0]), b = traceOf(cells[1]);
    if (!a || !b) return Q_EMIT statusMessage(QStringLiteral("One of these outputs has no trace."));
    context_.ask<Traces>().open(a->run, a->file);
    context_.ask<Traces>().openBeside(b->run, b->file);
}

}  // namespace kurve::views
