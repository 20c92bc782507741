#include "core/frontier/front.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace kurve::frontier {
namespace {

std::optional<Slice> between(const Dot& left, const Dot& right, double x) {
    const double part = right.x > left.x ? (x - left.x) / (right.x - left.x) : 0;
    const auto mixed = [part](double a, double b) { return part > 0 ? a + part * (b - a) : a; };
    const double y = mixed(left.y, right.y);
    return Slice{y, y - mixed(left.dy.below, right.dy.below), y + mixed(left.dy.above, right.dy.above)};
}

std::vector<Dot> turned(std::span<const Dot> dots) {
    std::vector<Dot> other;
    for (const Dot& dot : dots) other.push_back({dot.y, dot.x, dot.dy, dot.dx});
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

std::optional<Ellipse> seedEllipse(std::span<const double> xs, std::span<const double> ys) {
    if (xs.size() != ys.size() || xs.size() < 3) return std::nullopt;
    const double a = covariance(xs, xs), b = covariance(xs, ys), c = covariance(ys, ys);
    const double half = (a + c) / 2, spread = std::hypot((a - c) / 2, b);
    constexpr double kChiSquare = 5.991464547107979;  // 95 %, two degrees of freedom
    return Ellipse{meanOf(xs), meanOf(ys), std::sqrt(kChiSquare * (half + spread)),
                   std::sqrt(kChiSquare * std::max(0.0, half - spread)), 0.5 * std::atan2(2 * b, a - c)};
}

std::vector<std::size_t> paretoFront(std::span<const Dot> dots) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < dots.size(); ++i)
        if (std::isfinite(dots[i].x) && std::isfinite(dots[i].y)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return dots[a].x != dots[b].x ? dots[a].x > dots[b].x : dots[a].y > dots[b].y;
    });
    std::vector<std::size_t> front;
    double best = -INFINITY;
    for (const std::size_t i :
         order) {  // from the right: a dot stands if it is higher than all further right
        if (dots[i].y <= best) continue;
        best = dots[i].y;
        front.push_back(i);
    }
    std::reverse(front.begin(), front.end());
    return front;
}

double hypervolume(std::span<const Dot> dots, double x0, double y0) {
    double area = 0, reached = x0;
    for (const std::size_t i : paretoFront(dots)) {  // y falls as x grows
        if (dots[i].x <= reached || dots[i].y <= y0) continue;
        area += (dots[i].x - reached) * (dots[i].y - y0);
        reached = dots[i].x;
    }
    return area;
}

std::optional<Slice> sliceAt(std::span<const Dot> dots, double x) {
    const auto front = paretoFront(dots);
    if (front.empty() || x < dots[front.front()].x || x > dots[front.back()].x) return std::nullopt;
    const auto right =
        std::find_if(front.begin(), front.end(), [&](std::size_t i) { return dots[i].x >= x; });
    const auto left = right == front.begin() ? right : right - 1;
    return between(dots[*left], dots[*right], x);
}

std::optional<Slice> sliceAtQuality(std::span<const Dot> dots, double y) {
    return sliceAt(turned(dots), y);
}

Difference difference(const Slice& a, const Slice& b) {
    // An estimate outside its own interval bounds nothing on that side.
    const auto reach = [](double one, double other) {
        return std::hypot(std::max(0.0, one), std::max(0.0, other));
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
    std::set<std::string> judges;
    for (const SweepPoint& point : points)
        if (!point.judge.empty()) judges.insert(point.judge);
    std::vector<std::string> found;
    if (references.size() > 1) found.emplace_back("the points were scored on different sentences");
    if (sentences.size() > 1)
        found.push_back(
            fmt::format("the number of sentences differs ({} to {}); distinct-n falls as it grows",
                        *sentences.begin(), *sentences.rbegin()));
    if (seeds.size() > 1)
        found.push_back(
            fmt::format("the number of seeds differs ({} to {})", *seeds.begin(), *seeds.rbegin()));
    if (judges.size() > 1)
        found.emplace_back(
            "different judges read the points: what they say (minus-gen-ppl, mauve-judge) is no "
            "common scale");
    return found;
}

}  // namespace kurve::frontier
