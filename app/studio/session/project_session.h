#pragma once

#include <QJsonObject>
#include <QObject>

#include "app/studio/engine/engine_program.h"
#include "app/studio/services/default_samplers.h"
#include "app/studio/services/distil_service.h"
#include "app/studio/services/evaluation_service.h"
#include "app/studio/services/inference_service.h"
#include "app/studio/services/inspect_service.h"
#include "app/studio/services/machine_service.h"
#include "app/studio/services/sweep_service.h"
#include "app/studio/session/run_control.h"
#include "app/studio/session/run_queue.h"
#include "app/studio/session/state_file.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/launch/draft/draft.h"
#include "views/runs/run_edits.h"

namespace kurve::studio {

/// What outlives the window of an open project (the window is built anew when the zoom changes): the runs,
/// the engines, the selection, and the session file layouts/session.json that holds layout, selection, filter
/// and draft.
class ProjectSession : public QObject {
    Q_OBJECT
public:
    /// How the session file is used.
    enum class Persistence : unsigned char {
        Restore,  ///< read, and kept up to date
        Fresh,    ///< begun anew but for filters, SQL, notes and disk budget; the previous file is kept as
                  ///< layouts/session.previous.json
        None,     ///< neither read nor written (--tour)
    };
    explicit ProjectSession(store::Project project, Persistence persistence, QObject* parent = nullptr);
    ~ProjectSession() override;

    [[nodiscard]] const store::Project& project() const { return project_; }
    views::RunCatalog catalog;
    views::Playhead playhead;
    views::Selection selection;
    views::RunEdits edits;  ///< edits of runs, with undo
    EngineDescription engine;
    RunControl control;
    MachineService machines;
    RunQueue queue;
    InspectService inspect;
    InferenceService inference;
    SweepService sweep;
    DistilService distil;
    EvaluationService evaluation;
    DefaultSamplers samplers;
    views::Draft draft;  ///< of the next training

    /// The jobs that stop with this studio (queue, sweep, …), by name; trainings continue.
    [[nodiscard]] QStringList jobsEndedByQuit() const;
    /// The saved state; edits are written half a second later, atomically.
    [[nodiscard]] QJsonObject state() const { return state_; }
    void put(const QString& key, const QJsonValue& value);
    /// The same by panel: what Panel::saveState() returned.
    [[nodiscard]] QJsonObject panelState(const QString& panel) const;
    void putPanel(const QString& panel, const QJsonObject& state);
    /// The file of that state: why it could not be read, and whether it is saved.
    [[nodiscard]] StateFile& file() { return file_; }

private:
    void loadState();
    void saveNotes();

    store::Project project_;
    Persistence persistence_;
    QJsonObject state_;
    StateFile file_;
};

}  // namespace kurve::studio
