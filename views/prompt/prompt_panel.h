#pragma once

#include <QJsonObject>
#include <map>
#include <optional>
#include <vector>

#include "views/common/panel.h"
#include "views/prompt/prompt_request.h"

class QBoxLayout;
class QHBoxLayout;
class QLineEdit;
class QPushButton;

namespace kurve::views {

class CheckpointBox;
class DefaultSamplerChip;
class PromptHistory;
class PromptOutcome;
class RecordedLists;
class ReferenceField;
class SamplerBoxes;
class TraceTableModel;

/// The prompt bar: a text for the primary run's model and its output, in one line. Checkpoint, sampler and
/// seed, the reference and the traces of the run fold out below it. It emits requests; results arrive through
/// setStatus() and showAnswer(). Each run has its own sampler and checkpoint.
class PromptPanel : public Panel {
    Q_OBJECT
public:
    explicit PromptPanel(const StudioContext& context, QWidget* parent = nullptr);
    ~PromptPanel() override;

    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override { refresh(); }  // it has the settings of the sampler
    [[nodiscard]] PromptRequest request() const;
    [[nodiscard]] TraceTableModel* recorded() const;
    /// Selects a checkpoint of the current run by its step, and focuses the text.
    void useCheckpoint(const QString& step);
    /// The live models of all runs.
    void setLiveModels(std::vector<LiveModel> models);
    /// Runs the prompt on the live model; an error without one.
    void runLive();
    /// Fills the bar with the request of the shown trace, so that Run repeats it. An edited text is replaced
    /// only if the trace was opened by the user (`opened`); it stays in the history.
    void showRequest(const PromptRequest& made, bool opened);
    /// Fills in a text with its reference (empty: unknown).
    void usePair(const QString& text, const QString& reference);

public Q_SLOTS:
    void setStatus(const kurve::views::PromptStatus& status);
    void showAnswer(const kurve::views::PromptAnswer& answer);
    void run();         ///< Ctrl+Enter
    void openNewest();  ///< opens the newest trace
    /// Sets sampler.* settings: in their boxes, the others as additional settings.
    void useSampler(const QMap<QString, QString>& settings);
    /// Restores the sampler settings of an earlier request().
    void restoreSampler(const kurve::views::PromptRequest& before);
    /// Content of the bar and every run's sampler, for the next session.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

protected:
    void resizeEvent(QResizeEvent* event) override;

Q_SIGNALS:
    void requested(const kurve::views::PromptRequest& request);
    void cancelRequested();
    void draftChanged();  ///< save() has changed
    /// A trace was opened; `file` is relative to the run's folder.
    void traceRequested(const QString& runId, const QString& file);
    /// The same, to be compared with the open one.
    void besideRequested(const QString& runId, const QString& file);
    /// The same, to go into the trash.
    void trashRequested(const QString& runId, const QString& file);
    /// The run's new default sampler; empty: none.
    void defaultSamplerRequested(const QString& runId, const QMap<QString, QString>& settings);
    void candidatesRequested();  ///< show the candidates of the answer

private:
    void buildPrompt(QHBoxLayout* row);
    void buildSettings();
    void buildDrawer(QHBoxLayout* row);
    void showSettings();
    void registerCommands();
    void connectAll();
    void runChanged();
    void refresh();
    /// Why the run has no model; empty: it has one.
    [[nodiscard]] QString whyNoModel() const;
    void fitRun();
    /// What the text in the bar is to a run of texts: nothing is a sample, "[MASK]" a blank.
    [[nodiscard]] QString kindOf(const QString& input) const;
    void showLiveModel();
    void restoreRun(const QJsonObject& saved);
    [[nodiscard]] QJsonObject runChoices() const;
    void setBusy(bool busy);
    void edited();
    void showStatus();
    [[nodiscard]] QString noteOn(const PromptRequest& made);
    [[nodiscard]] QString knownReference(const QString& input) const;

    QString run_, fittedRun_;  ///< fitted: the boxes are those of its family
    bool texts_ = false;       ///< the run's examples have no source
    QJsonObject savedRuns_;    ///< choices of the other runs
    std::vector<LiveModel> live_;
    bool busy_ = false;
    PromptStatus status_;
    std::optional<PromptRequest> sent_;   ///< by Run, until it is answered
    std::optional<PromptRequest> shown_;  ///< the trace's request in the bar, until it is edited
    QString note_;                        ///< of the trace: what the bar does not show
    bool filling_ = false;                ///< by the panel, not by the user
    bool unsent_ = false;                 ///< the bar was edited and not run
    PromptHistory* history_ = nullptr;
    QLineEdit* text_ = nullptr;
    ReferenceField* reference_ = nullptr;
    QPushButton *go_ = nullptr, *button_ = nullptr, *drawer_ = nullptr;
    QBoxLayout* bar_;  ///< the prompt and the output
    QWidget* settings_ = nullptr;
    CheckpointBox* checkpoint_ = nullptr;
    SamplerBoxes* sampler_ = nullptr;
    DefaultSamplerChip* default_;
    std::map<std::string, std::string> fittedDefault_;  ///< the default sampler in the boxes
    PromptOutcome* outcome_;
    RecordedLists* lists_;
};

}  // namespace kurve::views
