// The commands of the list of runs.
#include <QPushButton>

#include "views/common/command_registry.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/runs/column_chooser.h"
#include "views/runs/filter_box.h"
#include "views/runs/purge_button.h"
#include "views/runs/run_edits.h"
#include "views/runs/run_filter_model.h"
#include "views/runs/run_table.h"
#include "views/runs/run_table_model.h"
#include "views/runs/runs_panel.h"

namespace kurve::views {

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
            if (table_->selectedIds().size() > 1)
                Q_EMIT compareRequested();
            else
                Q_EMIT statusMessage(tr("Select two or more runs (Ctrl or Shift), then press Enter."));
        },
        table_);
    commands->add(
        {"runs.star", tr("Star"), run, QKeySequence(Qt::Key_S), tr("Star or unstar the selected runs")},
        [this] { edits_->star(table_->selectedIds()); }, table_);
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
        {"runs.notes", tr("Edit notes"), run, QKeySequence(Qt::Key_N),
         tr("Write notes on the run in the inspector")},
        [this] { Q_EMIT notesRequested(); }, table_);
    commands->add({"runs.colours",
                   tr("Reassign colours to the selection"),
                   run,
                   {},
                   tr("Give the selected runs the most distinct colours")},
                  [this] { context().catalog->giveFirstLooks(table_->selectedIds()); });
}

void RunsPanel::registerSightCommands() {
    CommandRegistry* commands = context().commands;
    const QString run = tr("Run");
    commands->add(
        {"runs.hide", tr("Hide in the charts"), run, QKeySequence(Qt::Key_H),
         tr("Draw the selected runs in no chart, or again; nothing of them changes")},
        [this] { hideSelected(); }, table_);
    commands->add(
        {"runs.show_all", tr("Show all hidden runs"), run, QKeySequence(Qt::SHIFT | Qt::Key_H),
         tr("Draw every hidden run again")},
        [this] { context().selection->setHiddenRuns({}); }, table_);
    commands->add(
        {"runs.trash", tr("Move to trash"), run, QKeySequence(Qt::Key_Delete),
         tr("Out of the list into the trash, still on the disk; Ctrl+Z brings them back")},
        [this] { edits_->trash(table_->selectedIds(), !filter_->isTrashShown()); }, table_);
    commands->add(
        {"runs.archive", tr("Archive"), run, QKeySequence(Qt::Key_A),
         tr("Take the selected runs out of the list without touching them, or put them back; "
            "tag:archived shows them")},
        [this] { edits_->archive(table_->selectedIds()); }, table_);
    commands->add({"runs.purge",
                   tr("Delete the trash for good"),
                   run,
                   {},
                   tr("Frees the disk; asks once more and says how much")},
                  [this] {
                      trash_->setChecked(true);
                      if (purge_->isHidden()) return Q_EMIT statusMessage(tr("The trash is empty."));
                      purge_->press();
                  });
}

void RunsPanel::registerEditCommands() {
    CommandRegistry* commands = context().commands;
    commands->add({"runs.undo", tr("Undo"), tr("Edit"), QKeySequence(QKeySequence::Undo),
                   tr("Undo the last star, tag, note, name, hiding, archiving or move to the trash")},
                  [this] { edits_->undo(); });
    commands->add({"runs.redo", tr("Redo"), tr("Edit"), QKeySequence(QKeySequence::Redo),
                   tr("Do the undone change again")},
                  [this] { edits_->redo(); });
    commands->add({"runs.filter", tr("Filter runs"), tr("Edit"), QKeySequence(Qt::Key_Slash),
                   tr("Go to the filter box")},
                  [this] {
                      filterBox_->setFocus();
                      filterBox_->selectAll();
                  });
    commands->add({"runs.keep_filter",
                   tr("Keep or forget this filter"),
                   tr("Run"),
                   {},
                   tr("Kept filters are in the menu beside the filter box")},
                  [this] { filterBox_->saveOrForget(); });
    showUndo();
}

// The menu names what they would do.
void RunsPanel::showUndo() {
    const auto show = [this](const char* id, const QString& plain, const QString& what,
                             const QString& nothing) {
        context()
            .commands->action(QLatin1String(id))
            ->setText(what.isEmpty() ? plain : plain + QLatin1Char(' ') + what);
        context().commands->setRefusal(QLatin1String(id), what.isEmpty() ? nothing : QString());
    };
    show("runs.undo", tr("Undo"), edits_->undoText(), tr("Nothing was done to runs or recordings yet."));
    show("runs.redo", tr("Redo"), edits_->redoText(), tr("Nothing was undone."));
}

void RunsPanel::registerColumnCommands() {
    CommandRegistry* commands = context().commands;
    commands->add(
        {"runs.columns", tr("Choose the columns of the run list…"), tr("View"), QKeySequence(Qt::Key_C),
         tr("Any metric and any setting; drag a header to move it")},
        [this] { columns_->open(); }, table_);
    commands->add({"runs.usual_columns",
                   tr("The usual columns of the run list"),
                   tr("View"),
                   {},
                   tr("Quality first, and the other metrics")},
                  [this] { columns_->takeUsual(); });
    commands->add(
        {"runs.baseline", tr("Measure the others against this run"), tr("Run"), QKeySequence(Qt::Key_B),
         tr("Columns beside the metrics say how far each run is from it; again: no more")},
        [this] { pinBaseline(); }, table_);
}

void RunsPanel::pinBaseline() {
    const QString id = table_->selectedIds().value(0);
    if (id.isEmpty()) return;
    const bool off = context().selection->baseline() == id;
    context().selection->setBaseline(off ? QString() : id);
    const store::RunSummary* run = context().catalog->run(id);
    const QString name = run ? QString::fromStdString(run->name) : id;
    Q_EMIT statusMessage(
        off ? tr("%1 is no longer the baseline.").arg(name)
            : tr("The others are measured against %1: columns Δ of the run list.").arg(name));
}

}  // namespace kurve::views
