#include "core/series/percentile_range.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kurve::series {

namespace {

constexpr std::size_t kMostSampled = 1U << 18U, kOneIn = 100, kFewest = 20;

std::vector<double> sampled(const std::vector<std::span<const double>>& parts, Values which) {
    std::size_t all = 0;
    for (const auto& part : parts) all += part.size();
    const std::size_t stride = (all + kMostSampled - 1) / kMostSampled;
    std::vector<double> values;
    values.reserve(std::min(all, kMostSampled));
    std::size_t next = 0;  // goes through all parts as if they were one
    for (const auto& part : parts) {
        for (; next < part.size(); next += stride)
            if (std::isfinite(part[next]) && (which == Values::All || part[next] > 0))
                values.push_back(part[next]);
        next -= part.size();
    }
    return values;
}

}  // namespace

std::optional<std::pair<double, double>> percentileRange(const std::vector<std::span<const double>>& parts,
                                                         Values which) {
    std::vector<double> values = sampled(parts, which);
    if (values.empty()) return std::nullopt;
    const std::size_t out = values.size() < kFewest ? 0 : (values.size() + kOneIn - 1) / kOneIn;
    const auto at = [&](std::size_t i) {
        const auto nth = values.begin() + static_cast<std::ptrdiff_t>(i);
        std::nth_element(values.begin(), nth, values.end());
        return *nth;
    };
    const double low = at(out);
    return std::pair(low, at(values.size() - 1 - out));
}

}  // namespace kurve::series
