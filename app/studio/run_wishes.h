#pragma once

#include <QObject>

#include "app/studio/project_session.h"
#include "views/runs/checkpoint_table.h"

namespace kurve::studio {

/// Carries out what a person wants done with a run and its checkpoints: by an engine that trains, or by a
/// short command. GUI thread; never blocks.
class RunWishes : public QObject {
    Q_OBJECT
public:
    explicit RunWishes(ProjectSession& session, QObject* parent = nullptr);

public Q_SLOTS:
    void carryOut(const kurve::views::RunWish& wish);

Q_SIGNALS:
    void said(const QString& text);
    void judged(const nlohmann::json& answer);  ///< what `kurve checkpoints` says of a run
    void failed(const QString& text);           ///< a short command was refused
    void sampleWanted(const QString& checkpointStep);
    /// A checkpoint that was to be gone on from is damaged (`why`); the one of `step` is sound.
    void soundOffered(const QString& run, qint64 step, const QString& why);

private:
    void train(const QStringList& words, const QString& text);
    void offerSound(const RunSupervisor& run);
    void fork(const views::RunWish& wish);
    void checkpoints(const views::RunWish& wish);

    ProjectSession& session_;
};

}  // namespace kurve::studio
