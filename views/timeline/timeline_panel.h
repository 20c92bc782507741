#pragma once

#include <QTimer>
#include <array>
#include <memory>

#include "views/common/data/trace_owner.h"
#include "views/common/shell/panel.h"
#include "views/timeline/timeline_view.h"
#include "views/timeline/trace_list.h"

class QComboBox;
class QLabel;
class QToolButton;

namespace kurve::views {

class CompareControl;
class SearchBox;
class WrapLayout;
class InterventionControl;
class LevelBox;

/// The denoising timeline: map, text, candidates and statistics of the selected trace, with the playhead's
/// controls. Follows and drives the window's playhead and selection. Registers its commands ("timeline.*")
/// with itself as scope.
class TimelinePanel : public Panel {
    Q_OBJECT
public:
    explicit TimelinePanel(const StudioContext& window, QWidget* parent = nullptr);
    ~TimelinePanel() override;

    [[nodiscard]] QString statement() const override;
    [[nodiscard]] ImGuiWidget* canvas() const { return canvas_; }
    [[nodiscard]] bool playing() const { return timer_.isActive(); }
    /// Measure, grid, speed, loop and link mode, for the next session.
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

public Q_SLOTS:
    void setPlaying(bool on);
    void nextMeasure();
    void setMeasure(int measure);  ///< a Measure; others are ignored

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void offerMeasures();
    void fitCanvas();
    static constexpr std::array kSpeeds{0.5, 1.0, 2.0, 4.0};
    void followWindow();
    void buildBar(QWidget* bar);
    void addChoices(WrapLayout& row);
    QToolButton* addButton(QWidget* bar, const QString& command);
    void addCommands();
    void traceChanged();
    void updateOwner();
    void updateEmptyState();
    void showStep();
    void draw();
    void restyle();
    void tick();
    void stepBy(int steps);
    void movePosition(int by);
    void goToEdit(bool forward);
    void setLoopEnd(bool end);
    [[nodiscard]] double stepMilliseconds() const;  ///< at the chosen speed
    [[nodiscard]] int speedInterval() const;        ///< between two pictures
    /// The canvas at a step, without moving the playhead.
    [[nodiscard]] QImage pictureAt(int step);
    [[nodiscard]] int lastOfLoop() const;
    void restoreLoop();

    ImGuiWidget* canvas_;
    TraceOwner owner_;
    TimelineView view_;
    TimelineState state_{.intervention = &view_.intervention};
    CompareControl* beside_ = nullptr;
    InterventionControl* intervention_ = nullptr;
    QComboBox *measure_ = nullptr, *speed_ = nullptr;
    LevelBox* levels_ = nullptr;
    QToolButton* loop_ = nullptr;
    QLabel* where_ = nullptr;
    SearchBox* search_ = nullptr;
    QTimer timer_;
    double stepRemainder_ = 0;  ///< fraction of a step that the last picture while playing left
    QJsonObject savedLoop_;     ///< of the last session, until its trace is shown
};

}  // namespace kurve::views
