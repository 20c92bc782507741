#include "core/frontier/work_pace.h"

#include <numeric>

namespace kurve::frontier {
namespace {

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

void WorkPace::add(double units, double seconds) {
    units_.push_back(units);
    seconds_.push_back(seconds);
}

WorkPace::Line WorkPace::fit() const {
    const auto n = static_cast<double>(units_.size());
    const double meanUnits = sum(units_) / n, meanSeconds = sum(seconds_) / n;
    const Line proportional{0, meanUnits > 0 ? meanSeconds / meanUnits : 0};
    double spread = 0, along = 0;
    for (std::size_t i = 0; i < units_.size(); ++i) {
        spread += (units_[i] - meanUnits) * (units_[i] - meanUnits);
        along += (units_[i] - meanUnits) * (seconds_[i] - meanSeconds);
    }
    if (spread <= 0) return proportional;
    const double rate = along / spread, fixed = meanSeconds - rate * meanUnits;
    if (rate < 0) return {meanSeconds, 0};
    return fixed < 0 ? proportional : Line{fixed, rate};
}

double WorkPace::secondsFor(const std::vector<double>& units) const {
    if (!known()) return 0;
    const auto [fixed, rate] = fit();
    return fixed * static_cast<double>(units.size()) + rate * sum(units);
}

}  // namespace kurve::frontier
