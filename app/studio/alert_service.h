#pragma once

#include <QObject>

#include "app/studio/state_file.h"
#include "core/alerts/alert_rules.h"
#include "core/store/project.h"

namespace kurve::studio {

/// The project's alert rules: alerts.json, read once, written half a second after a change. The engine
/// applies them. GUI thread.
class AlertService : public QObject {
    Q_OBJECT
public:
    explicit AlertService(const store::Project& project, QObject* parent = nullptr);
    [[nodiscard]] const std::vector<alerts::Rule>& rules() const { return rules_; }
    /// Why the file could not be read or written; it is not overwritten then.
    [[nodiscard]] const QString& problem() const { return problem_; }

public Q_SLOTS:
    void setRules(const std::vector<kurve::alerts::Rule>& rules);

Q_SIGNALS:
    void problemChanged();

private:
    std::vector<alerts::Rule> rules_;
    QString problem_, unreadable_;  ///< now; the rules file, which is then left alone
    StateFile file_;
};

}  // namespace kurve::studio
