#pragma once

#include <optional>

#include "views/common/data/run_catalog.h"
#include "views/common/shell/panel.h"
#include "views/launch/draft/draft_actions.h"
#include "views/launch/settings_form.h"

namespace kurve::views {

class ContentOrEmpty;
class EmptyState;
class LaunchFoot;
class LaunchHead;

/// The form that starts a training; for a live run its settings, of which the live ones can be changed.
class LaunchPanel : public Panel {
    Q_OBJECT
public:
    /// Contract: the services have DraftActions.
    explicit LaunchPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;

    [[nodiscard]] Draft& draft() { return draft_; }
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& json) override;

protected:
    void showEvent(QShowEvent* event) override;

private:
    [[nodiscard]] SettingsForm::FieldState stateOf(const FieldSpec& field) const;
    void connectParts();
    void registerCommands();
    void listExperiments();
    void rebuildForm();
    void refresh();
    void showRunning(bool on);
    void takeLiveConfig();
    /// The live run; without one the draft. While the user types in the form, it does not change until the
    /// focus leaves.
    void showTraining();
    void followLive();
    /// Focuses the first field in error, instead of starting an invalid draft.
    void focusFirstError();
    void setLive(const QString& key, const QString& text);
    [[nodiscard]] bool isTyping() const;

    DraftActions& actions_;
    Draft& draft_;
    ContentOrEmpty* content_;
    EmptyState* empty_;
    LaunchHead* head_;
    LaunchFoot* foot_;
    SettingsForm* form_;
    WatchedRuns watched_{context().catalog};
    QString liveRun_;
    QString livesNow_, liveState_;  ///< the next liveRun_, while the user types
    std::optional<RunConfig> liveConfig_;
    bool runningWanted_ = false;
    std::string liveText_;  ///< what liveConfig_ was read from
};

}  // namespace kurve::views
