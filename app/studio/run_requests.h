#pragma once

#include <QObject>

#include "app/studio/project_session.h"
#include "views/runs/checkpoint_table.h"

namespace kurve::studio {

/// Carries out the requests (views::RunRequest) of the inspector for a run and its checkpoints: by an engine
/// that trains, or by a short command. GUI thread; never blocks.
class RunRequests : public QObject {
    Q_OBJECT
public:
    explicit RunRequests(ProjectSession& session, QObject* parent = nullptr);

public Q_SLOTS:
    void carryOut(const kurve::views::RunRequest& request);

Q_SIGNALS:
    void said(const QString& text);
    void retentionRead(const nlohmann::json& answer);  ///< the answer of `kurve checkpoints`
    void failed(const QString& text);                  ///< a short command was refused
    void sampleWanted(const QString& checkpointStep);
    /// The checkpoint to resume from is damaged (`why`); the one of `step` is intact.
    void intactOffered(const QString& run, qint64 step, const QString& why);

private:
    void train(const QStringList& words, const QString& text);
    void offerIntact(const RunSupervisor& run);
    void fork(const views::RunRequest& request);
    void checkpoints(const views::RunRequest& request);

    ProjectSession& session_;
};

}  // namespace kurve::studio
