#pragma once

#include <QJsonObject>
#include <optional>

#include "views/common/panel.h"
#include "views/launch/draft.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace kurve::views {

class ContentOrEmpty;
class EmptyState;
class LaunchFoot;
class PlanBar;
class SettingsForm;

/// The form that starts a training, and, while a run lives, its settings with the live ones open to change.
class LaunchPanel : public Panel {
    Q_OBJECT
public:
    explicit LaunchPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;

    [[nodiscard]] Draft& draft() { return *draft_; }
    [[nodiscard]] PlanBar& plan();
    /// Why there is no form (engine missing, …) with its remedy; empty when all is well.
    void setProblem(const QString& text);
    /// The run that lives now; an empty id goes back to the draft.
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
    void liveSetRequested(const QString& key, const QString& text);

private:
    QWidget* buildHead();
    void listExperiments();
    void takeExperiment(const QString& file);  ///< one that was just saved
    void rebuildForm();
    void refresh();
    void showRunning(bool on);
    void takeLiveConfig();

    Draft* draft_;
    ContentOrEmpty* content_;
    EmptyState* empty_;
    LaunchFoot* foot_;
    QPushButton *draftTab_, *runTab_;
    QComboBox *experiment_, *preset_;
    QLineEdit *name_, *search_;
    QPushButton *changedOnly_, *revertAll_;
    QLabel* about_;
    QWidget* head_;
    SettingsForm* form_;
    QString liveRun_, engineProblem_;
    std::optional<RunConfig> liveConfig_;
    std::string liveText_;  ///< what liveConfig_ was read from
    bool filling_ = false;
};

}  // namespace kurve::views
