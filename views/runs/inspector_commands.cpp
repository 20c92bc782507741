// The commands of the inspector.
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <utility>

#include "views/common/command_registry.h"
#include "views/runs/inspector_panel.h"
#include "views/runs/run_action_menu.h"

namespace kurve::views {

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
            Q_EMIT heightWanted();
            extraSteps_->setFocus(Qt::OtherFocusReason);
            extraSteps_->selectAll();
            return;
        case RunAction::Fork:
            Q_EMIT heightWanted();
            tabs_->setCurrentWidget(checkpoints_);
            return checkpoints_->focusFork();
        case RunAction::Draft:
            return Q_EMIT draftRequested(id_);
        case RunAction::Evaluate:
            return openEvaluation();
        case RunAction::OpenTrace:
            return Q_EMIT latestTraceRequested(id_);
        case RunAction::Distil:
            return Q_EMIT distilRequested(id_);
    }
}

void InspectorPanel::registerCheckpointCommands() {
    const auto show = [this] {
        Q_EMIT heightWanted();
        tabs_->setCurrentWidget(checkpoints_);
    };
    context().commands->add({"checkpoint.pin",
                             tr("Pin / unpin the selected checkpoint"),
                             tr("Run"),
                             {},
                             tr("A pinned checkpoint is never pruned")},
                            [this, show] {
                                show();
                                if (!checkpoints_->pinSelected())
                                    Q_EMIT statusMessage(tr("The selected run has no checkpoint."));
                            });
    context().commands->add({"checkpoint.prune",
                             tr("Prune the checkpoints of the selected run…"),
                             tr("Run"),
                             {},
                             tr("Shows in the inspector what pruning frees; its button prunes")},
                            [this, show] {
                                show();
                                checkpoints_->focusPruning();
                            });
}

void InspectorPanel::offerIntact(const QString& run, qint64 step, const QString& why) {
    if (run != id_) return;
    Q_EMIT heightWanted();
    tabs_->setCurrentWidget(checkpoints_);
    checkpoints_->offerIntact(step, why);
}

}  // namespace kurve::views
