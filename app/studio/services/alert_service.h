#pragma once

#include "app/studio/session/state_file.h"
#include "core/store/project.h"
#include "views/monitor/alert_rules.h"

namespace kurve::studio {

/// The project's alert rules: alerts.json, read once, written half a second after a change. The engine
/// applies them. GUI thread.
class AlertService : public views::AlertRules {
    Q_OBJECT
public:
    explicit AlertService(const store::Project& project, QObject* parent = nullptr);
    void setRules(const std::vector<alerts::Rule>& rules) override;

private:
    QString unreadable_;  ///< why the rules could not be read: their file is then left alone
    StateFile file_;
};

}  // namespace kurve::studio
