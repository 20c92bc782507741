#include "core/metrics/detail/bleu.h"
#include "core/metrics/detail/tokenize.h"
#include "core/metrics/metric.h"

namespace kurve::metrics {

using detail::BleuSegment;

namespace {

std::vector<double> scoresOf(std::span<const BleuSegment> segments) {
    using namespace detail;
    std::vector<double> scores(segments.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
        for (std::size_t j = 0; j < scores.size(); ++j)
            if (j != i)
                scores[i] += bleuOf(bleuRow(segments[j], {&segments[i], 1}), BleuOrder::Effective).score;
        if (scores.size() > 1) scores[i] /= static_cast<double>(scores.size() - 1);
    }
    return scores;
}

}  // namespace

std::vector<double> mbrScores(std::span<const std::vector<std::int32_t>> candidates) {
    std::vector<BleuSegment> segments;
    for (const auto& candidate : candidates)
        segments.emplace_back(std::vector<std::uint32_t>(candidate.begin(), candidate.end()));
    return scoresOf(segments);
}

std::vector<double> mbrScores(std::span<const std::string> candidates) {
    detail::Vocabulary vocabulary;
    const auto tokenizer = detail::tokenizerOf({}, "13a");
    std::vector<BleuSegment> segments;
    for (const std::string& text : candidates) segments.emplace_back(vocabulary.ids(tokenizer->split(text)));
    return scoresOf(segments);
}

}  // namespace kurve::metrics
