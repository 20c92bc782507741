#include "core/sampling/mask_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.h"

namespace kurve::sampling {

int remaskCount(int ordinary, int passes, int pass, MaskRule rule) {
    KURVE_CHECK(ordinary >= 0 && pass >= 0 && pass < passes, "pass {} of {} over {} tokens", pass, passes,
                ordinary);
    if (pass + 1 == passes) return 0;
    const std::int64_t count = std::int64_t{ordinary} * (passes - pass - 1) / passes;
    const std::int64_t least = rule == MaskRule::MaskPredict ? std::min(1, ordinary) : 0;
    return static_cast<int>(std::max(count, least));
}

int trainingMaskCount(int maskable, double u, MaskRule rule) {
    const int most = rule == MaskRule::MaskPredict ? maskable - 1 : maskable;
    if (most <= 0) return 0;
    return std::min(most, static_cast<int>(std::floor(most * u)) + 1);  // u * n may round up to n
}

int replacedCount(int revealed, double rate) {
    constexpr double kRounding = 1e-9;  // 0.29 * 100 is meant to be 29
    return static_cast<int>(std::floor(rate * revealed + kRounding));
}

std::vector<int> lowest(std::span<const float> values, int count) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    std::vector<int> order;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != kInfinity) order.push_back(static_cast<int>(i));
    const auto value = [&](int i) {
        const float v = values[static_cast<std::size_t>(i)];
        return std::isnan(v) ? -kInfinity : v;
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return value(a) < value(b); });
    order.resize(std::min(order.size(), static_cast<std::size_t>(std::max(count, 0))));
    std::sort(order.begin(), order.end());
    return order;
}

double candidateScore(std::span<const float> logProbabilities, MaskRule rule) {
    const double sum = std::accumulate(logProbabilities.begin(), logProbabilities.end(), 0.0);
    const int specials = rule == MaskRule::MaskPredict ? 1 : 2;
    return sum / static_cast<double>(logProbabilities.size() + static_cast<std::size_t>(specials));
}

}  // namespace kurve::sampling
