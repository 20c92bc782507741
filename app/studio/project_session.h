#pragma once

#include <QJsonObject>
#include <QObject>

#include "app/studio/default_samplers.h"
#include "app/studio/distil_service.h"
#include "app/studio/engine_program.h"
#include "app/studio/evaluation_service.h"
#include "app/studio/inspect_service.h"
#include "app/studio/run_control.h"
#include "app/studio/run_queue.h"
#include "app/studio/state_file.h"
#include "app/studio/sweep_service.h"
#include "views/common/playhead.h"
#include "views/common/run_catalog.h"
#include "views/common/selection.h"
#include "views/runs/run_edits.h"

namespace kurve::studio {

/// What outlives the window of an open project (the window is built anew when the zoom changes): the runs,
/// the engines, the selection, and the session file layouts/session.json that holds layout, selection, filter
/// and draft.
class ProjectSession : public QObject {
    Q_OBJECT
public:
    /// What becomes of the session file.
    enum class Memory : unsigned char {
        Restore,  ///< read, and kept up to date
        Fresh,    ///< begun anew but for what was collected (filters, SQL, budget); the file that was
                  ///< there stays as layouts/session.previous.json
        None,     ///< neither read nor written: who takes pictures leaves nothing behind
    };
    explicit ProjectSession(store::Project project, Memory memory, QObject* parent = nullptr);
    ~ProjectSession() override;

    [[nodiscard]] const store::Project& project() const { return project_; }
    views::RunCatalog catalog;
    views::Playhead playhead;
    views::Selection selection;
    views::RunEdits edits;  ///< what was done to runs, and its undo
    EngineDescription engine;
    RunControl control;
    RunQueue queue;
    InspectService inspect;
    SweepService sweep;
    DistilService distil;
    EvaluationService evaluation;
    DefaultSamplers samplers;

    /// What would not go on without this studio: the queue, jobs other than trainings; in words.
    [[nodiscard]] QStringList endsWithWindow() const;
    /// The saved state; edits are written half a second later, atomically.
    [[nodiscard]] QJsonObject state() const { return state_; }
    void put(const QString& key, const QJsonValue& value);
    /// Why the last session could not be brought back; empty if it could.
    [[nodiscard]] const QString& problem() const { return file_.problem(); }
    /// Hands what is unsaved to a worker; saved() follows.
    void saveNow() { file_.saveNow(); }

Q_SIGNALS:
    void saved();
    void saveFailed(const QString& problem);

private:
    void loadState();
    void keepNotes();

    store::Project project_;
    Memory memory_;
    QJsonObject state_;
    StateFile file_;
};

}  // namespace kurve::studio
