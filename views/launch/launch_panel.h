#pragma once

#include <QJsonObject>
#include <optional>

#include "views/common/panel.h"
#include "views/launch/draft.h"

namespace kurve::views {

class ContentOrEmpty;
class EmptyState;
class ExperimentWatch;
class LaunchFoot;
class LaunchHead;
class PlanBar;
class SettingsForm;

/// The form that starts a training, and, while a run lives, its settings with the live ones open to change.
class LaunchPanel : public Panel {
    Q_OBJECT
public:
    explicit LaunchPanel(const StudioContext& context, QWidget* parent = nullptr);
    ~LaunchPanel() override;
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;

    [[nodiscard]] Draft& draft() { return *draft_; }
    [[nodiscard]] PlanBar& plan();
    /// Why there is no form (engine missing, …) with its remedy; empty when all is well.
    void setProblem(const QString& text);
    /// The run that lives now; an empty id goes back to the draft. Where somebody is typing, what is shown
    /// stays until the focus leaves.
    void setLiveRun(const QString& id, const QString& stateText);
    /// Moves to the first field in error; what an invalid start does instead of starting.
    void focusFirstError();
    void adoptRun(const QString& runId);
    /// Writes a noise schedule into the draft's setting that takes one, and those of its parameters that
    /// stand beside it ("steps" in the same table), and moves there. Says so where the family has no such
    /// setting.
    void useSchedule(const QString& schedule, const QMap<QString, QString>& parameters);
    /// Writes values by field into the draft (fields that its model does not have are left out), moves to the
    /// first one that changed and says which did.
    void useSettings(const QMap<QString, QString>& values);
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& json);

Q_SIGNALS:
    void draftChanged();
    void retryRequested();
    void estimateWanted();  ///< the draft that is seen may have become another
    void liveSetRequested(const QString& key, const QString& text);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void connectParts();
    void registerCommands();
    void listExperiments();
    void tellTaken(const QStringList& carried, const QStringList& dropped);
    void makeExperiment();
    void reloadExperiment();
    void takeExperiment(const QString& file);  ///< one that was just saved
    void rebuildForm();
    void refresh();
    void showRunning(bool on);
    void takeLiveConfig();
    void followLive();
    void setLive(const QString& key, const QString& text);
    [[nodiscard]] bool isTyping() const;

    Draft* draft_;
    ContentOrEmpty* content_;
    EmptyState* empty_;
    LaunchHead* head_;
    LaunchFoot* foot_;
    ExperimentWatch* experiments_ = nullptr;  ///< without a project there are none
    SettingsForm* form_;
    QString liveRun_, engineProblem_;
    QString livesNow_, liveState_;  ///< what liveRun_ is to become when nobody types any more
    QJsonObject waiting_;           ///< a kept draft whose experiment is not there
    std::optional<RunConfig> liveConfig_;
    bool runningWanted_ = false;
    std::string liveText_;  ///< what liveConfig_ was read from
};

}  // namespace kurve::views
