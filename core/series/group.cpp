#include "core/series/group.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "core/base/check.h"
#include "core/series/align.h"
#include "core/series/student.h"

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

Band groupBand(std::span<const Member> members, BandKind kind, std::size_t most) {
    KURVE_CHECK(most >= 2, "a grid of {} points", most);
    const std::vector<double> grid = gridOf(members, most);
    std::vector<std::vector<double>> values;
    for (const Member& member : members) values.push_back(resample(member.x, member.y, grid));
    Band band;
    std::vector<double> here;
    for (std::size_t i = 0; i < grid.size(); ++i) {
        here.clear();
        for (const auto& member : values) here.push_back(member[i]);
        const SampleStatistics statistics = sampleStatistics(here);
        if (statistics.n == 0) continue;
        const bool range = kind == BandKind::Range, isBand = statistics.n > 1;
        band.x.push_back(grid[i]);
        band.mean.push_back(statistics.mean);
        band.low.push_back(range && isBand ? statistics.min : statistics.mean - statistics.half);
        band.high.push_back(range && isBand ? statistics.max : statistics.mean + statistics.half);
        band.count.push_back(statistics.n);
    }
    return band;
}

}  // namespace kurve::series
