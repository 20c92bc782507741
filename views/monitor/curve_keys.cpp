#include "views/monitor/curve_keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kurve::views {

namespace {

const char* const kEveryStep = "loss";  ///< of all curves the one with most points

}  // namespace

void CurveKeys::setAxis(const RunAxis& axis) {
    if (axis == axis_) return;
    axis_ = axis;
    cache_.clear();
}

const std::vector<double>& CurveKeys::of(const std::shared_ptr<const RunData>& run,
                                         const std::string& metric) {
    static const std::vector<double> kNone;
    const auto series = run ? run->find(metric) : nullptr;
    if (!series) return kNone;
    CachedCurve& cached = cache_[{run->summary.id, metric}];
    if (cached.run != run) cached = {run, axis_.of(*run, *series)};
    return cached.x;
}

void CurveKeys::keepOnly(const QStringList& runs) {
    std::erase_if(
        cache_, [&](const auto& entry) { return !runs.contains(QString::fromStdString(entry.first.first)); });
}

double CurveKeys::xOfStep(const std::shared_ptr<const RunData>& run, std::int64_t step) {
    if (axis_.kind == RunAxis::Kind::Step) return static_cast<double>(step);
    const auto series = run ? run->find(kEveryStep) : nullptr;
    const auto& x = of(run, kEveryStep);
    if (x.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto at = std::lower_bound(series->step.begin(), series->step.end(), step) - series->step.begin();
    return x[std::min(static_cast<std::size_t>(at), x.size() - 1)];
}

std::int64_t CurveKeys::stepAt(const std::shared_ptr<const RunData>& run, double x) {
    if (axis_.kind == RunAxis::Kind::Step) return static_cast<std::int64_t>(std::llround(x));
    const auto series = run ? run->find(kEveryStep) : nullptr;
    const auto& keys = of(run, kEveryStep);
    std::int64_t step = -1;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const double off = std::abs(keys[i] - x);
        if (off >= least) continue;  // NaN is nowhere
        least = off;
        step = series->step[i];
    }
    return step;
}

}  // namespace kurve::views
