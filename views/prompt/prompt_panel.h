#pragma once

#include <map>
#include <optional>

#include "views/common/data/run_catalog.h"
#include "views/common/services/prompts.h"
#include "views/common/shell/panel.h"

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
class PromptPanel : public Panel, public PromptBar {
    Q_OBJECT
public:
    explicit PromptPanel(const StudioContext& context, QWidget* parent = nullptr);

    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override { refresh(); }  // it has the settings of the sampler
    [[nodiscard]] PromptRequest request() const;
    [[nodiscard]] TraceTableModel* recorded() const;
    void tryText(const QString& text, const QString& reference) override;
    void useCheckpoint(const QString& step) override;
    std::function<void()> useSampler(const QMap<QString, QString>& settings) override;
    void run() override;  ///< Ctrl+Enter
    /// Runs the prompt on the live model; an error without one.
    void runLive();
    /// Fills the bar with the request of the shown trace, so that Run repeats it. An edited text is replaced
    /// only if the trace was opened by the user (`opened`); it stays in the history.
    void showRequest(const PromptRequest& made, bool opened);
    void openNewest();  ///< opens the newest trace
    /// Content of the bar and every run's sampler, for the next session.
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildPrompt(QHBoxLayout* row);
    void buildSettings();
    void buildDrawer(QHBoxLayout* row);
    void showSettings();
    void registerCommands();
    void connectAll();
    void connectLists();
    void connectServices();
    void setStatus(const PromptStatus& status);
    void showShownTrace();
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

    WatchedRuns watched_{context().catalog};
    QString run_, fittedRun_;  ///< fitted: the boxes are those of its family
    bool texts_ = false;       ///< the run takes no source
    bool infills_ = false;     ///< it fills in blanks
    QJsonObject savedRuns_;    ///< choices of the other runs
    bool busy_ = false;
    PromptStatus status_;
    std::optional<PromptRequest> sent_;   ///< by Run, until it is answered or has failed
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
