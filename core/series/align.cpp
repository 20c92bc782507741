#include "core/series/align.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/check.h"

namespace kurve::series {

std::vector<double> stepAxis(std::span<const std::int64_t> steps) {
    std::vector<double> x;
    x.reserve(steps.size());
    double last = -std::numeric_limits<double>::infinity();
    for (const auto step : steps) x.push_back(last = std::max(last, static_cast<double>(step)));
    return x;
}

std::vector<double> wallAxis(std::span<const double> wall, double start,
                             std::span<const std::pair<double, double>> pauses) {
    std::vector<double> x;
    x.reserve(wall.size());
    std::vector<std::pair<double, double>> ended;  // overlapping ones joined
    auto next = pauses.begin();
    double last = 0, paused = 0;
    for (const double w : wall) {
        for (; next != pauses.end() && next->second <= w; ++next) {
            double from = std::max(next->first, start);
            const double to = std::max(next->second, from);
            for (; !ended.empty() && ended.back().second > from; ended.pop_back()) {
                from = std::min(from, ended.back().first);
                paused -= ended.back().second - ended.back().first;
            }
            paused += to - from;
            ended.emplace_back(from, to);
        }
        x.push_back(last = std::max(last, w - start - paused));
    }
    return x;
}

std::vector<double> tokenAxis(std::span<const std::int64_t> steps, std::span<const std::int64_t> tokenSteps,
                              std::span<const double> tokens) {
    KURVE_CHECK(tokenSteps.size() == tokens.size(), "{} steps and {} counts", tokenSteps.size(),
                tokens.size());
    if (tokens.empty()) return {};
    std::vector<double> knotX{0}, knotY{0};
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!std::isfinite(tokens[i]) || static_cast<double>(tokenSteps[i]) <= knotX.back()) continue;
        knotX.push_back(static_cast<double>(tokenSteps[i]));
        knotY.push_back(std::max(tokens[i], knotY.back()));
    }
    if (knotX.size() < 2) return {};
    std::vector<double> x;
    x.reserve(steps.size());
    double last = 0;
    for (const auto step : steps) {
        const auto s = static_cast<double>(step);
        const auto above = std::upper_bound(knotX.begin() + 1, knotX.end() - 1, s);
        const auto k = static_cast<std::size_t>(above - knotX.begin());
        const double slope = (knotY[k] - knotY[k - 1]) / (knotX[k] - knotX[k - 1]);
        x.push_back(last = std::max(last, knotY[k - 1] + slope * (s - knotX[k - 1])));
    }
    return x;
}

std::vector<double> resample(std::span<const double> x, std::span<const double> y,
                             std::span<const double> grid) {
    KURVE_CHECK(x.size() == y.size(), "{} x and {} y", x.size(), y.size());
    std::vector<double> out(grid.size(), std::numeric_limits<double>::quiet_NaN());
    if (x.empty()) return out;
    for (std::size_t i = 0; i < grid.size(); ++i) {
        const double at = grid[i];
        if (!(at >= x.front() && at <= x.back())) continue;
        const auto k = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), at) - x.begin());
        const double left = x[k - 1];  // k >= 1, because at >= x.front()
        if (at == left) {
            out[i] = std::isfinite(y[k - 1]) ? y[k - 1] : out[i];
        } else if (std::isfinite(y[k - 1]) && std::isfinite(y[k])) {
            out[i] = y[k - 1] + (y[k] - y[k - 1]) * (at - left) / (x[k] - left);
        }
    }
    return out;
}

}  // namespace kurve::series
