#include "core/frontier/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/metrics/metric.h"

namespace kurve::frontier {
namespace {

std::optional<Slice> between(const PlanePoint& left, const PlanePoint& right, double x) {
    const double part = right.x > left.x ? (x - left.x) / (right.x - left.x) : 0;
    const auto mixed = [part](double a, double b) { return part > 0 ? a + part * (b - a) : a; };
    const double y = mixed(left.y, right.y);
    return Slice{y, y - mixed(left.dy.below, right.dy.below), y + mixed(left.dy.above, right.dy.above)};
}

std::vector<PlanePoint> transposed(std::span<const PlanePoint> points) {
    std::vector<PlanePoint> other;
    for (const PlanePoint& p : points) other.push_back({p.y, p.x, p.dy, p.dx});
    return other;
}

double meanOf(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double covariance(std::span<const double> a, std::span<const double> b) {
    const double ma = meanOf(a), mb = meanOf(b);
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - ma) * (b[i] - mb);
    return sum / static_cast<double>(a.size() - 1);
}

}  // namespace

double direction(const std::string& quality) {
    return metrics::higherIsBetter(quality) ? 1 : -1;
}

Slice oriented(const Slice& values, double direction) {
    if (direction > 0) return values;
    return {-values.y, -values.high, -values.low};
}

PlanePoint planePoint(const Estimate& diversity, const Estimate& quality, double direction) {
    const auto reach = [](const Slice& s) { return Reach{s.y - s.low, s.high - s.y}; };
    const Slice x{diversity.value, diversity.low, diversity.high},
        y = oriented({quality.value, quality.low, quality.high}, direction);
    return {x.y, y.y, reach(x), reach(y)};
}

std::optional<Ellipse> seedEllipse(std::span<const double> xs, std::span<const double> ys) {
    if (xs.size() != ys.size() || xs.size() < 3) return std::nullopt;
    const double a = covariance(xs, xs), b = covariance(xs, ys), c = covariance(ys, ys);
    // The eigenvalues of the covariance are mean ± radius.
    const double mean = (a + c) / 2, radius = std::hypot((a - c) / 2, b);
    constexpr double kChiSquare = 5.991464547107979;  // 95 %, two degrees of freedom
    return Ellipse{meanOf(xs), meanOf(ys), std::sqrt(kChiSquare * (mean + radius)),
                   std::sqrt(kChiSquare * std::max(0.0, mean - radius)), 0.5 * std::atan2(2 * b, a - c)};
}

std::vector<std::size_t> paretoFront(std::span<const PlanePoint> points) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < points.size(); ++i)
        if (std::isfinite(points[i].x) && std::isfinite(points[i].y)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return points[a].x != points[b].x ? points[a].x > points[b].x : points[a].y > points[b].y;
    });
    std::vector<std::size_t> front;
    double best = -INFINITY;
    for (const std::size_t i : order) {  // from the right: on the front if higher than all further right
        if (points[i].y <= best) continue;
        best = points[i].y;
        front.push_back(i);
    }
    std::reverse(front.begin(), front.end());
    return front;
}

double hypervolume(std::span<const PlanePoint> points, double x0, double y0) {
    double area = 0, reached = x0;
    for (const std::size_t i : paretoFront(points)) {  // y falls as x grows
        if (points[i].x <= reached || points[i].y <= y0) continue;
        area += (points[i].x - reached) * (points[i].y - y0);
        reached = points[i].x;
    }
    return area;
}

std::optional<Slice> sliceAt(std::span<const PlanePoint> points, double x) {
    const auto front = paretoFront(points);
    if (front.empty() || x < points[front.front()].x || x > points[front.back()].x) return std::nullopt;
    const auto right =
        std::find_if(front.begin(), front.end(), [&](std::size_t i) { return points[i].x >= x; });
    const auto left = right == front.begin() ? right : right - 1;
    return between(points[*left], points[*right], x);
}

std::optional<Slice> sliceAtQuality(std::span<const PlanePoint> points, double y) {
    return sliceAt(transposed(points), y);
}

Difference difference(const Slice& a, const Slice& b) {
    // An estimate outside its own interval bounds nothing on that side; without one (NaN) the bound is
    // unknown.
    const auto reach = [](double one, double other) {
        return std::hypot(std::max(one, 0.0), std::max(other, 0.0));
    };
    const double value = a.y - b.y;
    return {value, value - reach(a.y - a.low, b.high - b.y), value + reach(a.high - a.y, b.y - b.low)};
}

std::vector<std::string> caveats(std::span<const SweepPoint> points) {
    std::set<int> sentences;
    std::set<std::size_t> seeds;
    std::set<std::string> references;
    for (const SweepPoint& point : points) {
        sentences.insert(point.sentences);
        seeds.insert(point.seeds.size());
        references.insert(point.reference);
    }
    std::set<std::string> scorers;
    for (const SweepPoint& point : points)
        if (!point.scorer.empty()) scorers.insert(point.scorer);
    std::vector<std::string> found;
    if (references.size() > 1) found.emplace_back("the points were evaluated on different sentences");
    if (sentences.size() > 1)
        found.push_back(
            fmt::format("the number of sentences differs ({} to {}); distinct-n falls as it grows",
                        *sentences.begin(), *sentences.rbegin()));
    if (seeds.size() > 1)
        found.push_back(
            fmt::format("the number of seeds differs ({} to {})", *seeds.begin(), *seeds.rbegin()));
    if (scorers.size() > 1)
        found.emplace_back("the points have different scorers: gen_ppl and mauve are not comparable");
    return found;
}

}  // namespace kurve::frontier
