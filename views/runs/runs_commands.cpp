// The commands of the run list.
#include <QPushButton>

#include "views/common/data/run_catalog.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"
#include "views/runs/column_chooser.h"
#include "views/runs/filter_box.h"
#include "views/runs/purge_button.h"
#include "views/runs/run_actions.h"
#include "views/runs/run_edits.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/run_table.h"
#include "views/runs/run_table_model.h"
#include "views/runs/runs_panel.h"

namespace kurve::views {

void RunsPanel::registerCommands() {
    const auto add = [this](RunAction action, std::function<void()> run) {
        addRunAction(*context().commands, action, std::move(run), table_);
    };
    add(RunAction::Compare, [this] {
        if (table_->selectedIds().size() > 1)
            context().commands->trigger(QStringLiteral("workspace.compare"));
        else
            Q_EMIT statusMessage(tr("Select two or more runs (Ctrl or Shift), then press Enter."));
    });
    add(RunAction::Star, [this] { edits_->star(table_->selectedIds()); });
    add(RunAction::Rename, [this] {
        if (table_->currentIndex().isValid())
            table_->edit(table_->currentIndex().siblingAtColumn(RunTableModel::Name));
    });
    add(RunAction::Hide, [this] { hideSelected(); });
    add(RunAction::ShowAll, [this] { context().selection->setHiddenRuns({}); });
    add(RunAction::Trash, [this] { edits_->trash(table_->selectedIds(), !filter_->isTrashShown()); });
    add(RunAction::Archive, [this] { edits_->archive(table_->selectedIds()); });
    add(RunAction::Baseline, [this] { pinBaseline(); });
    addRunAction(*context().commands, RunAction::Colours,
                 [this] { context().catalog->assignFirstStyles(table_->selectedIds()); });
    addRunAction(*context().commands, RunAction::Purge, [this] {
        trash_->setChecked(true);
        if (purge_->isHidden()) return Q_EMIT statusMessage(tr("The trash is empty."));
        purge_->press();
    });
}

void RunsPanel::registerEditCommands() {
    CommandRegistry* commands = context().commands;
    const CommandGroup add(commands, tr("Edit"));
    add("runs.undo", tr("Undo"), QKeySequence::Undo,
        tr("Undo the last star, tag, note, name, hiding, archiving or move to the trash"),
        [this] { edits_->undo(); });
    add("runs.redo", tr("Redo"), QKeySequence::Redo, tr("Redo the undone change"),
        [this] { edits_->redo(); });
    add("runs.filter", tr("Filter runs"), Qt::Key_Slash, tr("Focus the filter field"), [this] {
        filterBox_->setFocus();
        filterBox_->selectAll();
    });
    const CommandGroup addRun(commands, tr("Run"));
    addRun("runs.save_filter", tr("Save / remove this filter"), {},
           tr("Saved filters are in the menu beside the filter field"),
           [this] { filterBox_->saveOrRemove(); });
    showUndo();
}

// The menu names the change.
void RunsPanel::showUndo() {
    const auto show = [this](const char* id, const QString& plain, const QString& what,
                             const QString& nothing) {
        context()
            .commands->action(QLatin1String(id))
            ->setText(what.isEmpty() ? plain : plain + QLatin1Char(' ') + what);
        context().commands->setRefusal(QLatin1String(id), what.isEmpty() ? nothing : QString());
    };
    show("runs.undo", tr("Undo"), edits_->undoText(), tr("Nothing to undo."));
    show("runs.redo", tr("Redo"), edits_->redoText(), tr("Nothing to redo."));
}

void RunsPanel::registerColumnCommands() {
    CommandRegistry* commands = context().commands;
    const CommandGroup addToTable(commands, tr("View"), table_);
    addToTable("runs.columns", tr("Choose the columns of the run list…"), Qt::Key_C,
               tr("Any metric or setting; drag a header to move a column"), [this] { columns_->open(); });
    const CommandGroup add(commands, tr("View"));
    add("runs.default_columns", tr("Default columns of the run list"), {},
        tr("Name, state, step, and the best BLEU or loss"), [this] { columns_->resetColumns(); });
    const auto addGrouping = [&](const char* id, const QString& title, RunGroupBy by) {
        add(id, title, {}, tr("A click on the row of a group folds it"), [this, by] { columns_->group(by); });
    };
    addGrouping("runs.group_none", tr("Do not group the runs"), RunGroupBy::None);
    addGrouping("runs.group_family", tr("Group runs by family"), RunGroupBy::Family);
    addGrouping("runs.group_experiment", tr("Group runs by experiment"), RunGroupBy::Experiment);
    addGrouping("runs.group_sweep", tr("Group runs by sweep"), RunGroupBy::Sweep);
    addGrouping("runs.group_tag", tr("Group runs by tag"), RunGroupBy::Tag);
}

void RunsPanel::pinBaseline() {
    const QString id = table_->selectedIds().value(0);
    if (id.isEmpty()) return;
    const bool off = context().selection->baseline() == id;
    context().selection->setBaseline(off ? QString() : id);
    const QString name = context().catalog->nameOf(id);
    Q_EMIT statusMessage(off ? tr("%1 is no longer the baseline.").arg(name)
                             : tr("Baseline: %1. Columns Δ of the run list show the differences.").arg(name));
}

}  // namespace kurve::views
