#include "views/common/chart/log_ticker.h"

#include <algorithm>
#include <cmath>

namespace kurve::views {

namespace {

constexpr double kApart = 0.8;  ///< of the space per wanted tick
constexpr int kManyDecades = 3;

QVector<double> roundValues(const QCPRange& range) {
    const int first = static_cast<int>(std::floor(std::log10(range.lower)));
    const int last = static_cast<int>(std::floor(std::log10(range.upper)));
    const int every = std::max(1, (last - first) / 6);
    QVector<double> values;
    for (int decade = first; decade <= last; ++decade)
        for (const double digit : {1.0, 2.0, 5.0})
            if (digit == 1.0 ? decade % every == 0 : last - first < kManyDecades)
                values << digit * std::pow(10.0, decade);
    values.removeIf([&](double value) { return value < range.lower || value > range.upper; });
    return values;
}

}  // namespace

QVector<double> LogTicker::createTickVector(double tickStep, const QCPRange& range) {
    if (range.lower <= 0 || range.upper <= range.lower) return {};
    QVector<double> wanted = roundValues(range);
    if (wanted.size() < 2) {
        wanted = QCPAxisTicker::createTickVector(tickStep, range);
        wanted.removeIf([](double value) { return value <= 0; });
    }
    const double apart = kApart * std::log(range.upper / range.lower) / std::max(tickCount(), 1);
    QVector<double> ticks;
    for (const double value : wanted)
        if (ticks.isEmpty() || std::log(value / ticks.back()) >= apart) ticks << value;
    return ticks;
}

}  // namespace kurve::views
