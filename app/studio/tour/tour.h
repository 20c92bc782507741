#pragma once

#include <QElapsedTimer>
#include <QJsonArray>
#include <QObject>
#include <QTemporaryFile>
#include <QTimer>

#include "app/studio/window/main_window.h"

namespace kurve::studio {

/// Gives the next QApplication an offscreen screen of this size, so that the pictures do not depend on the
/// machine. The file must exist until then. Errors: io.write.
Status makeTourScreen(QTemporaryFile& file, QSize size);

/// `--tour DIR`: opens every workspace and panel on the project's data and writes a picture of each
/// (<panel>.png), of each whole workspace (workspace-<name>.png), and index.json. finished(0) only if every
/// panel drew.
class Tour : public QObject {
    Q_OBJECT
public:
    Tour(MainWindow& window, ProjectSession& session, QString folder);
    void start();

Q_SIGNALS:
    void finished(int exitCode);

private:
    struct Stop {
        WorkspaceId workspace = WorkspaceId::Train;
        QString panel;  ///< empty: the whole window
    };
    void chooseRuns();
    void waitForData();
    void arrive();
    void poll();
    void take(QWidget* widget, const QString& id, const QString& title, bool hadData);
    void finish();

    MainWindow& window_;
    ProjectSession& session_;
    QString folder_;
    std::vector<Stop> stops_;
    std::size_t at_ = 0;
    QElapsedTimer since_;
    QTimer tick_;
    qint64 firstPicture_ = -1;
    QJsonArray index_;
    bool failed_ = false;
};

}  // namespace kurve::studio
