#pragma once

#include <QLabel>
#include <QStatusBar>
#include <QTimer>

#include "app/studio/project_session.h"

namespace kurve::studio {

/// What the status bar holds: the last message for a while, the current run's progress and memory, and
/// whether the session is saved.
class StatusLine : public QObject {
    Q_OBJECT
public:
    /// Puts its labels into the bar; both arguments outlive this.
    StatusLine(QStatusBar& bar, ProjectSession& session);
    void say(const QString& text);
    /// The current run as it is now; nothing if none is live.
    void showProgress();

private:
    QLabel* addPermanent(QStatusBar& bar, const char* id);
    void showMemory();
    void showSaved(const QString& problem);

    ProjectSession& session_;
    QLabel *message_, *progress_, *memory_, *saved_;
    QTimer clock_, forget_;
};

}  // namespace kurve::studio
