#pragma once

#include <QDateTime>
#include <QLabel>
#include <QStatusBar>
#include <QTimer>
#include <deque>

#include "app/studio/engine/engine_meters.h"
#include "app/studio/session/project_session.h"

namespace kurve::studio {

/// The labels of the status bar: the last message for a while, progress of the current run, resources of the
/// live engines, size of the project on disk, and whether the session is saved.
class StatusLine : public QObject {
    Q_OBJECT
public:
    /// Puts its labels into the bar; both arguments outlive this.
    StatusLine(QStatusBar& bar, ProjectSession& session);
    void say(const QString& text);
    /// Clears a message from the bar, if it is still shown; it stays in messages().
    void retract(const QString& text);
    /// A message since the window opened.
    struct Message {
        QDateTime when;
        QString text;
    };
    /// Oldest first; the last few hundred.
    [[nodiscard]] const std::deque<Message>& messages() const { return messages_; }
    /// The current run; nothing if none is live.
    void showProgress();
    /// Of the session: the disk budget in bytes; 0 or missing: none.
    static const QString kBudgetKey;
    /// The bytes on disk, with a warning above the budget.
    void showDisk();

Q_SIGNALS:
    void messagesWanted();  ///< a click on the message

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QLabel* addPermanent(QStatusBar& bar, const char* id);
    void showMachine();
    [[nodiscard]] QString nameOf(const QString& runId) const;
    void showSaved(const QString& problem);

    ProjectSession& session_;
    EngineMeters meters_;
    QLabel *message_, *progress_, *machine_, *disk_, *saved_;
    QTimer forget_;
    std::deque<Message> messages_;
};

}  // namespace kurve::studio
