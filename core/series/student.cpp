#include "core/series/student.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "core/base/check.h"

namespace kurve::series {

namespace {

/// Lentz's continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8); quick for
/// x < (a + 1) / (a + b + 2).
double betaFraction(double a, double b, double x) {
    constexpr double kTiny = 1e-300, kEnough = 1e-16;
    const auto nonZero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
    double c = 1, d = 1 / nonZero(1 - (a + b) * x / (a + 1)), fraction = d;
    for (int m = 1; m < 10000; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / nonZero(1 + even * d), c = nonZero(1 + even / c);
        fraction *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / nonZero(1 + odd * d), c = nonZero(1 + odd / c);
        const double factor = d * c;
        fraction *= factor;
        if (std::abs(factor - 1) < kEnough) break;
    }
    return fraction;
}

/// P(|T| > t).
double bothTails(double t, double degrees) {
    const double a = degrees / 2, b = 0.5, square = t * t;
    const double x = degrees / (degrees + square), rest = square / (degrees + square);
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(rest));
    return x < (a + 1) / (a + b + 2) ? front * betaFraction(a, b, x) / a
                                     : 1 - front * betaFraction(b, a, rest) / b;
}

double density(double t, double degrees) {
    return std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2) -
                    (degrees + 1) / 2 * std::log1p(t * t / degrees)) /
           std::sqrt(degrees * std::numbers::pi);
}

double solved(double degrees) {
    constexpr double kBoth = 0.05;
    double low = 1.9, high = 4;  // the normal quantile, 1.96, is the least of all
    while (bothTails(high, degrees) > kBoth) high *= 2;
    double t = low;
    for (int i = 0; i < 200; ++i) {  // Newton, bounded
        const double over = bothTails(t, degrees) - kBoth;
        (over > 0 ? low : high) = t;
        double next = t + over / (2 * density(t, degrees));
        if (!(next > low && next < high)) next = (low + high) / 2;
        if (std::abs(next - t) <= 1e-14 * t) return next;
        t = next;
    }
    return t;
}

}  // namespace

double studentQuantile(double degrees) {
    KURVE_CHECK(degrees > 0, "{} degrees of freedom", degrees);
    // A band asks for the same few at each of thousands of points.
    static const auto kWhole = [] {
        std::array<double, 65> quantiles{};
        for (std::size_t i = 1; i < quantiles.size(); ++i) quantiles[i] = solved(static_cast<double>(i));
        return quantiles;
    }();
    const auto whole = static_cast<std::size_t>(std::min(degrees, 1e6));
    if (whole > 0 && whole < kWhole.size() && static_cast<double>(whole) == degrees) return kWhole[whole];
    return solved(degrees);
}

SampleStatistics sampleStatistics(std::span<const double> values) {
    SampleStatistics statistics;
    double sum = 0;
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        statistics.min = statistics.n == 0 ? value : std::min(statistics.min, value);
        statistics.max = statistics.n == 0 ? value : std::max(statistics.max, value);
        sum += value;
        ++statistics.n;
    }
    if (statistics.n == 0) return statistics;
    statistics.mean = sum / statistics.n;
    if (statistics.n < 2) return statistics;
    double squares = 0;
    for (const double value : values)
        if (std::isfinite(value)) squares += (value - statistics.mean) * (value - statistics.mean);
    statistics.variance = squares / (statistics.n - 1);
    statistics.half = studentQuantile(statistics.n - 1) * std::sqrt(statistics.variance / statistics.n);
    return statistics;
}

MeanDifference meanDifference(const SampleStatistics& from, const SampleStatistics& to) {
    MeanDifference difference;
    difference.value = to.mean - from.mean;
    if (from.n < 2 || to.n < 2) return difference;
    const double a = from.variance / from.n, b = to.variance / to.n;
    difference.half = 0;
    if (a + b == 0) return difference;
    difference.degrees = (a + b) * (a + b) / (a * a / (from.n - 1) + b * b / (to.n - 1));
    difference.half = studentQuantile(difference.degrees) * std::sqrt(a + b);
    return difference;
}

}  // namespace kurve::series
