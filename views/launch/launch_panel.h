#pragma once

#include <optional>

#include "views/common/data/run_catalog.h"
#include "views/common/services/draft_form.h"
#include "views/common/shell/panel.h"
#include "views/launch/draft.h"

namespace kurve::views {

class ContentOrEmpty;
class DraftActions;
class EmptyState;
class ExperimentWatch;
class LaunchFoot;
class LaunchHead;
class SettingsForm;

/// The form that starts a training; for a live run its settings, of which the live ones can be changed.
class LaunchPanel : public Panel, public DraftForm {
    Q_OBJECT
public:
    explicit LaunchPanel(const StudioContext& context, QWidget* parent = nullptr);
    ~LaunchPanel() override;
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;

    [[nodiscard]] Draft& draft() { return *draft_; }
    void adoptRun(const QString& runId) override;
    void useSchedule(const QString& schedule, const QMap<QString, QString>& parameters) override;
    std::function<void()> useSettings(const QMap<QString, QString>& values) override;
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& json) override;

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
    void takeMachines();
    void rebuildForm();
    void refresh();
    void showRunning(bool on);
    void takeLiveConfig();
    /// The live run; without one the draft. While the user types in the form, it does not change until the
    /// focus leaves.
    void showTraining();
    void followLive();
    void writeSettings(const QMap<QString, QString>& values);
    /// Focuses the first field in error, instead of starting an invalid draft.
    void focusFirstError();
    void setLive(const QString& key, const QString& text);
    [[nodiscard]] bool isTyping() const;

    Draft* draft_;
    ContentOrEmpty* content_;
    EmptyState* empty_;
    LaunchHead* head_;
    LaunchFoot* foot_;
    DraftActions* actions_;
    ExperimentWatch* experiments_ = nullptr;  ///< null without a project
    SettingsForm* form_;
    WatchedRuns watched_{context().catalog};
    QString liveRun_;
    QString livesNow_, liveState_;  ///< the next liveRun_, while the user types
    QJsonObject waiting_;           ///< a saved draft whose experiment is missing
    std::optional<RunConfig> liveConfig_;
    bool runningWanted_ = false;
    std::string liveText_;  ///< what liveConfig_ was read from
};

}  // namespace kurve::views
