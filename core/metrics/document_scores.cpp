#include "core/metrics/document_scores.h"

#include <fmt/format.h>

#include <array>
#include <numeric>

#include "core/base/version.h"
#include "core/metrics/detail/bootstrap.h"
#include "core/metrics/scorer_metrics.h"

namespace kurve::metrics {
namespace {

constexpr double kSigmoidScale = 3;  // of the sigmoid, LCM, section 2.4.4

Error nothingRead(const char* id) {
    return workError("metric.empty", "the scorer could read nothing of it")
        .at(id)
        .fix("choose a scorer that reads longer texts: its data.max_length");
}

}  // namespace

bool isByScorer(const std::string& score) {
    return score == kGenPerplexity || score == kMauve || score == kMutualInformation ||
           score.starts_with(kCoherence);  // with its levels
}

Result<Score> mutualInformation(std::span<const SentenceLikelihood> sentences) {
    detail::SentenceStatistics statistics(2);
    for (const auto& [inContext, alone, tokens] : sentences)
        statistics.add(std::array<double, 2>{inContext - alone, tokens});
    if (statistics.sentences() == 0 || statistics.sums()[1] <= 0) return nothingRead(kMutualInformation);
    Score score = detail::scoreOf(statistics, [](auto sums) { return sums[0] / std::max(sums[1], 1.0); });
    score.signature = fmt::format("unit:nats|kurve:{}", versionText());
    return score;
}

Result<Score> coherence(std::span<const OrderLikelihood> documents) {
    detail::SentenceStatistics statistics(2);
    for (const auto& [asIs, permuted] : documents) {
        const double other =
            std::accumulate(permuted.begin(), permuted.end(), 0.0) / static_cast<double>(permuted.size());
        statistics.add(std::array<double, 2>{1 / (1 + std::exp((other - asIs) / kSigmoidScale)), 1});
    }
    if (statistics.sentences() == 0) return nothingRead(kCoherence);
    Score score = detail::scoreOf(statistics, [](auto sums) { return sums[0] / sums[1]; });
    score.signature = fmt::format("kurve:{}", versionText());
    return score;
}

}  // namespace kurve::metrics
