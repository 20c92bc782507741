#include "core/metrics/distance_correlation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.h"
#include "core/base/random_stream.h"
#include "core/metrics/detail/bootstrap.h"

namespace kurve::metrics {
namespace {

double distance(const double* a, const double* b, std::size_t width) {
    double squares = 0;
    for (std::size_t i = 0; i < width; ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(squares);
}

/// Subtracts the means of rows and columns of a symmetric matrix and adds that of all.
void centre(std::vector<double>& matrix, std::size_t count) {
    std::vector<double> mean(count);
    for (std::size_t r = 0; r < count; ++r) {
        const auto row = matrix.begin() + static_cast<std::ptrdiff_t>(r * count);
        mean[r] =
            std::accumulate(row, row + static_cast<std::ptrdiff_t>(count), 0.0) / static_cast<double>(count);
    }
    const double all = std::accumulate(mean.begin(), mean.end(), 0.0) / static_cast<double>(count);
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t c = 0; c < count; ++c) matrix[r * count + c] += all - mean[r] - mean[c];
}

double correlationOf(double covariance, double variances) {
    // A covariance of nothing but rounding may be below zero.
    return variances > 0 ? std::sqrt(std::max(0.0, covariance) / std::sqrt(variances)) : 0;
}

}  // namespace

CentredDistances::CentredDistances(const Observations& observations)
    : count_(observations.count), values_(count_ * count_) {
    const auto& [values, count, width] = observations;
    KURVE_CHECK(count >= 2 && values.size() == count * width, "{} values of {} observations, {} wide",
                values.size(), count, width);
    for (std::size_t r = 0; r < count; ++r)
        for (std::size_t c = 0; c < r; ++c)
            values_[r * count + c] = values_[c * count + r] =
                distance(&values[r * width], &values[c * width], width);
    centre(values_, count);
    variance_ = covariance(*this);
}

double CentredDistances::covariance(const CentredDistances& other) const {
    KURVE_CHECK(count_ == other.count_, "{} and {} observations", count_, other.count_);
    return std::inner_product(values_.begin(), values_.end(), other.values_.begin(), 0.0) /
           static_cast<double>(values_.size());
}

double CentredDistances::covariance(const CentredDistances& other, std::span<const std::size_t> order) const {
    KURVE_CHECK(count_ == other.count_ && order.size() == count_, "{}, {} and {} observations", count_,
                other.count_, order.size());
    double sum = 0;
    for (std::size_t r = 0; r < count_; ++r)
        for (std::size_t c = 0; c < count_; ++c)
            sum += values_[r * count_ + c] * other.values_[order[r] * count_ + order[c]];
    return sum / static_cast<double>(values_.size());
}

double distanceCorrelation(const CentredDistances& x, const CentredDistances& y) {
    return correlationOf(x.covariance(y), x.variance() * y.variance());
}

double distanceCorrelation(const Observations& x, const Observations& y) {
    return distanceCorrelation(CentredDistances(x), CentredDistances(y));
}

double permutedDistanceCorrelation(const CentredDistances& x, const CentredDistances& y, int permutations,
                                   std::uint64_t seed) {
    KURVE_CHECK(permutations >= 1, "{} permutations", permutations);
    RandomStream stream(seed, "metrics.permutation");
    std::vector<std::size_t> order(y.count());
    std::iota(order.begin(), order.end(), std::size_t{0});
    double sum = 0;
    for (int i = 0; i < permutations; ++i) {
        stream.shuffle(std::span(order));
        sum += correlationOf(x.covariance(y, order), x.variance() * y.variance());
    }
    return sum / permutations;
}

Score bootstrapMean(std::span<const double> values) {
    KURVE_CHECK(!values.empty(), "the mean of nothing");
    detail::SentenceStatistics statistics(2);
    for (const double value : values) statistics.add(std::vector<double>{value, 1});
    return detail::scoreOf(statistics, [](std::span<const double> sums) { return sums[0] / sums[1]; });
}

}  // namespace kurve::metrics
