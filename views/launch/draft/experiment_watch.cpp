#include "views/launch/draft/experiment_watch.h"

#include <QFileInfo>

namespace kurve::views {

namespace {

constexpr int kFileSettleMilliseconds = 200;  ///< an editor writes, renames and removes in several steps

}  // namespace

ExperimentWatch::ExperimentWatch(store::Project project, QObject* parent)
    : QObject(parent), project_(std::move(project)) {
    settle_.setSingleShot(true);
    settle_.setInterval(kFileSettleMilliseconds);
    connect(&settle_, &QTimer::timeout, this, &ExperimentWatch::update);
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, &settle_, qOverload<>(&QTimer::start));
    connect(&watcher_, &QFileSystemWatcher::fileChanged, &settle_, qOverload<>(&QTimer::start));
    watch();
}

void ExperimentWatch::watch() {
    files_.clear();
    for (const auto& file : project_.experiments()) files_ << QString::fromStdString(file.string());
    const QString project = QString::fromStdString(project_.folder().string());
    const QString folder = project + QStringLiteral("/experiments");
    // The project's folder, to notice when the folder of experiments is created.
    QStringList wanted = files_;
    wanted << (QFileInfo(folder).isDir() ? folder : project);
    const QStringList watched = watcher_.files() + watcher_.directories();
    for (const QString& path : wanted)
        if (!watched.contains(path)) watcher_.addPath(path);  // a replaced file is no longer watched
}

void ExperimentWatch::update() {
    settle_.stop();
    watch();
    Q_EMIT changed();
}

}  // namespace kurve::views
