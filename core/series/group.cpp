#include "core/series/group.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/check.h"
#include "core/series/align.h"

namespace kurve::series {

namespace {

std::vector<double> gridOf(std::span<const Member> members, std::size_t most) {
    std::vector<double> grid;
    for (const Member& member : members) grid.insert(grid.end(), member.x.begin(), member.x.end());
    std::sort(grid.begin(), grid.end());
    grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
    if (grid.size() <= most) return grid;
    const double first = grid.front(), step = (grid.back() - first) / static_cast<double>(most - 1);
    grid.resize(most);
    for (std::size_t i = 0; i < most; ++i) grid[i] = first + step * static_cast<double>(i);
    return grid;
}

}  // namespace

double studentQuantile(int degrees) {
    KURVE_CHECK(degrees >= 1, "{} degrees of freedom", degrees);
    constexpr std::array<double, 8> kExact{12.706204736, 4.3026527297, 3.1824463053, 2.7764451052,
                                           2.5705818366, 2.4469118511, 2.3646242516, 2.3060041352};
    if (degrees <= static_cast<int>(kExact.size())) return kExact[static_cast<std::size_t>(degrees) - 1];
    // Cornish and Fisher's expansion about the normal quantile (Abramowitz and Stegun 26.7.5).
    const double z = 1.959963984540054, n = degrees, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z,
                 z9 = z7 * z * z;
    return z + (z3 + z) / (4 * n) + (5 * z5 + 16 * z3 + 3 * z) / (96 * n * n) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * n * n * n) +
           (79 * z9 + 776 * z7 + 1482 * z5 - 1920 * z3 - 945 * z) / (92160 * n * n * n * n);
}

Band groupBand(std::span<const Member> members, Spread spread, std::size_t most) {
    KURVE_CHECK(most >= 2, "a grid of {} points", most);
    const std::vector<double> grid = gridOf(members, most);
    std::vector<std::vector<double>> values;
    for (const Member& member : members) values.push_back(resample(member.x, member.y, grid));
    Band band;
    const double none = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < grid.size(); ++i) {
        double sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
        int count = 0;
        for (const auto& member : values) {
            if (!std::isfinite(member[i])) continue;
            sum += member[i];
            low = std::min(low, member[i]), high = std::max(high, member[i]);
            ++count;
        }
        if (count == 0) continue;
        const double mean = sum / count;
        double squares = 0;
        for (const auto& member : values)
            if (std::isfinite(member[i])) squares += (member[i] - mean) * (member[i] - mean);
        const double reach =
            count < 2 ? none : studentQuantile(count - 1) * std::sqrt(squares / (count - 1) / count);
        const bool range = spread == Spread::Range;
        band.x.push_back(grid[i]);
        band.mean.push_back(mean);
        band.low.push_back(count < 2 ? none : range ? low : mean - reach);
        band.high.push_back(count < 2 ? none : range ? high : mean + reach);
        band.count.push_back(count);
    }
    return band;
}

}  // namespace kurve::series
