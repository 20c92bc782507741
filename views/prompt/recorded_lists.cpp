#include "views/prompt/recorded_lists.h"

#include <QHeaderView>
#include <QLabel>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>

#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/command_registry.h"
#include "views/common/theme/theme.h"
#include "views/prompt/request_list.h"
#include "views/prompt/trace_table_model.h"

namespace kurve::views {

RecordedLists::RecordedLists(CommandRegistry& commands, QWidget* parent)
    : QWidget(parent),
      commands_(commands),
      model_(new TraceTableModel(this)),
      table_(describe(new QTableView(this), "prompt.recorded", tr("Traces: prompts by evaluations"))),
      requested_(new RequestList(this)),
      hint_(describe(new QLabel(this), {.role = "hint", .wraps = true})),
      lists_(describe(new QTabWidget(this), "prompt.lists")) {
    buildRecorded();
    connect(requested_, &RequestList::opened, this, &RecordedLists::opened);
    connect(requested_, &RequestList::filled, this, &RecordedLists::showLists);
    addActions(QStringLiteral("prompt.requested_"), requested_,
               [this] { return RequestList::fileOf(requested_->currentItem()); });
    lists_->setDocumentMode(true);
    lists_->addTab(table_, tr("Fixed prompts"));
    lists_->addTab(requested_, tr("Requested"));
    vboxIn(this, {hint_, {lists_, 1}}, {.margins = 0});
    showLists();
}

void RecordedLists::buildRecorded() {
    table_->setModel(model_);
    table_->setSelectionMode(QAbstractItemView::SingleSelection);
    table_->setWordWrap(false);
    table_->setTextElideMode(Qt::ElideRight);
    table_->setShowGrid(false);
    table_->setMinimumHeight(px(92));  // the header and three prompts
    table_->verticalHeader()->setDefaultSectionSize(px(23));
    table_->verticalHeader()->setFixedWidth(px(230));
    table_->verticalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->horizontalHeader()->setDefaultSectionSize(px(150));
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    connect(table_, &QTableView::clicked, this, &RecordedLists::open);
    connect(table_, &QTableView::activated, this, &RecordedLists::open);
    addActions(QStringLiteral("prompt."), table_, [this] { return model_->file(table_->currentIndex()); });
}

void RecordedLists::addActions(const QString& prefix, QWidget* list, const std::function<QString()>& chosen) {
    const auto add = [&](Command command, void (RecordedLists::*signal)(const QString&)) {
        list->addAction(commands_.add(
            command,
            [this, chosen, signal] {
                const QString file = chosen();
                if (!file.isEmpty()) return (this->*signal)(file);
                Q_EMIT statusMessage(tr("No trace is selected; select one in the list."));
            },
            list));
    };
    add({prefix + QStringLiteral("beside"), tr("Open as B"), tr("View"), Qt::SHIFT | Qt::Key_Return,
         tr("Compare this trace with the open one")},
        &RecordedLists::besideRequested);
    add({prefix + QStringLiteral("trash"), tr("Move trace to trash"), tr("Run"), Qt::Key_Delete,
         tr("Undo with Ctrl+Z; the Disk page empties the trash")},
        &RecordedLists::trashRequested);
    // A right click selects the cell without opening it.
    list->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void RecordedLists::setRun(const RunData* data, const std::filesystem::path& folder) {
    folder_ = folder;
    model_->setRun(data);
    static const std::vector<store::TraceRow> kNone;
    if (!folder.empty()) requested_->setRun(folder, data != nullptr ? data->traces : kNone);
    showLists();
    followShown();
}

void RecordedLists::setShown(const std::filesystem::path& file) {
    if (shown_ == file) return;
    shown_ = file;
    followShown();
}

void RecordedLists::followShown() {
    if (table_->hasFocus()) return;
    const auto relative = shown_.lexically_relative(folder_).generic_string();
    const QModelIndex cell = model_->cellOf(QString::fromStdString(relative));
    if (cell == table_->currentIndex()) return;
    table_->setCurrentIndex(cell);
    if (cell.isValid()) table_->scrollTo(cell);
}

void RecordedLists::setHint(const QString& text) {
    hint_->setText(text);
}

int RecordedLists::requestedCount() const {
    return requested_->topLevelItemCount();
}

bool RecordedLists::hasData() const {
    return model_->columnCount() > 0 || requestedCount() > 0;
}

void RecordedLists::showLists() {
    const bool recorded = model_->columnCount() > 0, requested = requestedCount() > 0;
    lists_->setTabVisible(0, recorded);
    lists_->setTabVisible(1, requested);
    lists_->tabBar()->setVisible(recorded && requested);  // no tabs for one list
    lists_->setVisible(recorded || requested);
    hint_->setVisible(!recorded && !requested);
}

void RecordedLists::open(const QModelIndex& cell) {
    const QString file = model_->file(cell);
    if (file.isEmpty()) return;
    Q_EMIT opened(file, model_->stepOf(cell.column()));
}

void RecordedLists::openNewest() {
    const QModelIndex cell = model_->newest();
    if (!cell.isValid()) return Q_EMIT statusMessage(tr("This run has no traces."));
    table_->setCurrentIndex(cell);
    table_->scrollTo(cell);
    open(cell);
}

}  // namespace kurve::views
