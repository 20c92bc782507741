#pragma once

#include <QFileSystemWatcher>
#include <QTimer>

#include "app/studio/session/state_file.h"
#include "core/store/project.h"
#include "views/monitor/alert_rules.h"

namespace kurve::studio {

/// The project's alert rules: alerts.json, written half a second after a change, and read again when another
/// window or an editor has changed it. The engine applies them. GUI thread.
class AlertService : public views::AlertRules {
    Q_OBJECT
public:
    explicit AlertService(const store::Project& project, QObject* parent = nullptr);
    /// Drops the change if the file was changed meanwhile: rulesChanged() shows the file's rules.
    void setRules(const std::vector<alerts::Rule>& rules) override;

private:
    /// Whether the file held other rules than these; they are taken.
    bool reload();

    const std::filesystem::path folder_;  ///< the project's
    QFileSystemWatcher watcher_;
    QTimer settle_;       ///< an editor writes, renames and removes in several steps
    QString unreadable_;  ///< why the rules could not be read: their file is then left alone
    StateFile file_;
};

}  // namespace kurve::studio
