#pragma once

#include "views/common/data/run_catalog.h"
#include "views/common/services/studio.h"
#include "views/common/shell/at_most_every.h"
#include "views/common/shell/panel.h"
#include "views/runs/checkpoint_table.h"
#include "views/runs/evaluate_form.h"
#include "views/runs/run_actions.h"

class QLabel;
class QPushButton;
class QSpinBox;
class QTabWidget;

namespace kurve::views {

class ContentOrEmpty;
class DataBadge;
class EmptyState;
class LineageTree;
class ProjectChanges;
class RunAnnotations;
class RunSettings;
struct RunData;

/// The selected run: state with its reason and next action, facts, lineage, tags, notes, settings,
/// checkpoints.
class InspectorPanel : public Panel {
    Q_OBJECT
public:
    explicit InspectorPanel(const StudioContext& context, QWidget* parent = nullptr);
    ~InspectorPanel() override;
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;
    /// Shows and focuses the evaluation form.
    void openEvaluation();
    /// Follows a link of the facts: to another run, or to the changes of the project.
    void follow(const QString& link);

private:
    void selectionChanged();
    void refresh();
    [[nodiscard]] QStringList checkpointsAwayOf(const store::RunSummary& run, const RunData* data) const;
    void showFacts(const store::RunSummary& run, const RunData* data, const QStringList& away);
    void fillSettings(const RunData* data);
    void showData(const RunData& data);
    void showChanges(const RunData* data);
    QWidget* buildPage();
    QWidget* buildContinuation();
    void connectParts();
    void connectServices();
    /// Resuming failed because of a damaged checkpoint: selects the intact one of `step`.
    void offerIntact(const QString& run, qint64 step, const QString& why);
    void sample(const RunRequest& request);
    /// A part of it is to be focused.
    void reveal() { ask<Studio>().reveal(panelId()); }
    void connectActions();
    void registerAnnotationCommands();
    void showEmpty();
    [[nodiscard]] QString proposedRun() const;  ///< selected by the empty state's button
    void showExtension();                       ///< at which step an extension would end
    [[nodiscard]] QString extensionText(const store::RunSummary& run) const;
    void showActions(const store::RunSummary* run, const RunData* data);
    void extend();

    static constexpr int kLiveMilliseconds = 1000;
    WatchedRuns watched_{context().catalog};
    QString id_, shownConfig_, shownData_, factsOf_;
    bool plannedByTime_ = false;
    ContentOrEmpty* content_;
    EmptyState* empty_;
    QLabel *name_, *state_, *reason_, *facts_;
    QPushButton *resume_, *draft_, *reproduce_, *extend_;
    QLabel* extendsTo_;
    QSpinBox* extraSteps_;
    QWidget* continuation_;
    RunAnnotations* annotations_;
    LineageTree* lineage_;
    DataBadge* data_;
    RunSettings* settings_;
    CheckpointTable* checkpoints_;
    EvaluateForm* evaluation_;
    ProjectChanges* changes_;
    QTabWidget* tabs_;
    AtMostEvery live_{kLiveMilliseconds, [this] { refresh(); }};  ///< updates of a live run
};

}  // namespace kurve::views
