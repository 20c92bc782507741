#include "views/monitor/curve_keys.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kurve::views {

namespace {

const char* const kEveryStep = "loss";  ///< of all curves the one with most points

bool begins(const GrowingList<std::int64_t>& whole, const GrowingList<std::int64_t>& part) {
    return !part.empty() && part.size() <= whole.size() && part.front() == whole.front() &&
           part.back() == whole[part.size() - 1];
}

}  // namespace

void CurveKeys::setAxis(const RunAxis& axis) {
    if (axis == axis_) return;
    axis_ = axis;
    cache_.clear();
}

const GrowingList<double>& CurveKeys::of(const std::shared_ptr<const RunData>& run,
                                         const std::string& metric) {
    static const GrowingList<double> kNone;
    const auto series = run ? run->find(metric) : nullptr;
    if (!series) return kNone;
    const auto isCurrent = [&](const CachedCurve& cached) {
        return cached.step.isSameAs(series->step) && (axis_.kind == RunAxis::Kind::Step || cached.run == run);
    };
    CachedCurve& own = cache_[{run->summary.id, metric}];
    if (isCurrent(own)) return own.x;
    for (auto at = cache_.lower_bound({run->summary.id, std::string()});
         at != cache_.end() && at->first.first == run->summary.id; ++at)
        if (isCurrent(at->second)) return (own = at->second).x;
    own = made(run, *series, own);
    return own.x;
}

CurveKeys::CachedCurve CurveKeys::made(const std::shared_ptr<const RunData>& run, const store::Series& series,
                                       const CachedCurve& before) const {
    if (axis_.kind != RunAxis::Kind::Step) {
        const std::vector<double> x = axis_.of(*run, series);
        return {series.step, run, {x.begin(), x.end()}};
    }
    CachedCurve grown{series.step, nullptr, {}};
    if (begins(series.step, before.step)) grown.x = before.x;
    for (std::size_t i = grown.x.size(); i < series.size(); ++i)
        grown.x.push_back(static_cast<double>(series.step[i]));
    return grown;
}

void CurveKeys::keepOnly(const QStringList& runs) {
    std::erase_if(
        cache_, [&](const auto& entry) { return !runs.contains(QString::fromStdString(entry.first.first)); });
}

double CurveKeys::xOfStep(const std::shared_ptr<const RunData>& run, std::int64_t step) {
    if (axis_.kind == RunAxis::Kind::Step) return static_cast<double>(step);
    const auto series = run ? run->find(kEveryStep) : nullptr;
    const GrowingList<double>& x = of(run, kEveryStep);
    if (x.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto at = std::lower_bound(series->step.begin(), series->step.end(), step) - series->step.begin();
    return x[std::min(static_cast<std::size_t>(at), x.size() - 1)];
}

std::int64_t CurveKeys::stepAt(const std::shared_ptr<const RunData>& run, double x) {
    if (axis_.kind == RunAxis::Kind::Step) return static_cast<std::int64_t>(std::llround(x));
    const auto series = run ? run->find(kEveryStep) : nullptr;
    const GrowingList<double>& keys = of(run, kEveryStep);
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
