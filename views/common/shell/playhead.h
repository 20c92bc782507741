#pragma once

#include <QObject>

namespace kurve::views {

/// The window's one playhead: a training step and a denoising step. All panels follow it unless unlinked. GUI
/// thread.
class Playhead : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    [[nodiscard]] qint64 trainStep() const { return trainStep_; }
    [[nodiscard]] int denoiseStep() const { return denoiseStep_; }
    [[nodiscard]] int denoiseSteps() const { return denoiseSteps_; }
    /// Within trainStepChanged(): the step follows a live run (carryTrainStep) and was not set by the user.
    /// What is shown, like a trace with pending edits, stays.
    [[nodiscard]] virtual bool carried() const { return carried_; }
    /// The training step was set by the user since beginRun(): new data of the run do not move it.
    [[nodiscard]] bool placed() const { return placed_; }

public Q_SLOTS:
    void setTrainStep(qint64 step);
    void carryTrainStep(qint64 step);  ///< setTrainStep() by a live run, not by the user
    void beginRun();                   ///< another run, whose steps may not be read yet: 0, and not placed()
    void setDenoiseStep(int step);     ///< clamped to 0..denoiseSteps-1
    void setDenoiseSteps(int steps);   ///< length of the shown trace; 0 = none

Q_SIGNALS:
    void trainStepChanged(qint64 step);
    void denoiseStepChanged(int step);
    void denoiseStepsChanged(int steps);

private:
    qint64 trainStep_ = 0;
    int denoiseStep_ = 0;
    int denoiseSteps_ = 0;
    bool carried_ = false, placed_ = false;
};

}  // namespace kurve::views
