#include "views/prompt/recorded_lists.h"

#include <QHeaderView>
#include <QLabel>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "views/common/command_registry.h"
#include "views/common/eliding_header.h"
#include "views/common/theme.h"
#include "views/prompt/asked_list.h"
#include "views/prompt/trace_table_model.h"

namespace kurve::views {

RecordedLists::RecordedLists(CommandRegistry& commands, QWidget* parent)
    : QWidget(parent),
      commands_(commands),
      model_(new TraceTableModel(this)),
      table_(new QTableView(this)),
      asked_(new AskedList(this)),
      none_(new QLabel(this)),
      lists_(new QTabWidget(this)) {
    buildRecorded();
    connect(asked_, &AskedList::opened, this, &RecordedLists::opened);
    connect(asked_, &AskedList::filled, this, &RecordedLists::showLists);
    addActions(QStringLiteral("prompt.asked_"), asked_,
               [this] { return AskedList::fileOf(asked_->currentItem()); });
    lists_->setDocumentMode(true);
    lists_->setObjectName(QStringLiteral("prompt.lists"));
    lists_->addTab(table_, tr("Fixed prompts"));
    lists_->addTab(asked_, tr("Asked for"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(none_);
    column->addWidget(lists_, 1);
    showLists();
}

void RecordedLists::buildRecorded() {
    none_->setProperty("role", "hint");
    none_->setWordWrap(true);
    table_->setVerticalHeader(new ElidingHeader(Qt::Vertical, table_));
    table_->verticalHeader()->setSectionsClickable(true);
    table_->verticalHeader()->setHighlightSections(true);
    table_->setModel(model_);
    table_->setObjectName(QStringLiteral("prompt.recorded"));
    table_->setAccessibleName(tr("Recorded denoisings: prompts by evaluations"));
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
    const auto add = [&](Command command, void (RecordedLists::*wanted)(const QString&)) {
        list->addAction(commands_.add(
            command,
            [this, chosen, wanted] {
                const QString file = chosen();
                if (!file.isEmpty()) return (this->*wanted)(file);
                Q_EMIT statusMessage(tr("Choose a recording in the list first."));
            },
            list));
    };
    add({prefix + QStringLiteral("beside"), tr("Open beside (as B)"), tr("View"), Qt::SHIFT | Qt::Key_Return,
         tr("Show this recording beside the one that is open")},
        &RecordedLists::besideRequested);
    add({prefix + QStringLiteral("trash"), tr("Move recording to trash"), tr("Run"), Qt::Key_Delete,
         tr("Out of the lists, still on the disk; Ctrl+Z brings it back, the Disk page empties the trash")},
        &RecordedLists::trashRequested);
    // A right click must not open the cell: it only chooses it for the menu.
    list->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void RecordedLists::setRun(const RunData* data, const std::filesystem::path& folder) {
    folder_ = folder;
    model_->setRun(data);
    static const std::vector<store::TraceRow> kNone;
    if (!folder.empty()) asked_->setRun(folder, data != nullptr ? data->traces : kNone);
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
    none_->setText(text);
}

int RecordedLists::askedCount() const {
    return asked_->topLevelItemCount();
}

bool RecordedLists::hasData() const {
    return model_->columnCount() > 0 || askedCount() > 0;
}

void RecordedLists::showLists() {
    const bool recorded = model_->columnCount() > 0, asked = askedCount() > 0;
    lists_->setTabVisible(0, recorded);
    lists_->setTabVisible(1, asked);
    lists_->tabBar()->setVisible(recorded && asked);  // one list needs no room for a name
    lists_->setVisible(recorded || asked);
    none_->setVisible(!recorded && !asked);
}

void RecordedLists::open(const QModelIndex& cell) {
    const QString file = model_->file(cell);
    if (file.isEmpty()) return;
    Q_EMIT opened(file, model_->stepOf(cell.column()));
}

void RecordedLists::openNewest() {
    const QModelIndex cell = model_->newest();
    if (!cell.isValid()) return Q_EMIT statusMessage(tr("This run has recorded nothing yet."));
    table_->setCurrentIndex(cell);
    table_->scrollTo(cell);
    open(cell);
}

}  // namespace kurve::views
