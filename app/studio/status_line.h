#pragma once

#include <QDateTime>
#include <QLabel>
#include <QStatusBar>
#include <QTimer>
#include <deque>

#include "app/studio/engine_meters.h"
#include "app/studio/project_session.h"

namespace kurve::studio {

/// What the status bar holds: the last message for a while, the current run's progress, what the live engines
/// take of the machine, the project's bytes on disk, and whether the session is saved.
class StatusLine : public QObject {
    Q_OBJECT
public:
    /// Puts its labels into the bar; both arguments outlive this.
    StatusLine(QStatusBar& bar, ProjectSession& session);
    void say(const QString& text);
    /// What was said is over: it goes from the bar, if it still stands there, and stays among the messages.
    void takeBack(const QString& text);
    /// What was said since the window opened, oldest first; the last few hundred.
    struct Message {
        QDateTime when;
        QString text;
    };
    [[nodiscard]] const std::deque<Message>& messages() const { return messages_; }
    /// The current run as it is now; nothing if none is live.
    void showProgress();
    /// Of the session: bytes that the project's runs may take; 0 or nothing: as many as they like.
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
