#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/schedule/free_curve.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {

/// Properties of a valid schedule, in examine()'s order.
enum class Invariant : unsigned char {
    Decreasing,  ///< the log-SNR is strictly decreasing
    Ends,        ///< the points reach from t = 0 to t = 1
    Limits,      ///< the log-SNR is within the clamp, or within +-kMaxLogSnr
    Variance,    ///< alpha^2 + sigma^2 = 1; Gaussian only
    Terminal,    ///< (nearly) no signal at t = 1, where the sampler begins with noise alone
    Area,        ///< the density of the training's log-SNRs integrates to 1
};

/// A curve, and what of its settings a repair changes with it.
struct Repair {
    FreeCurve curve;
    FreeSettings settings;
};

struct Finding {
    Invariant invariant = Invariant::Decreasing;
    bool holds = true;
    double measured =
        0;  ///< smallest decrease / points not at their end / excess / largest |a^2+s^2-1| / alpha(1) / area
    std::string text;              ///< a short description
    std::optional<Repair> repair;  ///< where it does not hold and other points would
};

/// All of them for a drawn curve; needs two points with ascending times and finite numbers. Pure.
[[nodiscard]] std::vector<Finding> examine(const FreeCurve& curve, const FreeSettings& settings = {});
/// Those of any schedule: Decreasing, Variance, Terminal, Area. Without repairs.
[[nodiscard]] std::vector<Finding> examine(const NoiseSchedule& schedule);

/// log-SNR(1) of a schedule that starts, as far as a network can tell, from noise alone; all listed ones do.
inline constexpr double kTerminalLogSnr = -6;

/// The repairs one by one; each gives the nearest curve that keeps the invariant.
/// Least squares: the log-SNRs decrease by at least `gap` from point to point and are within the limits.
[[nodiscard]] FreeCurve withDecreasingPoints(FreeCurve curve, double gap = 1e-2);
[[nodiscard]] FreeCurve withEnds(FreeCurve curve);                              ///< times stretched to 0..1
[[nodiscard]] Repair withUnitVariance(FreeCurve curve, FreeSettings settings);  ///< F moves into the log-SNR

}  // namespace kurve::schedule
