// The laboratory's commands: the keys of its points, and in the palette whatever has a button.
#include <QLineEdit>
#include <QPushButton>

#include "views/common/shell/command_registry.h"
#include "views/schedule/compared_schedules.h"
#include "views/schedule/lab_runs.h"
#include "views/schedule/point_editor.h"
#include "views/schedule/schedule_panel.h"

namespace kurve::views {

void SchedulePanel::addCommands() {
    if (context().commands == nullptr) return;
    const QString menu = tr("Edit");
    CommandRegistry& commands = *context().commands;
    const CommandGroup addHere(&commands, menu, this);
    addHere("schedule.undo", tr("Undo schedule change"), QKeySequence::Undo,
            tr("Undo the last change of schedule A"), [this] { undo(); });
    commands.add(
        {"schedule.redo",
         tr("Redo schedule change"),
         menu,
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z),
         tr("Redo the undone change of schedule A"),
         {QKeySequence(Qt::CTRL | Qt::Key_Y)}},
        [this] { redo(); }, this);
    addHere("schedule.add", tr("Add schedule point"), Qt::Key_Insert,
            tr("Add a point beside the selected one"), [this] {
                if (!state_.a.drawn()) drawByPoints();
                points_->addPoint();
            });
    addHere("schedule.remove", tr("Remove schedule point"), Qt::Key_Delete, {}, [this] {
        if (state_.a.drawn()) points_->removePoint();
    });
    addButtonCommands();
}

void SchedulePanel::addButtonCommands() {
    const CommandGroup add(context().commands, tr("Schedule"), this, "schedule.");
    add("save", tr("Save schedule A as preset…"), {},
        tr("Save as schedules/NAME.toml: type a name, then press Enter"), [this] {
            name_->setFocus(Qt::ShortcutFocusReason);
            name_->selectAll();
        });
    add("use", tr("Use schedule A in draft"), {}, tr("Use A in the draft's settings"),
        [this] { useInDraft(); });
    add("sample", tr("Sample with schedule A"), {},
        tr("Decode the selected run with these noise levels, steps and spacing (at test time only)"),
        [this] { sampleWith(); });
    add("swap", tr("Swap schedules A and B"), {}, tr("Swap the schedules; A is the editable one"),
        [this] { swap(); });
    add("compare", tr("Compare schedule A as it is"), {},
        tr("Keep A's present curve as a thinner line in the charts"), [this] { compared_->add(state_.a); });
    add("points", tr("Draw schedule A by points"), {},
        tr("Convert A to points that can be moved in every chart"), [this] { drawByPoints(); });
    add("flatten", tr("Flatten schedule A"), {},
        tr("Propose a schedule whose p(log-SNR) follows the slope of the selected run's loss"),
        [this] { proposeFlat(); });
    add("apply", tr("Apply proposed schedule"), {},
        tr("Replace schedule A with the proposal (Ctrl+Z undoes)"), [this] { applyProposal(true); });
    add("dismiss", tr("Dismiss proposed schedule"), {}, tr("Discard the proposal"),
        [this] { applyProposal(false); });
    add("export_csv", tr("Export schedule A as table (CSV)…"), {}, tr("Export its levels by time"),
        [this] { exportTo(QStringLiteral("csv")); });
    add("export_svg", tr("Export schedule A as figure (SVG)…"), {}, tr("Export the charts of the laboratory"),
        [this] { exportTo(QStringLiteral("svg")); });
    add("export_h", tr("Export schedule A as C++ initialiser…"), {}, tr("Export for another program"),
        [this] { exportTo(QStringLiteral("h")); });
    add("copy", tr("Copy schedule A as setting"), {}, tr("Copy the value of a schedule setting"),
        [this] { exportTo(QStringLiteral("text")); });
}

/// What cannot be done now says why, in the palette and on its button.
void SchedulePanel::showRefusals() {
    const QString noProject = context().project == nullptr ? tr("No project is open.") : QString(),
                  noRun = runs_->any() ? QString() : tr("Select a run first."),
                  noOther = b_.kind.empty() ? tr("No schedule B; choose one first.") : QString(),
                  drawn = state_.a.drawn() ? tr("Schedule A already has points.") : QString(),
                  noProposal = proposal_ ? QString() : tr("No proposed schedule; use Flatten first."),
                  noLoss = !noRun.isEmpty() ? noRun
                           : runs_->levels().empty()
                               ? tr("The selected run has no loss by noise level; train it longer.")
                               : QString();
    flatten_->setEnabled(noLoss.isEmpty());
    flatten_->setToolTip(
        noLoss.isEmpty()
            ? tr("Propose a schedule whose p(log-SNR) follows the slope of the selected run's loss")
            : noLoss);
    if (context().commands == nullptr) return;
    for (const auto& [id, reason] :
         {std::pair{"save", noProject}, std::pair{"sample", noRun}, std::pair{"swap", noOther},
          std::pair{"points", drawn}, std::pair{"flatten", noLoss}, std::pair{"apply", noProposal},
          std::pair{"dismiss", noProposal}})
        context().commands->setRefusal(QLatin1String("schedule.") + QLatin1String(id), reason);
}

}  // namespace kurve::views
