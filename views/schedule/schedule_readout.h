#pragma once

#include <QColor>
#include <QString>
#include <QStringList>
#include <array>
#include <vector>

#include "core/schedule/schedule_curves.h"
#include "views/schedule/noise_loss.h"

namespace kurve::views {

/// A schedule as the charts show it.
struct ShownCurve {
    const schedule::ScheduleCurves* curves;
    QColor color;
    QString glyph, name;  ///< name: in exported tables, before the quantity
    double width = 1;
};
using ShownCurves = std::vector<ShownCurve>;
/// A run's loss by noise level beside them; without losses it is not shown.
struct RunLoss {
    QString name;
    QColor color;
    NoiseLoss loss;
};
/// The selected run and a second one: distinguished by mark and dash as well as by colour.
using RunLosses = std::array<RunLoss, 2>;
inline constexpr std::array<const char16_t*, 2> kLossMarks{u"●", u"■"}, kGradientMarks{u"◇", u"◆"};
inline constexpr const char16_t* kProbabilityMark = u"┅";

/// What stands in the title of a chart while the pointer is at a time, or at a log-SNR.
[[nodiscard]] QStringList signalReadout(const ShownCurves& shown, double time);
[[nodiscard]] QStringList logSnrReadout(const ShownCurves& shown, double time);
[[nodiscard]] QStringList densityReadout(const ShownCurves& shown, double logSnr);
[[nodiscard]] QStringList lossReadout(const RunLosses& shown, double logSnr);

/// The line through (x, y), x ascending, at x; level beyond its ends; NaN without points.
[[nodiscard]] double lineAt(const std::vector<double>& x, const std::vector<double>& y, double at);

}  // namespace kurve::views
