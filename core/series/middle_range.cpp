#include "core/series/middle_range.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace kurve::series {

namespace {

constexpr std::size_t kMostTaken = 1U << 18U, kOneIn = 100, kFewest = 20;

std::vector<double> taken(const std::vector<std::span<const double>>& parts, Values which) {
    std::size_t all = 0;
    for (const auto& part : parts) all += part.size();
    const std::size_t stride = (all + kMostTaken - 1) / kMostTaken;
    std::vector<double> values;
    values.reserve(std::min(all, kMostTaken));
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

std::optional<std::pair<double, double>> middleRange(const std::vector<std::span<const double>>& parts,
                                                     Values which) {
    std::vector<double> values = taken(parts, which);
    if (values.empty()) return std::nullopt;
    const std::size_t out = values.size() < kFewest ? 0 : (values.size() + kOneIn - 1) / kOneIn;
    const auto at = [&](std::size_t i) {
        const auto place = values.begin() + static_cast<std::ptrdiff_t>(i);
        std::nth_element(values.begin(), place, values.end());
        return *place;
    };
    const double low = at(out);
    return std::pair(low, at(values.size() - 1 - out));
}

}  // namespace kurve::series
