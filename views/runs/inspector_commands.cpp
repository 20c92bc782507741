// What the inspector does when it is asked to.
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <utility>

#include "views/common/command_registry.h"
#include "views/runs/inspector_panel.h"
#include "views/runs/run_deeds.h"

namespace kurve::views {

void InspectorPanel::connectDeeds() {
    for (const auto& [button, deed] :
         {std::pair{resume_, RunDeed::Resume}, {draft_, RunDeed::Draft}, {again_, RunDeed::Again}}) {
        QAction* action = deeds_->action(deed);
        button->setToolTip(action->toolTip());
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
    }
    extend_->setToolTip(deeds_->action(RunDeed::Extend)->toolTip());
    connect(extend_, &QPushButton::clicked, this, [this] { wish(RunWish::Kind::Extend); });
    connect(deeds_, &RunDeeds::chosen, this, &InspectorPanel::carryOut);
}

void InspectorPanel::carryOut(RunDeed deed) {
    switch (deed) {
        case RunDeed::Resume:
            return wish(RunWish::Kind::Resume);
        case RunDeed::Again:
            return wish(RunWish::Kind::Again);
        case RunDeed::Extend:
            Q_EMIT roomWanted();
            extra_->setFocus(Qt::OtherFocusReason);
            extra_->selectAll();
            return;
        case RunDeed::Fork:
            Q_EMIT roomWanted();
            tabs_->setCurrentWidget(checkpoints_);
            return checkpoints_->focusFork();
        case RunDeed::Draft:
            return Q_EMIT draftRequested(id_);
        case RunDeed::Evaluate:
            return openEvaluation();
        case RunDeed::LookInside:
            return Q_EMIT lookRequested(id_);
        case RunDeed::Distil:
            return Q_EMIT distilRequested(id_);
    }
}

void InspectorPanel::registerCheckpointCommands() {
    const auto show = [this] {
        Q_EMIT roomWanted();
        tabs_->setCurrentWidget(checkpoints_);
    };
    context().commands->add({"checkpoint.pin",
                             tr("Pin the selected checkpoint, or let it go"),
                             tr("Run"),
                             {},
                             tr("Of the selected run, in the inspector: a pinned one stays whatever comes")},
                            [this, show] {
                                show();
                                if (!checkpoints_->pinSelected())
                                    Q_EMIT statusMessage(tr("The selected run has no checkpoint."));
                            });
    context().commands->add(
        {"checkpoint.prune",
         tr("Prune the checkpoints of the selected run…"),
         tr("Run"),
         {},
         tr("Shows in the inspector what nothing keeps and how much room it takes; its button removes it")},
        [this, show] {
            show();
            checkpoints_->focusPruning();
        });
}

void InspectorPanel::offerSound(const QString& run, qint64 step, const QString& why) {
    if (run != id_) return;
    Q_EMIT roomWanted();
    tabs_->setCurrentWidget(checkpoints_);
    checkpoints_->offerSound(step, why);
}

}  // namespace kurve::views
