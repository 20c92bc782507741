#include "views/runs/runs_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStackedLayout>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QUndoStack>
#include <QVBoxLayout>

#include "core/store/filter_words.h"
#include "views/common/command_registry.h"
#include "views/common/empty_state.h"
#include "views/common/format.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/runs/filter_box.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/run_table_model.h"

namespace kurve::views {

namespace {

/// An edit of the catalog with its inverse.
class CatalogEdit : public QUndoCommand {
public:
    CatalogEdit(const QString& text, std::function<void()> redo, std::function<void()> undo)
        : QUndoCommand(text), redo_(std::move(redo)), undo_(std::move(undo)) {}
    void redo() override { redo_(); }
    void undo() override { undo_(); }

private:
    std::function<void()> redo_, undo_;
};

}  // namespace

RunsPanel::RunsPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("runs"), tr("Runs"), context, parent),
      model_(new RunTableModel(this)),
      filter_(new RunFilterModel(this)),
      filterBox_(new FilterBox([this]() -> const auto& { return this->context().catalog->runs(); })),
      filterError_(new QLabel),
      table_(new QTableView),
      empty_(new EmptyState),
      count_(new QLabel),
      trash_(new QPushButton(tr("Trash"))),
      purge_(new QPushButton),
      undo_(new QUndoStack(this)) {
    filter_->setSourceModel(model_);
    filterBox_->setPlaceholderText(tr("Filter: bleu>40 tag:ok family:sclm …"));
    filterBox_->setToolTip(
        tr("Words, and terms such as  bleu>40  lr<1e-3  tag:ok  family:sclm  state:running"));
    filterBox_->setObjectName(QStringLiteral("runs.filter"));
    filterBox_->setAccessibleName(tr("Filter runs"));
    filterBox_->setClearButtonEnabled(true);
    filterError_->setProperty("role", "error");
    filterError_->setWordWrap(true);
    filterError_->hide();
    count_->setProperty("role", "hint");
    trash_->setProperty("role", "quiet");
    trash_->setCheckable(true);
    trash_->setObjectName(QStringLiteral("runs.trash"));
    trash_->setToolTip(tr("Show the runs in the trash"));
    buildTable();

    auto* pages = new QWidget;
    stack_ = new QStackedLayout(pages);
    stack_->addWidget(table_);
    stack_->addWidget(empty_);
    auto* head = new QVBoxLayout;
    head->setContentsMargins(px(space::kSmall), px(space::kSmall), px(space::kSmall), px(space::kSmall));
    auto* kept = new QToolButton;
    kept->setObjectName(QStringLiteral("runs.filters"));
    kept->setArrowType(Qt::NoArrow);
    kept->setText(QStringLiteral("★"));
    kept->setToolTip(tr("Kept filters"));
    kept->setAccessibleName(tr("Kept filters"));
    kept->setPopupMode(QToolButton::InstantPopup);
    kept->setMenu(filterBox_->menu());
    auto* line = new QHBoxLayout;
    line->setSpacing(px(2));
    line->addWidget(filterBox_, 1);
    line->addWidget(kept);
    head->addLayout(line);
    head->addWidget(filterError_);
    auto* foot = new QHBoxLayout;
    foot->setContentsMargins(px(space::kMedium), px(2), px(space::kTight), px(2));
    foot->addWidget(count_, 1);
    purge_->setProperty("role", "quiet");
    purge_->setObjectName(QStringLiteral("runs.purge"));
    purge_->hide();
    foot->addWidget(purge_);
    foot->addWidget(trash_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(head);
    layout->addWidget(pages, 1);
    layout->addLayout(foot);

    auto* settle = new QTimer(this);
    settle->setSingleShot(true);
    settle->setInterval(60);
    connect(settle, &QTimer::timeout, this, &RunsPanel::applyFilter);
    connect(filterBox_, &QLineEdit::textChanged, settle, qOverload<>(&QTimer::start));
    connect(trash_, &QPushButton::toggled, this, [this](bool on) {
        filter_->setTrashShown(on);
        updateFooter();
    });
    connect(purge_, &QPushButton::clicked, this, &RunsPanel::purge);
    connect(filterBox_, &FilterBox::savedChanged, this, &RunsPanel::savedFiltersChanged);
    connect(empty_, &EmptyState::clicked, this, [this] {
        if (model_->rowCount() == 0) Q_EMIT startRequested();
        trash_->setChecked(false);
        filterBox_->clear();
    });
    connect(model_, &RunTableModel::renameRequested, this, [this](const QString& id, const QString& name) {
        RunCatalog* catalog = this->context().catalog;
        const auto* run = catalog->run(id);
        const QString before = run ? QString::fromStdString(run->name) : QString();
        undo_->push(new CatalogEdit(
            tr("rename"), [=] { catalog->rename(id, name); }, [=] { catalog->rename(id, before); }));
    });
    connect(context.catalog, &RunCatalog::runsChanged, this, &RunsPanel::takeRuns);
    connect(context.catalog, &RunCatalog::problemChanged, this, &RunsPanel::updateFooter);
    connect(context.selection, &Selection::runsChanged, this, &RunsPanel::followSelection);
    registerCommands();
    takeRuns();
}

RunsPanel::~RunsPanel() = default;

void RunsPanel::buildTable() {
    table_->setModel(filter_);
    table_->setObjectName(QStringLiteral("runs.table"));
    table_->setAccessibleName(tr("Runs of the project"));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table_->setEditTriggers(QAbstractItemView::EditKeyPressed);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setTextElideMode(Qt::ElideMiddle);  // names of one project often begin alike
    table_->setSortingEnabled(true);
    table_->setIconSize(QSize(px(18), px(12)));
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->setContextMenuPolicy(Qt::CustomContextMenu);
    table_->setTabKeyNavigation(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table_->horizontalHeader()->setSectionsMovable(true);
    table_->horizontalHeader()->setMinimumSectionSize(px(24));
    table_->sortByColumn(RunTableModel::Started, Qt::DescendingOrder);
    const auto resize = [this] {
        table_->verticalHeader()->setDefaultSectionSize(px(26));
        table_->setIconSize(QSize(px(18), px(12)));
    };
    resize();
    connect(themeNotifier(), &ThemeNotifier::changed, this, resize);
    connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsPanel::publishSelection);
    connect(table_->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column) {
        if (!fitting_ && column == RunTableModel::Name) nameFollows_ = false;  // dragged by hand
    });
    table_->viewport()->installEventFilter(this);
    connect(table_, &QTableView::customContextMenuRequested, this, &RunsPanel::contextMenu);
    connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        if (index.column() == RunTableModel::Name) table_->edit(index);
    });
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (index.column() == RunTableModel::Star) starSelected();
    });
}

void RunsPanel::registerCommands() {
    CommandRegistry* commands = context().commands;
    const QString run = tr("Run");
    commands->add(
        {"runs.compare",
         tr("Compare selected runs"),
         run,
         QKeySequence(Qt::Key_Return),
         tr("Lay the selected runs over each other"),
         {QKeySequence(Qt::Key_Enter)}},
        [this] {
            if (selectedIds().size() > 1)
                Q_EMIT compareRequested();
            else
                Q_EMIT statusMessage(tr("Select two or more runs (Ctrl or Shift), then press Enter."));
        },
        table_);
    commands->add(
        {"runs.star", tr("Star"), run, QKeySequence(Qt::Key_S), tr("Star or unstar the selected runs")},
        [this] { starSelected(); }, table_);
    commands->add(
        {"runs.rename", tr("Rename run"), run, QKeySequence(Qt::Key_F2), tr("Edit the name of the run")},
        [this] {
            if (table_->currentIndex().isValid())
                table_->edit(table_->currentIndex().siblingAtColumn(RunTableModel::Name));
        },
        table_);
    commands->add(
        {"runs.tags", tr("Edit tags"), run, QKeySequence(Qt::Key_T),
         tr("Write tags of the run in the inspector")},
        [this] { Q_EMIT tagsRequested(); }, table_);
    commands->add(
        {"runs.trash", tr("Move to trash"), run, QKeySequence(Qt::Key_Delete),
         tr("Hide the selected runs in the trash; Ctrl+Z brings them back")},
        [this] { trashSelected(!filter_->isTrashShown()); }, table_);
    commands->add(
        {"runs.archive", tr("Archive"), run, QKeySequence(Qt::Key_A),
         tr("Take the selected runs out of the list without touching them, or put them back; "
            "tag:archived shows them")},
        [this] { archiveSelected(); }, table_);
    commands->add({"runs.purge",
                   tr("Delete the trash for good"),
                   run,
                   {},
                   tr("Frees the disk; asks once more and says how much")},
                  [this] {
                      trash_->setChecked(true);
                      purge();
                  });
    commands->add({"runs.keep_filter",
                   tr("Keep or forget this filter"),
                   run,
                   {},
                   tr("Kept filters are in the menu beside the filter box")},
                  [this] { filterBox_->saveOrForget(); });
    commands->add({"runs.colours",
                   tr("Reassign colours to the selection"),
                   run,
                   {},
                   tr("Give the selected runs the most distinct colours")},
                  [this] { reassignRunStyles(selectedIds()); });
    commands->add({"runs.undo", tr("Undo"), tr("Edit"), QKeySequence(QKeySequence::Undo),
                   tr("Undo the last change to runs")},
                  [this] {
                      if (undo_->canUndo()) {
                          Q_EMIT statusMessage(tr("Undone: %1").arg(undo_->undoText()));
                          undo_->undo();
                      }
                  });
    commands->add({"runs.redo", tr("Redo"), tr("Edit"), QKeySequence(QKeySequence::Redo),
                   tr("Do the undone change again")},
                  [this] { undo_->redo(); });
    commands->add({"runs.filter", tr("Filter runs"), tr("Edit"), QKeySequence(Qt::Key_Slash),
                   tr("Go to the filter box")},
                  [this] {
                      filterBox_->setFocus();
                      filterBox_->selectAll();
                  });
}

void RunsPanel::takeRuns() {
    const bool first = model_->rowCount() == 0;
    model_->setRuns(context().catalog->runs());
    if (!widthsSet_ && model_->rowCount() > 0) {
        widthsSet_ = true;
        const int widths[] = {26, 136, 0, 58, 112, 80};
        for (int column = 0; column < model_->columnCount(); ++column)
            table_->setColumnWidth(column, px(column < RunTableModel::FirstMetric ? widths[column] : 72));
        const QFontMetrics metrics(table_->font());
        table_->setColumnWidth(RunTableModel::State,
                               metrics.horizontalAdvance(QStringLiteral("✓ completed")) + px(18));
        nameFollows_ = true;
        fitName();
    }
    if (first && model_->rowCount() > 0 && context().selection->runs().isEmpty() && filter_->rowCount() > 0)
        table_->selectRow(0);
    followSelection();
    updateFooter();
}

void RunsPanel::fitName() {
    // Name, state and step share the room that is there; what follows them is reached by scrolling.
    if (!nameFollows_) return;
    int others = 0;
    for (const int column : {RunTableModel::Star, RunTableModel::State, RunTableModel::Step})
        others += table_->columnWidth(column);
    fitting_ = true;
    table_->setColumnWidth(RunTableModel::Name, std::max(px(170), table_->viewport()->width() - others));
    fitting_ = false;
}

bool RunsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == table_->viewport() && event->type() == QEvent::Resize) fitName();
    return Panel::eventFilter(watched, event);
}

void RunsPanel::applyFilter() {
    const Status status = filter_->setExpression(filterBox_->text());
    filterError_->setVisible(!status);
    if (!status) filterError_->setText(QString::fromStdString(status.error().text()));
    updateFooter();
    Q_EMIT filterChanged(filterBox_->text());
}

QStringList RunsPanel::selectedIds() const {
    QStringList ids;
    const QModelIndex current = table_->currentIndex();
    for (const QModelIndex& index : table_->selectionModel()->selectedRows()) {
        const QString id = index.data(RunTableModel::IdRole).toString();
        if (current.isValid() && index.row() == current.row())
            ids.prepend(id);  // the current row is primary
        else
            ids.append(id);
    }
    return ids;
}

void RunsPanel::publishSelection() {
    if (publishing_) return;
    publishing_ = true;
    context().selection->setRuns(selectedIds());
    publishing_ = false;
    updateFooter();
}

void RunsPanel::followSelection() {
    if (publishing_ || selectedIds() == context().selection->runs()) return;
    publishing_ = true;
    QItemSelection rows;
    QModelIndex first;
    for (const QString& id : context().selection->runs()) {
        const int row = model_->rowOf(id);
        const QModelIndex index = row < 0 ? QModelIndex() : filter_->mapFromSource(model_->index(row, 0));
        if (!index.isValid()) continue;
        if (!first.isValid()) first = index;
        rows.select(index, index);
    }
    auto* selection = table_->selectionModel();
    if (first.isValid()) {
        selection->setCurrentIndex(first.siblingAtColumn(RunTableModel::Name), QItemSelectionModel::NoUpdate);
        selection->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        table_->scrollTo(first.siblingAtColumn(RunTableModel::Name));
    }
    publishing_ = false;
}

void RunsPanel::selectRun(const QString& id) {
    context().selection->setRuns({id});
}

void RunsPanel::updateFooter() {
    const int shown = filter_->rowCount(), all = model_->rowCount();
    const auto selected = table_->selectionModel()->selectedRows().size();
    QString text = shown == all ? tr("%n run(s)", nullptr, all) : tr("%1 of %2 runs").arg(shown).arg(all);
    if (all == 1 && shown == 1) text = tr("1 run");
    if (shown == all && all != 1) text = tr("%1 runs").arg(all);
    if (selected > 1) text += tr(" · %1 selected, Enter compares").arg(selected);
    count_->setText(text);
    qint64 bytes = 0;
    const auto trashed = filter_->isTrashShown() ? trashedIds(&bytes).size() : 0;
    purge_->setVisible(trashed > 0);
    purge_->setText(purge_->property("asked").toBool()
                        ? tr("Really delete %1 run(s)?").arg(trashed)
                        : tr("Delete for good, %1").arg(bytesText(static_cast<double>(bytes))));
    purge_->setToolTip(
        tr("Deletes the folders of the %1 run(s) in the trash; nothing brings them back").arg(trashed));
    stack_->setCurrentIndex(shown > 0 ? 0 : 1);
    if (shown > 0) return;
    const QString problem = context().catalog->problem();
    if (!problem.isEmpty())
        empty_->setTexts(tr("The runs cannot be read"), problem);
    else if (all == 0 && !context().catalog->loaded())
        empty_->setTexts(tr("Reading…"), {});
    else if (all == 0)
        empty_->setTexts(tr("No runs yet"),
                         tr("Start the first one: it appears here with its state and results."),
                         tr("Start training  (F5)"));
    else if (filter_->isTrashShown())
        empty_->setTexts(tr("The trash is empty"), tr("Del moves runs here; nothing is deleted from disk."),
                         tr("Back to the runs"));
    else
        empty_->setTexts(tr("No run matches"), tr("%1 runs are hidden by the filter.").arg(all),
                         tr("Clear the filter"));
}

void RunsPanel::contextMenu(const QPoint& place) {
    QMenu menu(this);
    for (const char* id : {"runs.compare", "runs.star", "runs.rename", "runs.tags", "runs.colours",
                           "runs.archive", "runs.trash"})
        if (QAction* action = context().commands->action(QLatin1String(id))) menu.addAction(action);
    menu.exec(table_->viewport()->mapToGlobal(place));
}

void RunsPanel::trashSelected(bool on) {
    const QStringList ids = selectedIds();
    if (ids.isEmpty()) return;
    RunCatalog* catalog = context().catalog;
    const auto apply = [catalog, ids](bool trashed) {
        for (const QString& id : ids) catalog->setTrashed(id, trashed);
    };
    undo_->push(new CatalogEdit(
        on ? tr("move to trash") : tr("restore"), [=] { apply(on); }, [=] { apply(!on); }));
    Q_EMIT statusMessage(on ? tr("%1 run(s) in the trash. Ctrl+Z brings them back.").arg(ids.size())
                            : tr("Restored."));
}

void RunsPanel::archiveSelected() {
    RunCatalog* catalog = context().catalog;
    std::vector<std::pair<QString, QStringList>> before, after;
    bool archive = true;
    for (const QString& id : selectedIds()) {
        const store::RunSummary* run = catalog->run(id);
        if (!run) continue;
        QStringList tags;
        for (const auto& tag : run->tags) tags << QString::fromStdString(tag);
        if (before.empty()) archive = !store::isArchived(*run);
        before.emplace_back(id, tags);
        tags.removeAll(QLatin1String(store::kArchivedTag));
        if (archive) tags << QLatin1String(store::kArchivedTag);
        after.emplace_back(id, tags);
    }
    if (before.empty()) return;
    const auto apply = [catalog](const auto& list) {
        for (const auto& [id, tags] : list) catalog->setTags(id, tags);
    };
    undo_->push(new CatalogEdit(
        archive ? tr("archive") : tr("put back"), [=] { apply(after); }, [=] { apply(before); }));
    Q_EMIT statusMessage(
        archive
            ? tr("%1 run(s) archived: tag:archived shows them, Ctrl+Z brings them back.").arg(before.size())
            : tr("Back in the list."));
}

QStringList RunsPanel::trashedIds(qint64* bytes) const {
    QStringList ids;
    for (const store::RunSummary& run : context().catalog->runs()) {
        if (!run.trashed) continue;
        ids << QString::fromStdString(run.id);
        *bytes += run.bytes;
    }
    return ids;
}

void RunsPanel::purge() {
    // Nothing brings them back: the first click asks, the second one within a few seconds does it.
    qint64 bytes = 0;
    const QStringList ids = trashedIds(&bytes);
    if (ids.isEmpty()) return Q_EMIT statusMessage(tr("The trash is empty."));
    if (purge_->property("asked").toBool()) {
        purge_->setProperty("asked", false);
        Q_EMIT purgeRequested(ids);
        return updateFooter();
    }
    purge_->setProperty("asked", true);
    updateFooter();
    constexpr int kPatience = 6000;
    QTimer::singleShot(kPatience, purge_, [this] {
        purge_->setProperty("asked", false);
        updateFooter();
    });
}

void RunsPanel::setSavedFilters(const QStringList& filters) {
    filterBox_->setSaved(filters);
}

void RunsPanel::starSelected() {
    const QStringList ids = selectedIds();
    if (ids.isEmpty()) return;
    RunCatalog* catalog = context().catalog;
    const store::RunSummary* first = catalog->run(ids.first());
    const bool on = !first || !first->starred;
    for (const QString& id : ids) catalog->setStarred(id, on);
}

bool RunsPanel::hasData() const {
    return filter_->rowCount() > 0;
}
QString RunsPanel::statement() const {
    return count_->text();
}
QString RunsPanel::filterText() const {
    return filterBox_->text();
}
void RunsPanel::setFilterText(const QString& text) {
    filterBox_->setText(text);
    applyFilter();
}
QByteArray RunsPanel::headerState() const {
    return table_->horizontalHeader()->saveState();
}
void RunsPanel::restoreHeaderState(const QByteArray& state) {
    if (!state.isEmpty() && table_->horizontalHeader()->restoreState(state)) widthsSet_ = true;
}

}  // namespace kurve::views
