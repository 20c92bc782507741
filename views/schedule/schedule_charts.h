#pragma once

#include <QColor>
#include <array>
#include <optional>

#include "core/schedule/schedule_curves.h"
#include "views/common/shell/card_grid.h"
#include "views/schedule/drag_points.h"
#include "views/schedule/schedule_readout.h"
#include "views/schedule/weight_curve.h"

class QCPAxis;

namespace kurve::views {

class PlotCard;
struct ChartLayer;

/// Linked charts of one or two schedules and of those compared with them: signal and noise, log-SNR with the
/// sampling steps, the levels that training draws with their weights, a run's loss by level, and the steps'
/// gaps or revealed tokens. The points of a drawn A can be dragged in the first four, with mouse and keys.
class ScheduleCharts : public CardGrid {
    Q_OBJECT
public:
    /// `below` stands right of the steps.
    explicit ScheduleCharts(QWidget* below, QWidget* parent = nullptr);
    /// `drawn`: A's points, null if A is no drawn schedule. `selected`: one of them, or -1.
    void show(const schedule::ScheduleCurves& a, const std::optional<schedule::ScheduleCurves>& b,
              const schedule::DrawnSchedule* drawn, int selected);
    void showCompared(std::vector<schedule::ScheduleCurves> curves);  ///< further schedules, as thinner lines
    void showLoss(const RunLosses& losses);
    /// A's points in the first four.
    [[nodiscard]] const std::array<DragPoints*, 4>& points() const { return points_; }
    [[nodiscard]] WeightCurve& weights() const { return *weights_; }
    /// A's own weights by log-SNR, over p(log-SNR); none: hidden.
    /// What is proposed instead of A; drawn dotted until it is applied or dismissed.
    void showProposal(const std::optional<schedule::ScheduleCurves>& proposal);
    /// The ranges stay while a point is held, so that the curve and not the paper moves.
    void holdRanges(bool on) { rangesHeld_ = on; }
    [[nodiscard]] std::array<PlotCard*, 5> cards() const {
        return {signal_, logSnr_, density_, loss_, steps_};
    }

    [[nodiscard]] static QColor colorA();
    [[nodiscard]] static QColor colorB();
    /// Of a further schedule.
    [[nodiscard]] static QColor colorCompared(std::size_t index);
    static inline const QString kComparedGlyph = QStringLiteral("─");

Q_SIGNALS:
    void pointWanted(double time);

private:
    void addPoints();
    void restyle();
    void draw();
    void drawSignal();
    void drawLogSnr();
    void addBroken(std::vector<ChartLayer>& layers) const;
    void drawDensity();
    void drawLosses();
    void drawSteps();
    void drawPoints();
    void fitRanges();
    void updateCaptions();
    [[nodiscard]] ShownCurves aAndB() const;
    [[nodiscard]] ShownCurves shownCurves() const;
    void wantPointAtLevel(double logSnr);
    /// Every shown schedule by its name, and `rest`.
    [[nodiscard]] QStringList keys(const QStringList& rest) const;

    PlotCard *signal_, *logSnr_, *density_, *loss_, *steps_;
    QCPAxis* gradientAxis_ = nullptr;  ///< a right one of its own: yAxis2 places the rugs
    std::array<DragPoints*, 4> points_{};
    WeightCurve* weights_ = nullptr;
    std::vector<schedule::ScheduleCurves> compared_;
    std::optional<schedule::ScheduleCurves> curves_[2], proposal_;
    std::optional<schedule::DrawnSchedule> drawn_;
    std::vector<schedule::ShownPoint> shown_;
    int selected_ = -1;
    bool rangesHeld_ = false;
    RunLosses losses_;
};

}  // namespace kurve::views
