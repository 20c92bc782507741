#pragma once

#include <QObject>

#include "core/alerts/alert_rules.h"

namespace kurve::views {

/// The project's alert rules.
class AlertRules : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    [[nodiscard]] const std::vector<alerts::Rule>& rules() const { return rules_; }
    /// Why they could not be read or written; empty: they could.
    [[nodiscard]] const QString& problem() const { return problem_; }
    virtual void setRules(const std::vector<alerts::Rule>& /*rules*/) {}

Q_SIGNALS:
    void problemChanged();
    void rulesChanged();  ///< not by setRules()

protected:
    std::vector<alerts::Rule> rules_;
    QString problem_;
};

}  // namespace kurve::views
