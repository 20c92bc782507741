#include "views/runs/runs_panel.h"

#include <QHeaderView>
#include <QJsonArray>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTimer>
#include <QToolButton>
#include <algorithm>
#include <tuple>

#include "core/store/filter_words.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/services/project_files.h"
#include "views/common/services/trainings.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/content_or_empty.h"
#include "views/common/shell/empty_state.h"
#include "views/common/shell/selection.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/elided_label.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"
#include "views/runs/column_chooser.h"
#include "views/runs/filter_box.h"
#include "views/runs/purge_button.h"
#include "views/runs/run_actions.h"
#include "views/runs/run_edits.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/run_table.h"
#include "views/runs/run_table_model.h"

namespace kurve::views {

RunsPanel::RunsPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("runs"), tr("Runs"), context, parent),
      model_(new RunTableModel(this)),
      filter_(new RunFilterModel(model_, this)),
      filterBox_(new FilterBox([this]() -> const auto& { return this->context().catalog->runs(); })),
      filterError_(describe(new QLabel, {.role = "error", .wraps = true, .hidden = true})),
      table_(new RunTable(filter_)),
      empty_(new EmptyState),
      content_(new ContentOrEmpty(table_, empty_)),
      count_(new ElidedLabel("caption")),
      trash_(describe(new QPushButton(tr("Trash")), "runs.trash", {}, tr("Show the runs in the trash"),
                      {.role = "quiet", .checkable = true})),
      purge_(new PurgeButton(tr("run"))),
      edits_(context.services->find<RunEdits>()),
      columns_(new ColumnChooser(model_, table_)) {
    vboxIn(this, {buildHead(), {content_, 1}, buildFoot()}, {.margins = 0, .spacing = 0});
    connectParts();
    connectTable();
    registerCommands();
    registerEditCommands();
    registerColumnCommands();
    engineInfoChanged();
    model_->setHidden(context.selection->hiddenRuns());
    updateBaseline();
    updateRuns();
    context.services->offer<RunList>(*this);
    context.services->offer(*table_);
}

QWidget* RunsPanel::buildHead() {
    describe(filterBox_, "runs.filter", tr("Filter runs"),
             tr("Words, and terms such as  valid_bleu>40  train.lr<1e-3  tag:ok  family:…  state:running"),
             {.placeholder = tr("Filter: valid_bleu>40 tag:ok state:running …"), .clearable = true});
    auto* filters = describe(new QToolButton, "runs.filters", tr("Saved filters"), tr("Saved filters"),
                             {.text = QStringLiteral("★")});
    filters->setArrowType(Qt::NoArrow);
    filters->setPopupMode(QToolButton::InstantPopup);
    filters->setMenu(filterBox_->menu());
    auto* line = hbox({{filterBox_, 1}, filters}, {.spacing = 2});
    return boxed(vbox({line, filterError_}, {.margins = space::kSmall}));
}

QWidget* RunsPanel::buildFoot() {
    purge_->setObjectName(QStringLiteral("runs.purge"));
    return boxed(hbox({{count_, 1}, purge_, trash_}, {.margins = {space::kMedium, 2, space::kTight, 2}}));
}

void RunsPanel::connectParts() {
    auto* settle = new QTimer(this);
    settle->setSingleShot(true);
    settle->setInterval(60);
    connect(settle, &QTimer::timeout, this, &RunsPanel::applyFilter);
    connect(filterBox_, &QLineEdit::textChanged, settle, qOverload<>(&QTimer::start));
    connect(filterBox_, &FilterBox::savedChanged, this, &RunsPanel::stateChanged);
    connect(trash_, &QPushButton::toggled, this, [this](bool on) {
        const QStringList before = unlisted();
        filter_->setTrashShown(on);
        keepListed(before);
        updateFooter();
    });
    connect(purge_, &PurgeButton::confirmed, &ask<ProjectFiles>(), &ProjectFiles::purge);
    connect(empty_, &EmptyState::clicked, this, [this] {
        if (model_->runCount() == 0) context().commands->trigger(QStringLiteral("run.start"));
        trash_->setChecked(false);
        filterBox_->clear();
    });
    connect(model_, &RunTableModel::renameRequested, edits_, &RunEdits::rename);
    connect(edits_, &RunEdits::message, this, &RunsPanel::statusMessage);
    connect(edits_, &RunEdits::textsChanged, this, &RunsPanel::showUndo);
    connect(table_, &RunTable::runsSelected, context().selection, &Selection::setRuns);
    connect(table_, &RunTable::runsSelected, this, &RunsPanel::updateFooter);
    connect(table_, &QTableView::customContextMenuRequested, this, &RunsPanel::contextMenu);
    connect(table_, &QTableView::clicked, this, [this](const QModelIndex& index) {
        if (!index.data(RunTableModel::IdRole).isValid()) return fold(index);
        if (index.column() == RunTableModel::Star) edits_->star(table_->selectedIds());
    });
    connect(context().catalog, &RunCatalog::runsChanged, this, &RunsPanel::updateRuns);
    connect(&ask<Trainings>(), &Trainings::changed, this, &RunsPanel::updateLost);
    connect(context().catalog, &RunCatalog::problemChanged, this, &RunsPanel::updateFooter);
    connect(context().selection, &Selection::runsChanged, this, &RunsPanel::showSelection);
    connect(context().selection, &Selection::hiddenChanged, model_, &RunTableModel::setHidden);
    connect(context().selection, &Selection::hiddenChanged, this, &RunsPanel::updateFooter);
}

void RunsPanel::connectTable() {
    Selection* selection = context().selection;
    connect(table_, &RunTable::headerMenuRequested, columns_, &ColumnChooser::openMenu);
    connect(columns_, &ColumnChooser::changed, this, &RunsPanel::showSelection);
    const QHeaderView* columns = table_->horizontalHeader();
    for (const auto signal : {&QHeaderView::sectionResized, &QHeaderView::sectionMoved})
        connect(columns, signal, this, &RunsPanel::stateChanged);
    connect(columns, &QHeaderView::sortIndicatorChanged, this, &RunsPanel::stateChanged);
    connect(table_, &RunTable::hovered, selection, &Selection::setHoveredRun);
    connect(selection, &Selection::hoveredRunChanged, table_, &RunTable::setPointed);
    connect(selection, &Selection::baselineChanged, this, &RunsPanel::updateBaseline);
}

void RunsPanel::updateBaseline() {
    model_->setBaseline(context().selection->baseline());
    showSelection();
}

void RunsPanel::engineInfoChanged() {
    model_->setEngine(context().engine);
    columns_->setEngine(context().engine);
}

void RunsPanel::updateRuns() {
    const bool first = model_->runCount() == 0;
    model_->setRuns(context().catalog->list());
    updateLost();
    if (model_->runCount() > 0) table_->fitColumns();
    if (first && context().selection->runs().isEmpty()) selectDefault();
    showSelection();
    updateFooter();
}

void RunsPanel::updateLost() {
    QMap<QString, double> lost;
    for (const store::RunSummary& run : context().catalog->runs())
        if (!run.machine.empty()) {
            const QString id = qt(run.id);
            if (const double since = ask<Trainings>().lostSince(id); since > 0) lost[id] = since;
        }
    model_->setLostSince(lost);
}

/// The project's default run, else the newest. Not the first row: the order is not final before all runs are
/// read.
void RunsPanel::selectDefault() {
    if (const store::Project* project = context().project; project != nullptr)
        if (const QString id = qt(project->defaultRun()); context().catalog->run(id)) return selectRun(id);
    const store::RunSummary* newest = nullptr;
    for (int row = 0; row < filter_->rowCount(); ++row) {
        const auto* run = model_->at(filter_->mapToSource(filter_->index(row, 0)).row());
        if (run == nullptr) continue;
        if (newest == nullptr || std::tie(run->started, run->id) > std::tie(newest->started, newest->id))
            newest = run;
    }
    if (newest != nullptr) selectRun(qt(newest->id));
}

void RunsPanel::applyFilter() {
    const QStringList before = unlisted();
    const Status status = filter_->setExpression(filterBox_->text());
    keepListed(before);
    filterError_->setVisible(!status);
    if (!status) filterError_->setText(qt(status.error().text()));
    updateFooter();
    Q_EMIT stateChanged();
}

bool RunsPanel::isListed(const QString& run) const {
    const int row = model_->rowOf(run);
    return row >= 0 && filter_->mapFromSource(model_->index(row, 0)).isValid();
}

QStringList RunsPanel::unlisted() const {
    QStringList runs = context().selection->runs();
    if (filter_->rowCount() > 0)
        runs.removeIf([this](const QString& run) { return isListed(run); });
    else
        runs.removeIf([this](const QString& run) { return context().catalog->run(run) != nullptr; });
    return runs;
}

/// A filter without matches is usually half typed and changes nothing.
void RunsPanel::keepListed(const QStringList& unlistedBefore) {
    if (filter_->rowCount() == 0) return;
    context().selection->keepRuns(
        [&](const QString& run) { return isListed(run) || unlistedBefore.contains(run); });
    showSelection();
}

/// Runs in a folded group stay selected only where no other is.
void RunsPanel::fold(const QModelIndex& group) {
    const QStringList before = unlisted(), selected = context().selection->runs();
    filter_->toggleGroup(group);
    if (std::ranges::any_of(selected, [this](const auto& run) { return isListed(run); })) keepListed(before);
    showSelection();
}

void RunsPanel::showSelection() {
    table_->select(context().selection->runs());
}

void RunsPanel::selectRun(const QString& id) {
    context().selection->setRuns({id});
}

void RunsPanel::updateFooter() {
    const int shown = filter_->matchCount(), all = model_->runCount();
    const auto selected = table_->selectionModel()->selectedRows().size();
    QString text = countedText(all, tr("run"));
    if (shown != all) text = tr("%1 of %2").arg(countText(shown), text);
    if (selected > 1) text += tr(" · %1 selected (Enter: compare)").arg(selected);
    if (const int hidden = hiddenCount(); hidden > 0) text += tr(" · %1 hidden").arg(hidden);
    count_->setText(text);
    updatePurge();
    content_->setEmpty(shown == 0);
    if (shown > 0) return;
    const QString problem = context().catalog->problem();
    if (!problem.isEmpty())
        empty_->setTexts(tr("Runs cannot be read"), problem);
    else if (all == 0 && !context().catalog->complete())
        empty_->setTexts(tr("Reading…"), {});
    else if (all == 0)
        empty_->setTexts(tr("No runs yet"), tr("Start a training; its run appears here."),
                         tr("Start training  (F5)"));
    else if (filter_->isTrashShown())
        empty_->setTexts(tr("The trash is empty"), tr("Del moves runs here without deleting them."),
                         tr("Back to the runs"));
    else
        empty_->setTexts(tr("No run matches"), whyNoneMatches(), tr("Clear filter"));
}

QString RunsPanel::whyNoneMatches() const {
    QString why = qt(store::whyNothingMatches(filter_->expression(), context().catalog->runs()));
    if (why.isEmpty()) return tr("Hidden by the filter: %1.").arg(countedText(model_->runCount(), tr("run")));
    return why.replace(0, 1, why[0].toUpper());
}

void RunsPanel::contextMenu(const QPoint& position) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("runs.menu"));
    menu->setToolTipsVisible(true);  // unavailable actions show the reason
    const auto add = [&](QMenu& into, std::initializer_list<RunAction> actions) {
        for (const RunAction action : actions)
            if (QAction* entry = context().commands->action(QLatin1String(commandOf(action))))
                into.addAction(entry);
        menu->addSeparator();
    };
    using enum RunAction;
    const store::RunSummary* run = context().catalog->run(context().selection->primaryRun());
    const bool elsewhere = run != nullptr && !run->machine.empty();  // it goes on there
    add(*menu, {elsewhere ? Follow : Resume, elsewhere ? Fetch : Extend, Reproduce, Fork, Draft});
    add(*menu, {Evaluate, OpenTrace, Distil});
    add(*menu, {Compare, Trash});
    add(*menu->addMenu(tr("Edit")), {Star, Rename, Tags, Notes, Archive});
    add(*menu->addMenu(tr("Charts")), {Baseline, Colours, Hide, ShowAll});
    menu->popup(table_->viewport()->mapToGlobal(position));
}

void RunsPanel::hideSelected() {
    const QStringList ids = table_->selectedIds();
    if (ids.isEmpty()) return;
    Selection* selection = context().selection;
    const bool hide = !selection->isHidden(ids.first());
    selection->hideRuns(ids, hide);
    Q_EMIT statusMessage((hide ? tr("Hidden in charts: %1. H shows them again.") : tr("Shown in charts: %1."))
                             .arg(countedText(ids.size(), tr("run"))));
}

int RunsPanel::hiddenCount() const {
    int count = 0;
    for (const store::RunSummary& run : context().catalog->runs())
        count += !run.trashed && context().selection->isHidden(qt(run.id)) ? 1 : 0;
    return count;
}

void RunsPanel::updatePurge() {
    QStringList ids;
    qint64 bytes = 0;
    for (const store::RunSummary& run : context().catalog->runs()) {
        if (!run.trashed || !filter_->isTrashShown()) continue;
        ids << qt(run.id);
        bytes += run.bytes;
    }
    purge_->setTrash(ids, bytes);
}

QJsonObject RunsPanel::saveState() const {
    return {{QStringLiteral("filter"), filterBox_->text()},
            {QStringLiteral("filters"), QJsonArray::fromStringList(filterBox_->saved())},
            {QStringLiteral("columns"), table_->columns()}};
}

void RunsPanel::restoreState(const QJsonObject& saved) {
    filterBox_->setSaved(saved.value(QStringLiteral("filters")).toVariant().toStringList());
    table_->restoreColumns(saved.value(QStringLiteral("columns")).toObject());
    setFilterText(saved.value(QStringLiteral("filter")).toString());
}

bool RunsPanel::hasData() const {
    return filter_->rowCount() > 0;
}
QString RunsPanel::statement() const {
    return count_->text();
}
void RunsPanel::setFilterText(const QString& text) {
    filterBox_->setText(text);
    applyFilter();
}
QTableView* RunsPanel::table() const {
    return table_;
}

}  // namespace kurve::views
