#pragma once

#include "app/studio/session/project_session.h"
#include "views/common/services/services.h"
#include "views/common/shell/command_registry.h"
#include "views/launch/draft/draft_actions.h"
#include "views/runs/run_actions.h"
#include "views/runs/run_requests.h"

namespace kurve::studio {

/// What the actions on runs (views::RunAction) do that need no widget, and what is asked for a run and its
/// checkpoints: by an engine that trains, or by a short command. GUI thread; never blocks.
class RunActions : public views::RunRequests {
    Q_OBJECT
public:
    /// Registers the commands; all arguments outlive this.
    RunActions(ProjectSession& session, views::CommandRegistry& commands, views::Services& services);
    ~RunActions() override {
        if (endCheck_) endCheck_();  // nobody could end it, nor hear of it
    }
    /// Which can be used, and what they are called, follows the phase of the current run.
    void update();
    void carryOut(const views::RunRequest& request) override;

Q_SIGNALS:
    void said(const QString& text);

private:
    [[nodiscard]] views::DraftActions& draft() { return *services_.find<views::DraftActions>(); }
    [[nodiscard]] QString selected() const { return session_.selection.primaryRun(); }
    void pauseOrResume();
    void sampleNow();
    void openLatestTrace();
    /// Retrains the last checkpoint interval of the selected run and compares, or cancels that.
    void checkDeterminism();
    void train(const QStringList& words, const QString& text);
    void offerIntact(const RunSupervisor& run);
    void fork(const views::RunRequest& request);
    void checkpoints(const views::RunRequest& request);
    /// The current run if its engine can be asked for something, else null.
    [[nodiscard]] RunSupervisor* liveRun() const;

    ProjectSession& session_;
    views::CommandRegistry& commands_;
    views::Services& services_;
    std::function<void()> endCheck_;  ///< of determinism, while it runs; else empty
};

}  // namespace kurve::studio
