#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/metrics/metric.h"

namespace kurve::metrics {

/// S observations of a vector, row by row.
struct Observations {
    std::span<const double> values;  ///< [S, width]
    std::size_t count = 0, width = 0;
};

/// The doubly centred matrix of Euclidean distances between S >= 2 observations (Székely, Rizzo and Bakirov
/// 2007, "Measuring and testing dependence by correlation of distances", sec. 2.4). Takes S^2 doubles.
class CentredDistances {
public:
    explicit CentredDistances(const Observations& observations);
    [[nodiscard]] std::size_t count() const { return count_; }
    /// The squared sample distance covariance V_n^2, the mean of the product of two such matrices; of one
    /// with itself the squared distance variance. Both have the same number of observations.
    [[nodiscard]] double covariance(const CentredDistances& other) const;
    /// The same where the other's observation i is the one with the number order[i].
    [[nodiscard]] double covariance(const CentredDistances& other, std::span<const std::size_t> order) const;
    [[nodiscard]] double variance() const { return variance_; }  ///< covariance() with itself

private:
    std::size_t count_;
    std::vector<double> values_;  ///< [S, S]
    double variance_ = 0;
};

/// The sample distance correlation R_n in [0, 1]: the root of covariance / root of the variances' product; 0
/// where one of them does not vary. A V-statistic: of independent vectors it is above 0, the more so the
/// fewer the observations and the greater the widths; compare with permutedDistanceCorrelation().
[[nodiscard]] double distanceCorrelation(const Observations& x, const Observations& y);
[[nodiscard]] double distanceCorrelation(const CentredDistances& x, const CentredDistances& y);

/// What it is without any dependence: its mean over `permutations` >= 1 random orders of y's observations,
/// from the stream "metrics.permutation" of the seed.
[[nodiscard]] double permutedDistanceCorrelation(const CentredDistances& x, const CentredDistances& y,
                                                 int permutations, std::uint64_t seed);

/// Mean of `values` >= 1 with the percentile bootstrap interval of Score over them.
[[nodiscard]] Score bootstrapMean(std::span<const double> values);

}  // namespace kurve::metrics
