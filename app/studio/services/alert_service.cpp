#include "app/studio/services/alert_service.h"

#include <QJsonDocument>
#include <utility>

namespace kurve::studio {

AlertService::AlertService(const store::Project& project, QObject* parent)
    : AlertRules(parent), folder_(project.folder()), file_(alerts::rulesFile(folder_).string()) {
    settle_.setSingleShot(true);
    settle_.setInterval(200);
    connect(&settle_, &QTimer::timeout, this, &AlertService::reload);
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, &settle_, qOverload<>(&QTimer::start));
    connect(&watcher_, &QFileSystemWatcher::fileChanged, &settle_, qOverload<>(&QTimer::start));
    watcher_.addPath(QString::fromStdString(folder_.string()));
    reload();
    connect(&file_, &StateFile::saved, this, [this] {
        if (!std::exchange(problem_, unreadable_).isEmpty()) Q_EMIT problemChanged();
    });
    connect(&file_, &StateFile::saveFailed, this, [this](const QString& problem) {
        problem_ = problem;
        Q_EMIT problemChanged();
    });
}

bool AlertService::reload() {
    if (!file_.isWritten() || problem_ != unreadable_) return false;  // these are newer
    const QString file = QString::fromStdString(alerts::rulesFile(folder_).string());
    if (!watcher_.files().contains(file)) watcher_.addPath(file);  // false while it is not there
    auto rules = alerts::loadRules(folder_);
    const QString problem = rules ? QString() : QString::fromStdString(rules.error().text());
    if (std::exchange(unreadable_, problem) != problem) {
        problem_ = problem;
        Q_EMIT problemChanged();
    }
    if (!rules || alerts::toText(*rules) == alerts::toText(rules_)) return false;
    rules_ = std::move(*rules);
    Q_EMIT rulesChanged();
    return true;
}

void AlertService::setRules(const std::vector<alerts::Rule>& rules) {
    if (reload() || !unreadable_.isEmpty()) return;  // never overwrite what this has not read
    rules_ = rules;
    file_.put(QJsonDocument::fromJson(QByteArray::fromStdString(alerts::toText(rules))).object());
}

}  // namespace kurve::studio
