#include "app/studio/alert_service.h"

#include <QJsonDocument>

namespace kurve::studio {

AlertService::AlertService(const store::Project& project, QObject* parent)
    : QObject(parent), file_(alerts::rulesFile(project.folder()).string()) {
    if (auto rules = alerts::loadRules(project.folder()))
        rules_ = std::move(*rules);
    else
        problem_ = QString::fromStdString(rules.error().text());
    connect(&file_, &StateFile::saveFailed, this, [this](const QString& problem) {
        problem_ = problem;
        Q_EMIT problemChanged();
    });
}

void AlertService::setRules(const std::vector<alerts::Rule>& rules) {
    if (!problem_.isEmpty()) return;
    rules_ = rules;
    file_.put(QJsonDocument::fromJson(QByteArray::fromStdString(alerts::toText(rules))).object());
}

}  // namespace kurve::studio
