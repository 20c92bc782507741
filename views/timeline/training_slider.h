#pragma once

#include <QWidget>

#include "views/common/panel.h"
#include "views/timeline/recordings.h"

class QLabel;
class QSlider;
class QToolButton;

namespace kurve::views {

/// The timeline's second axis: the training steps at which the shown trace's prompt was recorded. Moves and
/// follows the window's training playhead, and asks for the recording that belongs there. At the newest one
/// it follows a run that goes on recording. Hidden where there are not two. Registers "timeline.train_*" with
/// `scope`.
class TrainingSlider : public QWidget {
    Q_OBJECT
public:
    TrainingSlider(const StudioContext& context, QWidget* scope);
    [[nodiscard]] bool following() const { return following_; }

public Q_SLOTS:
    void stepBy(int recordings);
    void setFollowing(bool on);  ///< on: goes to the newest recording

Q_SIGNALS:
    /// `file` is relative to the run's folder.
    void recordingWanted(const QString& runId, const QString& file);

private:
    void addCommands(QWidget* scope);
    void traceChanged();
    void dataChanged(const QString& runId);
    void playheadMoved();
    void refresh();
    void goTo(int recording);
    void want(int recording);
    void show(int recording);

    StudioContext context_;
    QSlider* slider_;
    QLabel* where_;
    QToolButton* follow_;
    QString run_;  ///< whose recordings these are
    std::vector<Recording> recordings_;
    qint64 wanted_ = -1;  ///< training step of what is shown or asked for
    bool following_ = false;
};

}  // namespace kurve::views
