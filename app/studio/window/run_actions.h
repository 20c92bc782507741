#pragma once

#include <QObject>

#include <QPointer>

#include "app/studio/engine/engine_call.h"
#include "app/studio/session/project_session.h"
#include "views/common/services/services.h"
#include "views/common/shell/command_registry.h"
#include "views/launch/draft/draft_actions.h"

namespace kurve::studio {

/// The commands of the menu Run that control training: start, pause, stop, sample, checkpoint. (What can be
/// done with a selected run that has ended is views::RunAction, with the commands of views::RunActionMenu.)
/// Which of them can be used, and what they are called, follows the phase of the current run.
class RunActions : public QObject {
    Q_OBJECT
public:
    /// Registers the commands; all arguments outlive this.
    RunActions(ProjectSession& session, views::CommandRegistry& commands, views::Services& services);
    void update();

Q_SIGNALS:
    void said(const QString& text);

private:
    void add(const char* id, const QString& title, const QKeySequence& keys, const QString& help,
             std::function<void()> run);
    [[nodiscard]] views::DraftActions& draft();
    void pauseOrResume();
    void sampleNow();
    /// Retrains the last checkpoint interval of the selected run and compares, or cancels that.
    void checkDeterminism();
    /// The current run if its engine can be asked for something, else null.
    [[nodiscard]] RunSupervisor* liveRun() const;

    ProjectSession& session_;
    views::CommandRegistry& commands_;
    views::Services& services_;
    QPointer<EngineCall> check_;  ///< the determinism check, while it runs
};

}  // namespace kurve::studio
