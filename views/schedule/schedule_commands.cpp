// The laboratory's commands: the keys of its points, and in the palette whatever has a button.
#include <QLineEdit>
#include <QPushButton>

#include "views/common/command_registry.h"
#include "views/schedule/point_editor.h"
#include "views/schedule/schedule_panel.h"

namespace kurve::views {

void SchedulePanel::addCommands() {
    if (context().commands == nullptr) return;
    const QString menu = tr("Edit");
    CommandRegistry& commands = *context().commands;
    commands.add(
        {"schedule.undo", tr("Undo in the schedule laboratory"), menu, QKeySequence(QKeySequence::Undo),
         tr("The last change of schedule A")},
        [this] { undo(); }, this);
    commands.add(
        {"schedule.redo",
         tr("Redo in the schedule laboratory"),
         menu,
         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z),
         tr("What was undone of schedule A"),
         {QKeySequence(Qt::CTRL | Qt::Key_Y)}},
        [this] { redo(); }, this);
    commands.add(
        {"schedule.add", tr("Add a point to the schedule"), menu, QKeySequence(Qt::Key_Insert),
         tr("Beside the selected one")},
        [this] {
            if (!state_.a.drawn()) drawByPoints();
            points_->addPoint();
        },
        this);
    commands.add(
        {"schedule.remove",
         tr("Remove the schedule's selected point"),
         menu,
         QKeySequence(Qt::Key_Delete),
         {}},
        [this] {
            if (state_.a.drawn()) points_->removePoint();
        },
        this);
    addButtonCommands();
}

void SchedulePanel::addButtonCommands() {
    const auto add = [this](const char* id, const QString& title, const QString& help,
                            std::function<void()> run) {
        context().commands->add(
            {QLatin1String("schedule.") + QLatin1String(id), title, tr("Schedule"), {}, help}, std::move(run),
            this);
    };
    add("save", tr("Save schedule A as a preset…"), tr("As schedules/NAME.toml: write a name, then Enter"),
        [this] {
            name_->setFocus(Qt::ShortcutFocusReason);
            name_->selectAll();
        });
    add("use", tr("Use schedule A in the draft"), tr("In the settings of the run that is being prepared"),
        [this] { useInDraft(); });
    add("sample", tr("Sample with schedule A"),
        tr("The selected run decodes with these noise levels, steps and spacing, at test time only"),
        [this] { sampleWith(); });
    add("swap", tr("Swap schedules A and B"), tr("B becomes the one that can be changed"),
        [this] { swap(); });
    add("points", tr("Draw schedule A by points"), tr("Points that can be moved in every chart"),
        [this] { drawByPoints(); });
    add("flatten", tr("Flatten schedule A"),
        tr("Proposes a schedule whose p(log-SNR) follows the loss spread of the selected run"),
        [this] { proposeFlat(); });
    add("apply", tr("Apply the proposed schedule"), tr("It becomes schedule A; Ctrl+Z goes back"),
        [this] { applyProposal(true); });
    add("dismiss", tr("Dismiss the proposed schedule"), tr("Schedule A stays as it is"),
        [this] { applyProposal(false); });
    add("export_csv", tr("Export schedule A as a table (CSV)…"), tr("Its levels by time"),
        [this] { exportTo(QStringLiteral("csv")); });
    add("export_svg", tr("Export schedule A as a picture (SVG)…"), tr("The charts of the laboratory"),
        [this] { exportTo(QStringLiteral("svg")); });
    add("export_h", tr("Export schedule A as a C++ initialiser…"), tr("For another program"),
        [this] { exportTo(QStringLiteral("h")); });
    add("copy", tr("Copy schedule A as a setting"), tr("What a setting for a schedule takes"),
        [this] { exportTo(QStringLiteral("text")); });
}

/// What cannot be done now says why, in the palette and on its button.
void SchedulePanel::showRefusals() {
    const QString noProject = context().project == nullptr ? tr("No project is open.") : QString(),
                  noRun = watched_.isEmpty() ? tr("Select a run first.") : QString(),
                  noOther = b_.kind.empty() ? tr("Choose a schedule B to swap with.") : QString(),
                  drawn = state_.a.drawn() ? tr("It is drawn by points already.") : QString(),
                  noProposal = proposal_ ? QString() : tr("Nothing is proposed: flatten first."),
                  noLoss = !noRun.isEmpty()            ? noRun
                           : noiseLoss_.levels.empty() ? tr("The selected run has no loss by noise level.")
                                                       : QString();
    flatten_->setEnabled(noLoss.isEmpty());
    flatten_->setToolTip(
        noLoss.isEmpty()
            ? tr("Proposes a schedule whose p(log-SNR) follows the loss spread of the selected run")
            : noLoss);
    if (context().commands == nullptr) return;
    for (const auto& [id, reason] :
         {std::pair{"save", noProject}, std::pair{"sample", noRun}, std::pair{"swap", noOther},
          std::pair{"points", drawn}, std::pair{"flatten", noLoss}, std::pair{"apply", noProposal},
          std::pair{"dismiss", noProposal}})
        context().commands->setRefusal(QLatin1String("schedule.") + QLatin1String(id), reason);
}

}  // namespace kurve::views
