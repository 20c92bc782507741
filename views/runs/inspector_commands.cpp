// The commands of the inspector.
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <utility>

#include "views/common/data/run_catalog.h"
#include "views/common/services/draft_form.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/runs/inspector_panel.h"
#include "views/runs/run_action_menu.h"
#include "views/runs/run_annotations.h"
#include "views/runs/run_edits.h"
#include "views/runs/run_requests.h"
#include "views/runs/run_table.h"

namespace kurve::views {

void InspectorPanel::connectServices() {
    RunRequests* requests = &ask<RunRequests>();
    connect(checkpoints_, &CheckpointTable::requested, this, [this, requests](const RunRequest& request) {
        request.kind == RunRequest::Kind::Sample ? sample(request) : requests->carryOut(request);
    });
    connect(requests, &RunRequests::failed, this, &Panel::statusMessage);
    connect(requests, &RunRequests::failed, checkpoints_, &CheckpointTable::setProblem);
    connect(requests, &RunRequests::intactOffered, this, &InspectorPanel::offerIntact);
    connect(requests, &RunRequests::retentionRead, checkpoints_, &CheckpointTable::setRetention);
    if (RunEdits* edits = context().services->find<RunEdits>()) {
        connect(annotations_, &RunAnnotations::tagsChanged, edits, &RunEdits::changeTags);
        annotations_->setNoteStore(edits->notes());
    }
}

void InspectorPanel::sample(const RunRequest& request) {
    context().selection->setRuns({request.run});
    ask<Studio>().reveal(QStringLiteral("prompt"));
    const QString digits = request.checkpoint.section(QLatin1Char('-'), -1);
    ask<PromptBar>().useCheckpoint(QString::number(digits.toLongLong()));
}

void InspectorPanel::openLatestTrace() {
    const auto data = context().catalog->data(id_);
    if (!data || !data->traces.empty()) return ask<Traces>().openNewest();
    ask<Studio>().goTo(QStringLiteral("prompt"));
}

void InspectorPanel::connectActions() {
    for (const auto& [button, action] : {std::pair{resume_, RunAction::Resume},
                                         {draft_, RunAction::Draft},
                                         {reproduce_, RunAction::Reproduce}}) {
        const QAction* command = actions_->action(action);
        button->setToolTip(command->toolTip());
        connect(button, &QPushButton::clicked, command, &QAction::trigger);
    }
    extend_->setToolTip(actions_->action(RunAction::Extend)->toolTip());
    connect(extend_, &QPushButton::clicked, this, [this] { request(RunRequest::Kind::Extend); });
    connect(actions_, &RunActionMenu::chosen, this, &InspectorPanel::perform);
}

void InspectorPanel::perform(RunAction action) {
    switch (action) {
        case RunAction::Resume:
            return request(RunRequest::Kind::Resume);
        case RunAction::Reproduce:
            return request(RunRequest::Kind::Reproduce);
        case RunAction::Extend:
            reveal();
            extraSteps_->setFocus(Qt::OtherFocusReason);
            extraSteps_->selectAll();
            return;
        case RunAction::Fork:
            reveal();
            tabs_->setCurrentWidget(checkpoints_);
            return checkpoints_->focusFork();
        case RunAction::Draft:
            ask<Studio>().reveal(QStringLiteral("launch"));
            return ask<DraftForm>().adoptRun(id_);
        case RunAction::Evaluate:
            return openEvaluation();
        case RunAction::OpenTrace:
            return openLatestTrace();
        case RunAction::Distil:
            return request(RunRequest::Kind::Distil);
        case RunAction::Fetch:
            return request(RunRequest::Kind::Fetch);
        case RunAction::Follow:
            return request(RunRequest::Kind::Follow);
    }
}

void InspectorPanel::registerCheckpointCommands() {
    const auto show = [this] {
        reveal();
        tabs_->setCurrentWidget(checkpoints_);
    };
    const CommandGroup add(context().commands, tr("Run"));
    add("checkpoint.pin", tr("Pin / unpin the selected checkpoint"), {},
        tr("A pinned checkpoint is never pruned"), [this, show] {
            show();
            if (!checkpoints_->pinSelected()) Q_EMIT statusMessage(tr("The selected run has no checkpoint."));
        });
    add("checkpoint.prune", tr("Prune the checkpoints of the selected run…"), {},
        tr("Shows in the inspector what pruning frees; its button prunes"), [this, show] {
            show();
            checkpoints_->focusPruning();
        });
}

// Of the rows of the run list.
void InspectorPanel::registerAnnotationCommands() {
    const auto add = [this](const char* id, const QString& title, Qt::Key key, const QString& help,
                            void (RunAnnotations::*edit)()) {
        CommandGroup(context().commands, tr("Run"), context().services->find<RunTable>())(
            id, title, key, help, [this, edit] {
                reveal();
                (annotations_->*edit)();
            });
    };
    add("runs.tags", tr("Edit tags"), Qt::Key_T, tr("Edit the tags of the run in the inspector"),
        &RunAnnotations::editTags);
    add("runs.notes", tr("Edit notes"), Qt::Key_N, tr("Edit the notes of the run in the inspector"),
        &RunAnnotations::editNotes);
}

void InspectorPanel::offerIntact(const QString& run, qint64 step, const QString& why) {
    if (run != id_) return;
    reveal();
    tabs_->setCurrentWidget(checkpoints_);
    checkpoints_->offerIntact(step, why);
}

}  // namespace kurve::views
