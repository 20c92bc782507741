#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/frontier/sweep_point.h"

namespace kurve::frontier {

/// How far a 95 % interval reaches below and above its value. Bootstrap intervals are skewed: the two differ,
/// and one may even be negative, where the value lies outside.
struct Reach {
    double below = 0, above = 0;
};

/// A point in the plane with its 95 % intervals. More is better on both axes: the y of a quality of which
/// less is better is minus its value, see direction().
struct PlanePoint {
    double x = 0, y = 0;  ///< diversity, quality
    Reach dx = {}, dy = {};
};

/// Where seeds fell: the ellipse that holds 95 % of a normal distribution with their covariance (two degrees
/// of freedom: chi-square 5.991). Axis half-lengths, angle of the longer axis in radians against +x.
struct Ellipse {
    double x = 0, y = 0, major = 0, minor = 0, angle = 0;
};
/// Needs three draws with both numbers; fewer say nothing of a covariance.
[[nodiscard]] std::optional<Ellipse> seedEllipse(std::span<const double> xs, std::span<const double> ys);

/// Indices of the points that no other beats on both axes, by growing x; of equal points the first.
[[nodiscard]] std::vector<std::size_t> paretoFront(std::span<const PlanePoint> points);

/// Area that the front dominates above the corner (x0, y0); points beyond the corner count nothing.
[[nodiscard]] double hypervolume(std::span<const PlanePoint> points, double x0, double y0);

/// The front's quality at a diversity, between its two neighbours on a straight line; nothing outside.
/// The bounds are interpolated in the same way, which is no narrower than the truth: the neighbours' errors
/// count as fully correlated. At a point they are its own.
struct Slice {
    double y = 0, low = 0, high = 0;
};
/// 1, or -1 for a quality of which less is better (metrics::higherIsBetter).
[[nodiscard]] double direction(const std::string& quality);
/// From values to the plane's coordinates and back: the same for 1, with the sign and the bounds exchanged
/// for -1.
[[nodiscard]] Slice oriented(const Slice& values, double direction);
/// `direction`: of the quality. The diversity is one of which more is better.
[[nodiscard]] PlanePoint planePoint(const Estimate& diversity, const Estimate& quality, double direction);

[[nodiscard]] std::optional<Slice> sliceAt(std::span<const PlanePoint> points, double x);
/// The same with the axes exchanged: the diversity that the front reaches at quality y.
[[nodiscard]] std::optional<Slice> sliceAtQuality(std::span<const PlanePoint> points, double y);

/// a - b with a 95 % interval from two independent estimates: variances are recovered from each bound by
/// itself (MOVER; Zou and Donner 2008), so that skewed intervals stay skewed:
///   low = a - b - sqrt((a - low_a)^2 + (high_b - b)^2), high likewise with the other two bounds.
/// Conservative for two runs scored on the same sentences, whose errors go together.
struct Difference {
    double value = 0, low = 0, high = 0;
    [[nodiscard]] bool distinguishable() const { return low > 0 || high < 0; }
};
[[nodiscard]] Difference difference(const Slice& a, const Slice& b);

/// Why two sets of points are not comparable: other sentences, numbers of sentences or of seeds, scorers.
/// Empty = comparable. One sentence each.
[[nodiscard]] std::vector<std::string> caveats(std::span<const SweepPoint> points);

}  // namespace kurve::frontier
