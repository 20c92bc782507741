#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QStringList>
#include <QTimer>

#include "core/store/project.h"

namespace kurve::views {

/// The experiment files of a project while they come, change and go, also those that an editor writes anew
/// and renames. GUI thread.
class ExperimentWatch : public QObject {
    Q_OBJECT
public:
    explicit ExperimentWatch(store::Project project, QObject* parent = nullptr);
    /// As Project::experiments() at the last look.
    [[nodiscard]] const QStringList& files() const { return files_; }
    /// Looks at once; where nobody tells of changes (a network folder) this finds them.
    void look();

Q_SIGNALS:
    void changed();  ///< files(), or what is in one of them; a moment after the last of several changes

private:
    void watch();

    store::Project project_;
    QStringList files_;
    QFileSystemWatcher watcher_;
    QTimer settle_;
};

}  // namespace kurve::views
