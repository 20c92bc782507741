#pragma once

#include <QJsonObject>
#include <map>
#include <optional>
#include <vector>

#include "views/common/panel.h"
#include "views/prompt/prompt_request.h"

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

/// The prompt bar: a text for the primary run's model, with checkpoint, sampler, seed and reference, above
/// the denoisings of that run. It only asks; a loaded engine answers through setStatus() and showAnswer().
/// Each run keeps its own sampler and checkpoint.
class PromptPanel : public Panel {
    Q_OBJECT
public:
    explicit PromptPanel(const StudioContext& context, QWidget* parent = nullptr);
    ~PromptPanel() override;

    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override { refresh(); }  // it tells which settings the sampler has
    [[nodiscard]] PromptRequest request() const;
    [[nodiscard]] TraceTableModel* recorded() const;
    /// Chooses a checkpoint of the present run by its step, and goes to the text.
    void useCheckpoint(const QString& step);
    /// The models that train now, of all runs: that of the present run can be asked as it is.
    void setLiveModels(std::vector<LiveModel> models);
    /// Runs the prompt on the model that trains, as it is now; says so where there is none.
    void runLive();
    /// What made the recording that came on screen, so that Run decodes it again. A text that nobody has sent
    /// yet gives way if the recording was `asked` for (it stays in the history), else it stays.
    void showRequest(const PromptRequest& made, bool asked);
    /// A text with what it should become (empty: unknown), ready to be run.
    void usePair(const QString& text, const QString& reference);

public Q_SLOTS:
    void setStatus(const kurve::views::PromptStatus& status);
    void showAnswer(const kurve::views::PromptAnswer& answer);
    void run();         ///< Ctrl+Enter
    void openNewest();  ///< the newest recording, as a click on it
    /// Takes over sampler.* settings: into the boxes that it has for them, the rest as settings beside them.
    void useSampler(const QMap<QString, QString>& settings);
    /// Puts the sampler's settings back to those of an earlier request().
    void restoreSampler(const kurve::views::PromptRequest& before);
    /// What stands in the bar, and every run's sampler, to be kept for another session.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& kept);

Q_SIGNALS:
    void requested(const kurve::views::PromptRequest& request);
    void cancelRequested();
    void draftChanged();  ///< save() says something else now
    /// A recording was chosen; `file` is relative to the run's folder.
    void traceRequested(const QString& runId, const QString& file);
    /// The same, to stand beside the one that is open.
    void besideRequested(const QString& runId, const QString& file);
    /// The same, to go into the trash.
    void trashRequested(const QString& runId, const QString& file);
    /// What the run is to decode with where nobody says otherwise; empty: its own settings again.
    void defaultSamplerWanted(const QString& runId, const QMap<QString, QString>& settings);
    void candidatesRequested();  ///< those of the answer are wanted in sight

private:
    void buildPrompt(QHBoxLayout* row);
    void buildSettings();
    void registerCommands();
    void connectAll();
    void runChanged();
    void refresh();
    /// Why the run cannot answer whatever is asked; empty: it can.
    [[nodiscard]] QString whyNoModel() const;
    void fitRun();
    void showLiveModel();
    void restoreRun(const QJsonObject& kept);
    [[nodiscard]] QJsonObject runChoices() const;
    void setBusy(bool busy);
    void edited();
    void showStatus();
    [[nodiscard]] QString notShown(const PromptRequest& made);
    [[nodiscard]] QString knownReference(const QString& input) const;

    QString run_, fittedRun_;  ///< fitted: the boxes are those of its family
    QJsonObject kept_;         ///< what other runs were asked with, by run
    std::vector<LiveModel> live_;
    bool busy_ = false;
    PromptStatus status_;
    std::optional<PromptRequest> sent_;   ///< by Run, until it is answered
    std::optional<PromptRequest> shown_;  ///< what the bar says as it was recorded, until it is edited
    QString note_;                        ///< of the recording: what the bar has no place for
    bool filling_ = false;                ///< by the panel, not by a hand
    bool unsent_ = false;                 ///< somebody wrote something into the bar and did not run it
    PromptHistory* history_ = nullptr;
    QLineEdit* text_ = nullptr;
    ReferenceField* reference_ = nullptr;
    QPushButton* go_ = nullptr;
    CheckpointBox* checkpoint_ = nullptr;
    SamplerBoxes* sampler_ = nullptr;
    DefaultSamplerChip* default_;
    std::map<std::string, std::string> fittedDefault_;  ///< the default sampler that the boxes know
    PromptOutcome* outcome_;
    RecordedLists* lists_;
};

}  // namespace kurve::views
