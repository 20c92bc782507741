// The commands of the inspector.
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <utility>

#include "views/common/data/run_catalog.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/runs/inspector_panel.h"
#include "views/runs/run_actions.h"
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

void InspectorPanel::connectActions() {
    CommandRegistry& commands = *context().commands;
    const auto show = [this](QWidget* tab) {
        reveal();
        tabs_->setCurrentWidget(tab);
    };
    addRunAction(commands, RunAction::Extend, [this] {
        reveal();
        extraSteps_->setFocus(Qt::OtherFocusReason);
        extraSteps_->selectAll();
    });
    addRunAction(commands, RunAction::Fork, [this, show] {
        show(checkpoints_);
        checkpoints_->focusFork();
    });
    addRunAction(commands, RunAction::Evaluate, [this] { openEvaluation(); });
    addRunAction(commands, RunAction::Pin, [this, show] {
        show(checkpoints_);
        if (!checkpoints_->pinSelected()) Q_EMIT statusMessage(tr("The selected run has no checkpoint."));
    });
    addRunAction(commands, RunAction::Prune, [this, show] {
        show(checkpoints_);
        checkpoints_->focusPruning();
    });
    for (const auto& [button, action] : {std::pair{resume_, RunAction::Resume},
                                         {draft_, RunAction::Draft},
                                         {reproduce_, RunAction::Reproduce}}) {
        button->setToolTip(helpOf(action));
        connect(button, &QPushButton::clicked, this,
                [&commands, id = QLatin1String(commandOf(action))] { commands.trigger(id); });
    }
    extend_->setToolTip(helpOf(RunAction::Extend));
    connect(extend_, &QPushButton::clicked, this, &InspectorPanel::extend);
}

// Of the rows of the run list.
void InspectorPanel::registerAnnotationCommands() {
    const auto add = [this](RunAction action, void (RunAnnotations::*edit)()) {
        const auto run = [this, edit] {
            reveal();
            (annotations_->*edit)();
        };
        addRunAction(*context().commands, action, run, context().services->find<RunTable>());
    };
    add(RunAction::Tags, &RunAnnotations::editTags);
    add(RunAction::Notes, &RunAnnotations::editNotes);
}

void InspectorPanel::offerIntact(const QString& run, qint64 step, const QString& why) {
    if (run != id_) return;
    reveal();
    tabs_->setCurrentWidget(checkpoints_);
    checkpoints_->offerIntact(step, why);
}

}  // namespace kurve::views
