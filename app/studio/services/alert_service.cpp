#include "app/studio/services/alert_service.h"

#include <QJsonDocument>
#include <utility>

namespace kurve::studio {

AlertService::AlertService(const store::Project& project, QObject* parent)
    : AlertRules(parent), file_(alerts::rulesFile(project.folder()).string()) {
    if (auto rules = alerts::loadRules(project.folder()))
        rules_ = std::move(*rules);
    else
        unreadable_ = problem_ = QString::fromStdString(rules.error().text());
    connect(&file_, &StateFile::saved, this, [this] {
        if (!std::exchange(problem_, unreadable_).isEmpty()) Q_EMIT problemChanged();
    });
    connect(&file_, &StateFile::saveFailed, this, [this](const QString& problem) {
        problem_ = problem;
        Q_EMIT problemChanged();
    });
}

void AlertService::setRules(const std::vector<alerts::Rule>& rules) {
    if (!unreadable_.isEmpty()) return;  // never overwrite a file that could not be read
    rules_ = rules;
    file_.put(QJsonDocument::fromJson(QByteArray::fromStdString(alerts::toText(rules))).object());
}

}  // namespace kurve::studio
