#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kurve::series {

/// One member of a group: x non-decreasing, as long as y.
struct Member {
    std::span<const double> x, y;
};

enum class BandKind : std::uint8_t {
    Confidence,  ///< 95 % interval of the mean: mean ± SampleStatistics::half of student.h
    Range,       ///< lowest and highest member
};

/// Mean of several runs with a band about it, at each x of a common grid.
struct Band {
    std::vector<double> x, mean, low, high;  ///< low and high are NaN where fewer than two members are known
    std::vector<int> count;                  ///< members known at x, 0 never
};

/// The grid is every x of the members, or `most` equally spaced ones if there are more; members count between
/// their first and last point, linear between points, and not beside a point that is not finite.
[[nodiscard]] Band groupBand(std::span<const Member> members, BandKind kind, std::size_t most = 4000);

}  // namespace kurve::series
