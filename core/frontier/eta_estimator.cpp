#include "core/frontier/eta_estimator.h"

#include <numeric>

namespace kurve::frontier {
namespace {

double sum(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

void EtaEstimator::add(double units, double seconds) {
    units_.push_back(units);
    seconds_.push_back(seconds);
}

EtaEstimator::Line EtaEstimator::fit() const {
    const auto n = static_cast<double>(units_.size());
    const double meanUnits = sum(units_) / n, meanSeconds = sum(seconds_) / n;
    const Line proportional{0, meanUnits > 0 ? meanSeconds / meanUnits : 0};
    double squares = 0, products = 0;
    for (std::size_t i = 0; i < units_.size(); ++i) {
        squares += (units_[i] - meanUnits) * (units_[i] - meanUnits);
        products += (units_[i] - meanUnits) * (seconds_[i] - meanSeconds);
    }
    if (squares <= 0) return proportional;
    const double rate = products / squares, fixed = meanSeconds - rate * meanUnits;
    if (rate < 0) return {meanSeconds, 0};
    return fixed < 0 ? proportional : Line{fixed, rate};
}

double EtaEstimator::secondsFor(const std::vector<double>& units) const {
    if (!known()) return 0;
    const auto [fixed, rate] = fit();
    return fixed * static_cast<double>(units.size()) + rate * sum(units);
}

}  // namespace kurve::frontier
