#pragma once

#include "app/studio/session/project_session.h"
#include "views/runs/run_requests.h"

namespace kurve::studio {

/// Carries out the requests (views::RunRequest) of the inspector for a run and its checkpoints: by an engine
/// that trains, or by a short command. GUI thread; never blocks.
class RunRequests : public views::RunRequests {
    Q_OBJECT
public:
    explicit RunRequests(ProjectSession& session, QObject* parent = nullptr);
    void carryOut(const views::RunRequest& request) override;

Q_SIGNALS:
    void said(const QString& text);

private:
    void train(const QStringList& words, const QString& text);
    void offerIntact(const RunSupervisor& run);
    void fork(const views::RunRequest& request);
    void checkpoints(const views::RunRequest& request);

    ProjectSession& session_;
};

}  // namespace kurve::studio
