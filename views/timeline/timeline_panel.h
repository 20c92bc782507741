#pragma once

#include <QJsonObject>
#include <QTimer>
#include <array>
#include <memory>

#include "views/common/panel.h"
#include "views/common/recording_owner.h"
#include "views/timeline/recordings.h"
#include "views/timeline/timeline_view.h"

class QComboBox;
class QLabel;
class QStackedLayout;
class QToolButton;

namespace kurve::views {

class CompareControl;
class EmptyState;
class SearchBox;
class WhatIfControl;

/// The denoising timeline: map, text, candidates and statistics of the selected trace, with the playhead's
/// controls. Follows and drives the window's playhead and selection. Registers its commands ("timeline.*")
/// with itself as scope.
class TimelinePanel : public Panel {
    Q_OBJECT
public:
    explicit TimelinePanel(const StudioContext& window, QWidget* parent = nullptr);
    ~TimelinePanel() override;

    [[nodiscard]] bool hasData() const override { return view_.model() != nullptr; }
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] ImGuiWidget* canvas() const { return canvas_; }
    [[nodiscard]] bool playing() const { return timer_.isActive(); }
    /// Measure, grid, speed, loop and how two traces are linked, to be kept for another session.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& kept);

public Q_SLOTS:
    void setPlaying(bool on);
    void nextMeasure();
    void setMeasure(int measure);  ///< a Measure; others are ignored

Q_SIGNALS:
    void choiceChanged();  ///< save() says something else now
    /// The empty state's button: the run has recorded nothing, and is to.
    void recordWanted();
    /// The second axis: show this recording with step and slot kept; `file` is relative to the run's folder.
    void recordingWanted(const QString& runId, const QString& file);
    /// Denoise `parent` again from `step` on with these edits (JSON, trace/edit.h).
    void branchRequested(const std::shared_ptr<const kurve::trace::Trace>& parent, int step,
                         const QString& edits);
    /// A recording of the tree of branches was picked.
    void traceWanted(const QString& file);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void offerMeasures();
    void fitCanvas();
    static constexpr std::array kSpeeds{0.5, 1.0, 2.0, 4.0};
    void buildBar(QWidget* bar);
    QToolButton* addButton(QWidget* bar, const QString& command);
    void addCommands();
    void add(const char* id, const char* title, const QKeySequence& keys, const char* help,
             std::function<void()> run);
    void traceChanged();
    void tellOwner();
    void tellNone();
    void showStep();
    void draw();
    void restyle();
    void tick();
    void stepBy(int steps);
    void moveSlot(int by);
    void goToEdit(bool forward);
    void setLoopEnd(bool end);
    [[nodiscard]] double stepMilliseconds() const;  ///< at the chosen speed
    [[nodiscard]] int speedInterval() const;        ///< between two pictures
    /// What the canvas shows at a step, wherever the playhead is.
    [[nodiscard]] QImage pictureAt(int step);
    [[nodiscard]] int lastOfLoop() const;
    void keepLoop();

    ImGuiWidget* canvas_;
    RecordingOwner owner_;
    TimelineView view_;
    CompareControl* beside_ = nullptr;
    WhatIfControl* whatIf_ = nullptr;
    EmptyState* empty_ = nullptr;
    QStackedLayout* stack_ = nullptr;
    QComboBox *measure_ = nullptr, *speed_ = nullptr;
    QToolButton* loop_ = nullptr;
    QLabel* where_ = nullptr;
    SearchBox* search_ = nullptr;
    QTimer timer_;
    double stepsOwed_ = 0;            ///< the part of a step that the last picture while playing did not show
    int loopFrom_ = 0, loopTo_ = -1;  ///< -1 = the last step
    QJsonObject keptLoop_;            ///< its ends in an earlier session, until that trace is shown
};

}  // namespace kurve::views
