#include "core/metrics/detail/bleu.h"
#include "core/metrics/metric.h"

namespace kurve::metrics {

std::vector<double> mbrScores(std::span<const std::vector<std::int32_t>> candidates) {
    using namespace detail;
    std::vector<BleuSegment> segments;
    for (const auto& candidate : candidates) {
        const std::vector<std::uint32_t> ids(candidate.begin(), candidate.end());
        segments.emplace_back(ids);
    }
    std::vector<double> scores(candidates.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
        for (std::size_t j = 0; j < scores.size(); ++j)
            if (j != i)
                scores[i] += bleuOf(bleuRow(segments[j], {&segments[i], 1}), BleuOrder::Effective).score;
        if (scores.size() > 1) scores[i] /= static_cast<double>(scores.size() - 1);
    }
    return scores;
}

}  // namespace kurve::metrics
