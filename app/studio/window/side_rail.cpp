#include "app/studio/window/side_rail.h"

#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QListView>
#include <QToolButton>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"
#include "views/runs/run_cells.h"
#include "views/runs/run_table_model.h"

namespace kurve::studio {

using views::describe;
using views::hbox;
using views::px;
using views::vboxIn;

namespace {
constexpr int kNarrow = 34, kWithNames = 124;
/// Of the window: below the first there is no space for rails, below the second none for names.
constexpr int kLeastForRails = 1000, kLeastForNames = 1400;
}  // namespace

SideRail::SideRail(const QString& title, const QString& keys, QAbstractItemView* maybeRuns) {
    describe(this, maybeRuns ? QStringLiteral("rail.runs") : QStringLiteral("rail.inspector"),
             {.role = "surface"});
    setFixedWidth(px(maybeRuns ? kWithNames : kNarrow));
    auto* open = describe(new QToolButton, objectName() + QStringLiteral(".open"), title,
                          QStringLiteral("%1 (%2)").arg(title, keys),
                          {.text = maybeRuns ? QStringLiteral("»") : QStringLiteral("«")});
    open->setAutoRaise(true);
    connect(open, &QToolButton::clicked, this, &SideRail::openRequested);
    auto* column = vboxIn(this, {{open, 0, maybeRuns ? Qt::AlignLeft : Qt::AlignHCenter}},
                          {.margins = {0, 2, 0, 0}, .spacing = 2});
    if (maybeRuns)
        column->addWidget(buildList(*maybeRuns), 1);
    else
        column->addStretch();
}

QListView* SideRail::buildList(QAbstractItemView& runs) {
    auto* list = describe(new QListView, "rail.runs.list", tr("Runs"));
    list->setFrameShape(QFrame::NoFrame);
    list->setUniformItemSizes(true);
    list->setItemDelegate(new views::NameDelegate(list));
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list->setModel(runs.model());
    list->setModelColumn(views::RunTableModel::Name);
    // A table selects rows, a list selects cells: they cannot share a selection.
    connect(list, &QListView::clicked, &runs, [&runs](const QModelIndex& index) {
        runs.selectionModel()->setCurrentIndex(
            index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    });
    const auto follow = [list, &runs] {
        QItemSelection rows;
        for (const QModelIndex& row : runs.selectionModel()->selectedRows(views::RunTableModel::Name))
            rows.select(row, row);
        list->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    };
    connect(runs.selectionModel(), &QItemSelectionModel::selectionChanged, list, follow);
    follow();
    return list;
}

QHBoxLayout* frameWithRails(WindowFrame& frame, QAbstractItemView& runs,
                            const std::function<void(WindowFrame::Side)>& toggle) {
    auto* left = new SideRail(SideRail::tr("Show run list"), QStringLiteral("Ctrl+B"), &runs);
    auto* right = new SideRail(SideRail::tr("Show inspector"), QStringLiteral("Ctrl+I"), nullptr);
    const auto show = [&frame, left, right] {
        const int width = frame.window()->width();
        left->setFixedWidth(px(width >= px(kLeastForNames) ? kWithNames : kNarrow));
        left->setVisible(width >= px(kLeastForRails) && frame.isFolded(WindowFrame::Runs));
        right->setVisible(width >= px(kLeastForRails) && frame.isFolded(WindowFrame::Inspector));
    };
    show();
    QObject::connect(&frame, &WindowFrame::foldsChanged, left, show);
    QObject::connect(left, &SideRail::openRequested, &frame, [toggle] { toggle(WindowFrame::Runs); });
    QObject::connect(right, &SideRail::openRequested, &frame, [toggle] { toggle(WindowFrame::Inspector); });
    return hbox({left, {&frame, 1}, right}, {.spacing = 0});
}

}  // namespace kurve::studio
