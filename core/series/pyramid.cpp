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

void Pyramid::append(double x, double y) {
    x_.push_back(x_.empty() || x >= x_.back() ? x : x_.back());
    y_.push_back(y);
    // A block is summed up once, when its last point arrives; then perhaps the block of blocks that it
    // completes.
    std::size_t block = kFan;
    for (std::size_t level = 0; x_.size() % block == 0; ++level, block *= kFan) {
        if (level == levels_.size()) levels_.emplace_back();
        Extent sum;
        if (level == 0) {
            for (std::size_t i = y_.size() - kFan; i < y_.size(); ++i) sum.add(y_[i]);
        } else {
            const auto& below = levels_[level - 1];
            for (std::size_t i = below.size() - kFan; i < below.size(); ++i) sum.add(below[i]);
        }
        levels_[level].push_back(sum);
    }
}

void Pyramid::append(std::span<const double> x, std::span<const double> y) {
    KURVE_CHECK(x.size() == y.size(), "{} x and {} y", x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) append(x[i], y[i]);
}

void Pyramid::clear() {
    x_.clear();
    y_.clear();
    levels_.clear();
}

Extent Pyramid::extent(std::size_t begin, std::size_t end) const {
    KURVE_CHECK(begin <= end && end <= size(), "[{}, {}) of {}", begin, end, size());
    Extent sum;
    // Single points up to a block's border at both ends, then the same one level up with what lies between.
    while (begin < end && (begin % kFan != 0 || end - begin < kFan)) sum.add(y_[begin++]);
    while (begin < end && end % kFan != 0) sum.add(y_[--end]);
    for (const auto& level : levels_) {
        begin /= kFan;
        end /= kFan;
        while (begin < end && (begin % kFan != 0 || end - begin < kFan)) sum.add(level[begin++]);
        while (begin < end && end % kFan != 0) sum.add(level[--end]);
        if (begin == end) break;
    }
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
        const auto from = x_.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto to = i + 1 < columns.size() ? std::lower_bound(from, x_.end(), edge)
                                               : std::upper_bound(from, x_.end(), edge);
        column.begin = begin;
        column.end = begin = static_cast<std::size_t>(to - x_.begin());
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
