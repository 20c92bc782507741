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

/// The form that starts a training; for a live run its settings, of which the live ones can be changed.
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
    /// The live run; an empty id goes back to the draft. While the user types in the form, it does not change
    /// until the focus leaves.
    void setLiveRun(const QString& id, const QString& stateText);
    /// Focuses the first field in error, instead of starting an invalid draft.
    void focusFirstError();
    void adoptRun(const QString& runId);
    /// Writes a noise schedule into the draft's setting for one, and its parameters into settings of the same
    /// table ("steps"), and focuses it. A message where the family has no such setting.
    void useSchedule(const QString& schedule, const QMap<QString, QString>& parameters);
    /// Writes values by field into the draft (except fields that its model does not have), focuses the first
    /// one that changed and reports them.
    void useSettings(const QMap<QString, QString>& values);
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& json);

Q_SIGNALS:
    void draftChanged();
    void retryRequested();
    void estimateWanted();  ///< the visible draft may have changed
    void liveSetRequested(const QString& key, const QString& text);

protected:
    void showEvent(QShowEvent* event) override;

private:
    void connectParts();
    void registerCommands();
    void listExperiments();
    void reportTaken(const QStringList& carried, const QStringList& dropped);
    void createExperiment();
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
    ExperimentWatch* experiments_ = nullptr;  ///< null without a project
    SettingsForm* form_;
    QString liveRun_, engineProblem_;
    QString livesNow_, liveState_;  ///< the next liveRun_, while the user types
    QJsonObject waiting_;           ///< a saved draft whose experiment is missing
    std::optional<RunConfig> liveConfig_;
    bool runningWanted_ = false;
    std::string liveText_;  ///< what liveConfig_ was read from
};

}  // namespace kurve::views
