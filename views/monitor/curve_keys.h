#pragma once

#include <map>
#include <utility>

#include "views/common/chart/run_axis.h"

namespace kurve::views {

/// x of the points of runs' curves on one axis, cached until there is more of the run.
class CurveKeys {
public:
    /// Clears the cache if it is another axis.
    void setAxis(const RunAxis& axis);
    [[nodiscard]] const RunAxis& axis() const { return axis_; }
    /// As long as the series, or empty where the run does not tell; one list for the metrics that share their
    /// steps. Valid until the next call.
    [[nodiscard]] const GrowingList<double>& of(const std::shared_ptr<const RunData>& run,
                                                const std::string& metric);
    void keepOnly(const QStringList& runs);
    /// Where a training step of the run lies on the axis, and back; NaN and -1 where the run does not tell.
    [[nodiscard]] double xOfStep(const std::shared_ptr<const RunData>& run, std::int64_t step);
    [[nodiscard]] std::int64_t stepAt(const std::shared_ptr<const RunData>& run, double x);

private:
    struct CachedCurve {
        GrowingList<std::int64_t> step;
        std::shared_ptr<const RunData> run;  ///< null on the axis of steps, where only these matter
        GrowingList<double> x;
    };
    using Cache = std::map<std::pair<std::string, std::string>, CachedCurve>;
    [[nodiscard]] CachedCurve made(const std::shared_ptr<const RunData>& run, const store::Series& series,
                                   const CachedCurve& before) const;

    RunAxis axis_;
    Cache cache_;
};

}  // namespace kurve::views
