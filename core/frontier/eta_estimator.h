#pragma once

#include <vector>

namespace kurve::frontier {

/// How long jobs take by the work that each holds, learned from those that are done: seconds = fixed + rate ·
/// units, fitted by least squares with neither below zero; proportional while all had the same work.
class EtaEstimator {
public:
    void add(double units, double seconds);
    [[nodiscard]] bool known() const { return !units_.empty(); }
    /// Of jobs with these units together. 0 before the first add().
    [[nodiscard]] double secondsFor(const std::vector<double>& units) const;

private:
    struct Line {
        double fixed, rate;
    };
    [[nodiscard]] Line fit() const;

    std::vector<double> units_, seconds_;
};

}  // namespace kurve::frontier
