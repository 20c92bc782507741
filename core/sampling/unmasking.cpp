#include "core/sampling/unmasking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/check.h"
#include "core/base/random_stream.h"
#include "core/sampling/mask_choice.h"

namespace kurve::sampling {
namespace {

/// The certainty in the order's own unit.
float valueOf(const Certainty& certainty, UnmaskingOrder order) {
    switch (order) {
        case UnmaskingOrder::Confidence:
            return certainty.confidence;
        case UnmaskingOrder::Margin:
            return certainty.margin;
        case UnmaskingOrder::Entropy:
            return certainty.entropy;
        case UnmaskingOrder::Random:
            break;
    }
    KURVE_CHECK(false, "a random order has no certainty");
    return 0;
}

/// The lower, the more certain. Finite, since lowest() skips +infinity and ranks NaN first.
std::vector<float> uncertainties(std::span<const Certainty> certainties, UnmaskingOrder order) {
    constexpr float kLargest = std::numeric_limits<float>::max();
    std::vector<float> result;
    result.reserve(certainties.size());
    for (const Certainty& certainty : certainties) {
        const float value = valueOf(certainty, order);
        const float signedValue = order == UnmaskingOrder::Entropy ? value : -value;
        result.push_back(std::isnan(value) ? kLargest : std::clamp(signedValue, -kLargest, kLargest));
    }
    return result;
}

bool passes(const Certainty& certainty, UnmaskingOrder order, float threshold) {
    const float value = valueOf(certainty, order);
    return order == UnmaskingOrder::Entropy ? value <= threshold : value >= threshold;
}

}  // namespace

std::vector<int> mostCertain(std::span<const Certainty> certainties, UnmaskingOrder order, int count) {
    return lowest(uncertainties(certainties, order), count);
}

std::vector<int> randomChoice(int masked, int count, RandomStream& stream) {
    std::vector<int> order(static_cast<std::size_t>(std::max(masked, 0)));
    std::iota(order.begin(), order.end(), 0);
    const std::size_t taken = std::min(order.size(), static_cast<std::size_t>(std::max(count, 0)));
    for (std::size_t i = 0; i < taken; ++i) std::swap(order[i], order[i + stream.below(order.size() - i)]);
    order.resize(taken);
    std::sort(order.begin(), order.end());
    return order;
}

std::vector<int> aboveThreshold(std::span<const Certainty> certainties, UnmaskingOrder order,
                                double threshold) {
    const auto bound = static_cast<float>(threshold);  // a probability of 0.9f must pass 0.9
    std::vector<int> result;
    for (std::size_t i = 0; i < certainties.size(); ++i)
        if (passes(certainties[i], order, bound)) result.push_back(static_cast<int>(i));
    return result.empty() ? mostCertain(certainties, order, 1) : result;
}

std::vector<int> entropyBounded(std::span<const Certainty> certainties, double gamma) {
    std::vector<float> sorted = uncertainties(certainties, UnmaskingOrder::Entropy);
    std::sort(sorted.begin(), sorted.end());
    double smaller = 0;  // sum of all but the largest entropy of the set
    int count = 0;
    for (const float entropy : sorted) {
        if (count > 0 && !(smaller <= gamma)) break;
        ++count;
        smaller += entropy;
    }
    return mostCertain(certainties, UnmaskingOrder::Entropy, count);
}

int evenBudget(int masked, int step, int steps) {
    KURVE_CHECK(masked >= 0 && step >= 0 && step < steps, "step {} of {} with {} masked", step, steps,
                masked);
    const int left = steps - step;
    return masked / left + (masked % left > 0 ? 1 : 0);
}

double unmaskProbability(double pt, double ps) {
    return pt > 0 ? std::clamp((pt - ps) / pt, 0.0, 1.0) : 1;
}

}  // namespace kurve::sampling
