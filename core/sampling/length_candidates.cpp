#include "core/sampling/length_candidates.h"

#include <algorithm>
#include <numeric>

#include "core/base/check.h"

namespace kurve::sampling {
namespace {

std::int32_t clamped(std::int64_t length, const LengthLimits& limits) {
    return static_cast<std::int32_t>(std::clamp(length, limits.shortest, limits.longest));
}

}  // namespace

std::vector<std::int32_t> windowLengths(std::int64_t predicted, std::int64_t beam,
                                        const LengthLimits& limits) {
    std::vector<std::int32_t> lengths;
    for (std::int64_t i = 0; i < beam; ++i) lengths.push_back(clamped(predicted + i - beam / 2, limits));
    return lengths;
}

std::vector<std::int32_t> likeliestLengths(std::span<const float> scores, std::int64_t offset,
                                           std::int64_t beam, const LengthLimits& limits) {
    KURVE_CHECK(beam <= static_cast<std::int64_t>(scores.size()), "{} of {} lengths", beam, scores.size());
    std::vector<std::int64_t> classes(scores.size());
    std::iota(classes.begin(), classes.end(), std::int64_t{0});
    std::stable_sort(classes.begin(), classes.end(), [&](std::int64_t a, std::int64_t b) {
        return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
    });
    std::vector<std::int32_t> lengths;
    for (std::int64_t i = 0; i < beam; ++i)
        lengths.push_back(clamped(classes[static_cast<std::size_t>(i)] + offset, limits));
    return lengths;
}

}  // namespace kurve::sampling
