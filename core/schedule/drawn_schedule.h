#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/schedule/free_curve.h"
#include "core/schedule/noise_density.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {

/// A schedule drawn by points with all that decides where its points lie in the charts. Plain values.
struct DrawnSchedule {
    FreeCurve curve;
    FreeSettings settings;
    TimeDensity times;
};

/// A chart's quantity by which a point can be dragged.
enum class Pane : unsigned char { Signal, Noise, LogSnr, Density, Loss, Weight };

/// What stays as it is while p(log-SNR) is dragged.
enum class Hold : unsigned char {
    Times,   ///< p(t): the points move in time, the schedule changes
    Levels,  ///< log-SNR(t): training draws other times, the schedule stays
};

/// A point as the charts show it, on the curves that training would see (noise factor and ends included).
struct ShownPoint {
    double t = 0, signal = 0, noise = 0;
    double logSnr = 0;   ///< -inf where nothing of the signal is left
    double density = 0;  ///< p(log-SNR) around it, over a 300th of the time
};
[[nodiscard]] std::vector<ShownPoint> shownPoints(const DrawnSchedule& drawn);

/// `start` with point `index` moved to (x, y) of a pane's axes, as far as its neighbours let it. Signal,
/// Noise, LogSnr: x = time, y the value; Density: y = p(log-SNR), x is not used; Loss: x = log-SNR, y is not
/// used. With zero terminal SNR the last point has no signal to take: its amplitudes stay.
[[nodiscard]] DrawnSchedule withPointMovedTo(const DrawnSchedule& start, std::size_t index, Pane pane,
                                             Hold hold, std::pair<double, double> target);

}  // namespace kurve::schedule
