#include "core/series/pyramid.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace kurve::series {

void Extent::add(double y) {
    if (!std::isfinite(y)) {
        ++notFinite;
        return;
    }
    min = std::min(min, y);
    max = std::max(max, y);
    if (y > 0) minPositive = std::min(minPositive, y);
}

void Extent::add(const Extent& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    minPositive = std::min(minPositive, other.minPositive);
    notFinite += other.notFinite;
}

void Beyond::add(const Beyond& other) {
    below += other.below;
    above += other.above;
}

namespace {

template <class Part>
Extent extentOf(std::span<const Part> parts) {
    Extent sum;
    for (const Part& part : parts) sum.add(part);
    return sum;
}

/// Also where one is NaN.
bool falls(std::span<const double> x) {
    return std::adjacent_find(x.begin(), x.end(), [](double a, double b) { return !(b >= a); }) != x.end();
}

/// The first of the rising x in [from, end) that is not below the edge: near `from`, as columns are narrow.
const double* notBelow(const double* from, const double* end, double edge) {
    std::ptrdiff_t step = 4;
    while (step < end - from && from[step] < edge) {
        from += step;
        step *= 2;
    }
    return std::lower_bound(from, from + std::min(step + 1, end - from), edge);
}

}  // namespace

void Pyramid::append(double x, double y) {
    append(std::span(&x, 1), std::span(&y, 1));
}

void Pyramid::append(std::span<const double> x, std::span<const double> y) {
    KURVE_CHECK(x.size() == y.size(), "{} x and {} y", x.size(), y.size());
    appendKeys(x);
    y_.append(y.begin(), y.end());
    sumBlocks();
}

void Pyramid::share(const GrowingList<double>& x, const GrowingList<double>& y) {
    const std::size_t had = size();
    KURVE_CHECK(x.size() == y.size() && had <= x.size(), "{} x and {} y after {}", x.size(), y.size(), had);
    raised_ = raised_ || falls(std::span<const double>(x).subspan(had > 0 ? had - 1 : 0));
    if (raised_)
        appendKeys(std::span<const double>(x).subspan(had));
    else
        x_ = x;
    y_ = y;
    sumBlocks();
}

void Pyramid::appendAlong(const Pyramid& keys, std::span<const double> y) {
    KURVE_CHECK(size() + y.size() == keys.size(), "{} y after {} at {} x", y.size(), size(), keys.size());
    x_ = keys.x_;
    raised_ = keys.raised_;
    y_.append(y.begin(), y.end());
    sumBlocks();
}

void Pyramid::appendKeys(std::span<const double> x) {
    if (x.empty()) return;
    raised_ = raised_ || falls(x) || (!x_.empty() && !(x.front() >= x_.back()));
    if (!raised_) return x_.append(x.begin(), x.end());
    for (const double key : x) x_.push_back(!x_.empty() && !(key >= x_.back()) ? x_.back() : key);
}

/// A block is summed up once, when its last point has come; then the blocks of blocks that it completes.
void Pyramid::sumBlocks() {
    const std::span<const double> y = y_;
    std::size_t count = y.size() / kFan;
    for (std::size_t level = 0; count > 0; ++level, count /= kFan) {
        if (level == levels_.size()) levels_.emplace_back();
        auto& sums = levels_[level];
        for (std::size_t block = sums.size(); block < count; ++block)
            sums.push_back(
                level == 0
                    ? extentOf(y.subspan(block * kFan, kFan))
                    : extentOf(std::span<const Extent>(levels_[level - 1]).subspan(block * kFan, kFan)));
    }
}

void Pyramid::clear() {
    *this = {};
}

Extent Pyramid::extent(std::size_t begin, std::size_t end) const {
    KURVE_CHECK(begin <= end && end <= size(), "[{}, {}) of {}", begin, end, size());
    const std::span<const double> y = y_;
    Extent sum;
    // Single points up to a block's border at both ends, then the same one level up with what lies between.
    while (begin < end && (begin % kFan != 0 || end - begin < kFan)) sum.add(y[begin++]);
    while (begin < end && end % kFan != 0) sum.add(y[--end]);
    for (const auto& level : levels_) {
        begin /= kFan;
        end /= kFan;
        while (begin < end && (begin % kFan != 0 || end - begin < kFan)) sum.add(level[begin++]);
        while (begin < end && end % kFan != 0) sum.add(level[--end]);
        if (begin == end) break;
    }
    return sum;
}

Beyond Pyramid::beyond(std::size_t begin, std::size_t end, double low, double high) const {
    KURVE_CHECK(begin <= end && end <= size(), "[{}, {}) of {}", begin, end, size());
    Beyond sum;
    while (begin < end) {
        // The largest whole block that begins here.
        std::size_t level = 0, points = 1;
        while (level < levels_.size() && begin % (points * kFan) == 0 && begin + points * kFan <= end) {
            points *= kFan;
            ++level;
        }
        sum.add(blockBeyond(level, begin / points, low, high));
        begin += points;
    }
    return sum;
}

Beyond Pyramid::blockBeyond(std::size_t level, std::size_t index, double low, double high) const {
    if (level == 0) {
        const double y = y_[index];
        if (!std::isfinite(y)) return {};
        return {y < low ? 1U : 0U, y > high ? 1U : 0U};
    }
    const Extent& extent = levels_[level - 1][index];
    if (extent.empty() || (extent.min >= low && extent.max <= high)) return {};
    std::size_t points = 1;
    for (std::size_t i = 0; i < level; ++i) points *= kFan;
    if (extent.max < low) return {points - extent.notFinite, 0};
    if (extent.min > high) return {0, points - extent.notFinite};
    Beyond sum;
    for (std::size_t i = 0; i < kFan; ++i) sum.add(blockBeyond(level - 1, index * kFan + i, low, high));
    return sum;
}

std::size_t Pyramid::lowerBound(double value) const {
    return static_cast<std::size_t>(std::lower_bound(x_.begin(), x_.end(), value) - x_.begin());
}

std::vector<Column> Pyramid::columns(std::span<const double> edges) const {
    std::vector<Column> columns(edges.empty() ? 0 : edges.size() - 1);
    if (columns.empty()) return columns;
    std::size_t begin = lowerBound(edges.front());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        Column& column = columns[i];
        const double edge = edges[i + 1];
        const double *from = x_.data() + begin, *end = x_.data() + x_.size();
        const double* to =
            i + 1 < columns.size() ? notBelow(from, end, edge) : std::upper_bound(from, end, edge);
        column.begin = begin;
        column.end = begin = static_cast<std::size_t>(to - x_.data());
        column.extent = extent(column.begin, column.end);
        if (column.extent.empty()) continue;
        std::size_t first = column.begin, last = column.end - 1;
        while (!std::isfinite(y_[first])) ++first;
        while (!std::isfinite(y_[last])) --last;
        column.first = y_[first];
        column.last = y_[last];
    }
    return columns;
}

std::vector<double> linearEdges(double low, double high, int count) {
    KURVE_CHECK(count > 0, "count {}", count);
    std::vector<double> edges;
    for (int i = 0; i < count; ++i) edges.push_back(low + (high - low) * i / count);
    edges.push_back(high);
    return edges;
}

std::vector<double> logEdges(double low, double high, int count) {
    KURVE_CHECK(count > 0 && low > 0 && high > 0, "[{}, {}] in {}", low, high, count);
    std::vector<double> edges;
    for (int i = 0; i < count; ++i)
        edges.push_back(low * std::pow(high / low, static_cast<double>(i) / count));
    edges.push_back(high);
    return edges;
}

}  // namespace kurve::series
