#pragma once

#include <QWidget>

#include "views/common/shell/panel.h"
#include "views/timeline/trace_list.h"

class QLabel;
class QSlider;
class QToolButton;

namespace kurve::views {

/// The training steps with a trace of the shown trace's prompt. Moves and follows the window's training
/// playhead, and requests the trace of its step. At the newest trace it follows a run that records more.
/// Hidden with fewer than two traces. Registers "timeline.train_*" with
/// `scope`.
class TrainingSlider : public QWidget {
    Q_OBJECT
public:
    TrainingSlider(const StudioContext& context, QWidget* scope);

public Q_SLOTS:
    void stepBy(int traces);
    void setFollowing(bool on);  ///< on: goes to the newest trace

private:
    void addCommands(QWidget* scope);
    void traceChanged();
    void dataChanged(const QString& runId);
    void playheadMoved();
    void refresh();
    void goTo(int index);
    void request(int index);
    void show(int index);

    StudioContext context_;
    QSlider* slider_;
    QLabel* where_;
    QToolButton* follow_;
    QString run_;  ///< of these traces
    std::vector<RunTrace> traces_;
    qint64 requested_ = -1;  ///< training step of the shown or requested trace
    bool following_ = false;
};

}  // namespace kurve::views
