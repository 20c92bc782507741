#pragma once

#include <QTimer>

#include "views/common/panel.h"
#include "views/runs/checkpoint_table.h"
#include "views/runs/evaluate_form.h"

class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QTabWidget;
class QTreeWidget;

namespace kurve::views {

class ContentOrEmpty;
class DataBadge;
class EmptyState;
class LineageTree;
class ProjectChanges;
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
    void editTags();
    void editNotes();
    [[nodiscard]] CheckpointTable& checkpoints() { return *checkpoints_; }
    [[nodiscard]] EvaluateForm& evaluation() { return *evaluation_; }
    /// Brings the form that scores runs to the front, with the focus.
    void openEvaluation();
    /// Follows a link of the facts: to another run, or to what was changed in the project.
    void follow(const QString& link);

Q_SIGNALS:
    void wished(const kurve::views::RunWish& wish);
    void draftRequested(const QString& runId);  ///< "use these settings in the form"
    void runRequested(const QString& runId);    ///< a lineage link was followed

private:
    void selectionChanged();
    void show(const QString& id);
    void refresh();
    void fillSettings(const RunData* data);
    void showData(const RunData& data);
    void showChanges(const RunData* data);
    QWidget* buildContinuation();
    void wish(RunWish::Kind kind);
    void applySettingsFilter();
    void saveNotes();

    QString id_, shownConfig_, shownData_;
    ContentOrEmpty* content_;
    EmptyState* empty_;
    QLabel *name_, *state_, *reason_, *facts_;
    QPushButton *resume_, *draft_, *again_, *extend_;
    QSpinBox* extra_;
    QWidget* continuation_;
    QLineEdit *tags_, *search_;
    QPlainTextEdit* notes_;
    LineageTree* lineage_;
    DataBadge* data_;
    QTreeWidget* settings_;
    CheckpointTable* checkpoints_;
    EvaluateForm* evaluation_;
    ProjectChanges* changes_;
    QTabWidget* tabs_;
    QTimer saveLater_;
    bool filling_ = false;
};

}  // namespace kurve::views
