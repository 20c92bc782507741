#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include "core/store/project.h"

namespace kurve::views {

/// Watches the experiment files of a project, also those that an editor replaces by renaming. GUI thread.
class ExperimentWatch : public QObject {
    Q_OBJECT
public:
    explicit ExperimentWatch(store::Project project, QObject* parent = nullptr);
    /// Project::experiments() at the last update.
    [[nodiscard]] const QStringList& files() const { return files_; }
    /// Updates at once, for file systems without change notifications.
    void update();

Q_SIGNALS:
    void changed();  ///< files(), or the content of one; shortly after the last of several changes

private:
    void watch();

    store::Project project_;
    QStringList files_;
    QFileSystemWatcher watcher_;
    QTimer settle_;
};

}  // namespace kurve::views
