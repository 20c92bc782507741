#pragma once

#include <functional>

#include "views/common/at_most_every.h"
#include "views/common/panel.h"
#include "views/runs/checkpoint_table.h"
#include "views/runs/evaluate_form.h"
#include "views/runs/run_deeds.h"

class QLabel;
class QPushButton;
class QSpinBox;
class QTabWidget;
class QVBoxLayout;

namespace kurve::views {

class ContentOrEmpty;
class DataBadge;
class EmptyState;
class LineageTree;
class NoteWriter;
class ProjectChanges;
class RunRemarks;
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
    /// Says of a run that is not there yet whether an engine has been started that will write it.
    void setExpected(std::function<bool(const QString& id)> expected) { expected_ = std::move(expected); }
    /// Takes what is noted; it outlives this.
    void setNoteWriter(NoteWriter& writer);
    void editTags();
    void editNotes();
    [[nodiscard]] CheckpointTable& checkpoints() { return *checkpoints_; }
    [[nodiscard]] EvaluateForm& evaluation() { return *evaluation_; }
    /// Brings the form that scores runs to the front, with the focus.
    void openEvaluation();
    /// Follows a link of the facts: to another run, or to what was changed in the project.
    void follow(const QString& link);

    /// Resuming failed over a damaged checkpoint: shows the sound one of `step`, ready to go on from.
    void offerSound(const QString& run, qint64 step, const QString& why);

Q_SIGNALS:
    void wished(const kurve::views::RunWish& wish);
    void draftRequested(const QString& runId);  ///< "use these settings in the form"
    void runRequested(const QString& runId);    ///< a lineage link was followed
    void tagsChanged(const QString& runId, const QStringList& added, const QStringList& removed);
    void lookRequested(const QString& runId);
    void distilRequested(const QString& runId);
    void roomWanted();  ///< something of it is to be seen that takes the focus

private:
    void selectionChanged();
    void show(const QString& id);
    void refresh();
    void showFacts(const store::RunSummary& run, const RunData* data);
    void fillSettings(const RunData* data);
    void showData(const RunData& data);
    void showChanges(const RunData* data);
    QWidget* buildPage();
    void buildHead(QVBoxLayout& layout);
    QWidget* buildContinuation();
    void connectParts();
    void connectDeeds();
    void registerCheckpointCommands();
    void carryOut(RunDeed deed);
    void showEmpty();
    [[nodiscard]] QString runInstead() const;  ///< what the empty state's button selects
    void showExtension();                      ///< at which step an extension would end
    [[nodiscard]] QString extensionText(const store::RunSummary& run) const;
    void showDeeds(const store::RunSummary* run, const RunData* data);
    void wish(RunWish::Kind kind);

    static constexpr int kLiveMilliseconds = 1000;
    std::function<bool(const QString&)> expected_;
    QString id_, shownConfig_, shownData_, factsOf_;
    bool plannedByTime_ = false;
    ContentOrEmpty* content_;
    EmptyState* empty_;
    QLabel *name_, *state_, *reason_, *facts_;
    QPushButton *resume_, *draft_, *again_, *extend_;
    QLabel* extendsTo_;
    QSpinBox* extra_;
    QWidget* continuation_;
    RunRemarks* remarks_;
    LineageTree* lineage_;
    DataBadge* data_;
    RunSettings* settings_;
    CheckpointTable* checkpoints_;
    EvaluateForm* evaluation_;
    ProjectChanges* changes_;
    QTabWidget* tabs_;
    RunDeeds* deeds_;
    AtMostEvery live_{kLiveMilliseconds, [this] { refresh(); }};  ///< what a training reports
};

}  // namespace kurve::views
