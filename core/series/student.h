#pragma once

#include <limits>
#include <span>

namespace kurve::series {

/// Quantile 0.975 of Student's t with `degrees` > 0 degrees of freedom, whole or not; to nine digits.
[[nodiscard]] double studentQuantile(double degrees);

/// Statistics of independent values (of several seeds, say). Values that are not finite do not count.
struct SampleStatistics {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    int n = 0;
    double mean = kNone, min = kNone, max = kNone;  ///< NaN where n is 0
    double variance = kNone;                        ///< of the values, by n - 1; NaN where n < 2
    double half =
        kNone;  ///< the mean's 95 % interval is mean ± half: t(0.975, n - 1) s / sqrt(n); NaN where n < 2
};
[[nodiscard]] SampleStatistics sampleStatistics(std::span<const double> values);

/// Difference of two means by Welch's test, which needs no equal variances.
struct MeanDifference {
    double value = SampleStatistics::kNone;  ///< NaN where one of them has no value
    double half =
        SampleStatistics::kNone;  ///< 95 % interval: value ± half; NaN where one of them has fewer than 2
    double degrees =
        SampleStatistics::kNone;  ///< of freedom, after Welch and Satterthwaite; NaN where nothing varies
    /// The interval is known and 0 is not in it.
    [[nodiscard]] bool isDistinguishable() const { return half >= 0 && (value > half || value < -half); }
};
/// `to` less `from`.
[[nodiscard]] MeanDifference meanDifference(const SampleStatistics& from, const SampleStatistics& to);

}  // namespace kurve::series
