#include "views/machines/machine_runs.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTreeWidget>

#include "core/wire/fields.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

enum Column : unsigned char { Name, State, Step, Here };

}  // namespace

MachineRuns::MachineRuns(StateHere stateHere, QWidget* parent)
    : QWidget(parent),
      stateHere_(std::move(stateHere)),
      rows_(describe(new QTreeWidget, "machines.runs", tr("Runs on the machine"))),
      about_(describe(new QLabel, "machines.runs_about", tr("State of the list"),
                      {.role = "caption", .wraps = true})),
      list_(describe(new QPushButton, "machines.list", tr("List the runs there"), {.text = tr("Refresh")})),
      follow_(describe(new QPushButton, "machines.follow", tr("Follow the selected run"),
                       tr("Show the run in this project and keep it up to date until it ends"),
                       {.text = tr("Follow")})) {
    rows_->setHeaderLabels({tr("Run"), tr("There"), tr("Step"), tr("Here")});
    rows_->setRootIsDecorated(false);
    rows_->setUniformRowHeights(true);
    rows_->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    rows_->header()->setStretchLastSection(false);
    rows_->header()->setSectionResizeMode(Name, QHeaderView::Stretch);
    vboxIn(this, {about_, {rows_, 1}, hbox({list_, follow_, Stretch{}})});
    connect(list_, &QPushButton::clicked, this, &MachineRuns::listRequested);
    connect(follow_, &QPushButton::clicked, this, [this] { Q_EMIT followRequested(selectedRun()); });
    connect(rows_, &QTreeWidget::itemActivated, follow_, &QPushButton::click);
    connect(rows_, &QTreeWidget::itemSelectionChanged, this, &MachineRuns::updateFollow);
}

QString MachineRuns::selectedRun() const {
    const auto rows = rows_->selectedItems();
    return rows.isEmpty() ? QString() : rows.first()->data(Name, Qt::UserRole).toString();
}

void MachineRuns::show(const Machines::Answer& answer) {
    const bool failed = answer.answer && !*answer.answer;
    const nlohmann::json document = answer.answer && !failed ? **answer.answer : nlohmann::json();
    fill(wire::Fields(document).list("runs"));
    showText(*about_,
             answer.pending   ? tr("Connecting…")
             : failed         ? qt(answer.answer->error().text())
             : !answer.answer ? tr("“Refresh” asks the machine for this project's runs there.")
             : rows_->topLevelItemCount() == 0
                 ? tr("This project has no runs there yet. Choose the machine in the Launch form (F5).")
                 : QString());
    list_->setEnabled(!answer.pending);
}

void MachineRuns::fill(const nlohmann::json& runs) {
    const QString selected = selectedRun();
    rows_->clear();
    for (const nlohmann::json& one : runs) {
        const wire::Fields run(one);
        const QString id = qt(run.text("id")), name = qt(run.text("name")), here = stateHere_(id);
        const StateStyle state = stateStyle(run.text("state"));
        auto* row = new QTreeWidgetItem(
            rows_, {name.isEmpty() ? id : name, state.glyph + QLatin1Char(' ') + state.text,
                    countText(run.integer("step", qint64(0))), here.isEmpty() ? tr("–") : here});
        row->setData(Name, Qt::UserRole, id);
        row->setToolTip(Name, id);
        row->setForeground(State, state.color);
        row->setSelected(id == selected);
    }
    updateFollow();
}

void MachineRuns::updateFollow() {
    follow_->setEnabled(!selectedRun().isEmpty());
}

}  // namespace kurve::views
