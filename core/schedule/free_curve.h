#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/schedule/monotone_cubic.h"

namespace kurve::schedule {

class NoiseSchedule;

/// A point of a free schedule: time 0 (data) to 1 (noise) and the log-SNR there, in nats.
struct SchedulePoint {
    double t = 0, logSnr = 0;
    friend bool operator==(const SchedulePoint& a, const SchedulePoint& b) {
        return a.t == b.t && a.logSnr == b.logSnr;
    }
};

/// A free schedule: points with a monotone cubic of the log-SNR through them, so that it is strictly
/// decreasing by construction. A value type; check() says whether it is valid for training.
struct FreeCurve {
    bool masking = false;  ///< log-SNR = ln(alpha / (1 - alpha)) of the probability alpha of being unmasked
    bool zeroTerminal = false;  ///< rescaled so that nothing of the signal is left at t = 1 (Lin et al. 2024)
    std::optional<std::pair<double, double>> clamp;  ///< limits of the log-SNR: lowest, highest
    std::vector<SchedulePoint> points;
    std::string note;  ///< what the user wrote about it

    [[nodiscard]] MonotoneCubic interpolated() const;  ///< needs two points and ascending times
    friend bool operator==(const FreeCurve& a, const FreeCurve& b);
};

inline constexpr double kMinGap = 1e-6;   ///< between the times and between the log-SNRs of neighbours
inline constexpr double kMaxLogSnr = 30;  ///< beyond it alpha or sigma vanish beside 1 in the arithmetic
inline constexpr std::size_t kMaxPoints = 400;

/// Two to kMaxPoints finite points from t = 0 to t = 1 in order, log-SNR decreasing by at least kMinGap,
/// within the clamp and +-kMaxLogSnr. Errors: schedule.points, which name the point.
Status check(const FreeCurve& curve);

/// What a Gaussian free schedule has beside its curve; as the fields of the same names of every discrete one.
struct FreeSettings {
    int steps = 2000;
    double noiseFactor = 1;
    bool bend = false;  ///< vp_rf
};
/// Of any curve with ascending times and finite numbers, also one that does not pass check(): the laboratory
/// shows its findings. Mask schedules have no settings.
[[nodiscard]] std::unique_ptr<NoiseSchedule> makeFreeSchedule(const FreeCurve& curve,
                                                              const FreeSettings& settings = {});

/// "0=12,0.5=0,1=-12": points in the order in which they are written. Errors: schedule.points.
Result<std::vector<SchedulePoint>> parsePoints(const std::string& text);
/// What parsePoints() reads back to the same points.
[[nodiscard]] std::string pointsText(const std::vector<SchedulePoint>& points);

/// What one number of a pasted list is.
enum class PointMeaning : unsigned char { LogSnr, Alpha, AlphaBar, Sigma, Beta };
/// A list as people paste it: numbers between commas, semicolons, blanks or lines, at equal times from 0 to
/// 1; or two numbers a line (or "t=value", "t:value"), the first of which is the time. Commas are decimal
/// signs where tabs or semicolons part the numbers; where both can be meant it is an error. Beta tables start
/// after t = 0. Times are sorted and rescaled to 0..1; values need not decrease, the invariants report it.
/// Values without a finite log-SNR (alpha = 1) are put at the nearest end of +-kMaxLogSnr / 2. Errors:
/// schedule.points.
Result<std::vector<SchedulePoint>> parsePointList(const std::string& text, PointMeaning meaning,
                                                  bool masking = false);

/// The point moved as far towards `to` as its neighbours let it; the ends keep their times.
[[nodiscard]] std::vector<SchedulePoint> withPointMoved(std::vector<SchedulePoint> points, std::size_t index,
                                                        SchedulePoint to);
/// A point on the curve at t; the same points if one is there already or there are kMaxPoints.
[[nodiscard]] std::vector<SchedulePoint> withPointAt(const FreeCurve& curve, double t);
/// Without an inner point; the ends stay.
[[nodiscard]] std::vector<SchedulePoint> withoutPoint(std::vector<SchedulePoint> points, std::size_t index);
/// The fraction of time between the point's neighbours scaled by `factor`, all log-SNRs fixed, all times
/// rescaled to fill 0..1: the effect of dragging p(log-SNR) at the point.
[[nodiscard]] std::vector<SchedulePoint> withDensityScaled(std::vector<SchedulePoint> points,
                                                           std::size_t index, double factor);

}  // namespace kurve::schedule
