#include "core/metrics/likelihood_bound.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/version.h"
#include "core/metrics/detail/bootstrap.h"

namespace kurve::metrics {
namespace {

/// Of sum y / sum x over independent texts.
double ratioError(std::span<const BoundedText> texts, double ratio, double tokens) {
    const auto n = static_cast<double>(texts.size());
    if (texts.size() < 2) return std::numeric_limits<double>::quiet_NaN();
    double squares = 0;
    for (const BoundedText& text : texts) squares += std::pow(text.nats - ratio * text.tokens, 2);
    return std::sqrt(n / (n - 1) * squares) / tokens;
}

}  // namespace

Result<std::map<std::string, Score>> likelihoodBounds(std::span<const BoundedText> texts,
                                                      const std::string& estimator) {
    detail::SentenceStatistics statistics(3);
    for (const BoundedText& text : texts)
        statistics.add(std::vector<double>{text.nats, text.tokens, text.characters});
    const std::vector<double> sums = statistics.sums();
    if (texts.empty() || sums[1] == 0) return requestError("metric.empty", "no tokens to score");
    std::map<std::string, Score> scores;
    scores[kNelbo] = detail::scoreOf(statistics, [](auto all) { return all[0] / all[1]; });
    scores[kPerplexityBound] =
        detail::scoreOf(statistics, [](auto all) { return std::exp(all[0] / all[1]); });
    scores[kBitsPerCharacter] =
        detail::scoreOf(statistics, [](auto all) { return all[0] / all[2] / std::numbers::ln2; });
    for (auto& [name, score] : scores)
        score.signature = fmt::format("level:token|eos:yes|estimator:{}|kurve:{}", estimator, versionText());
    scores[kNelbo].parts = {{"nats", sums[0]},
                            {"tokens", sums[1]},
                            {"characters", sums[2]},
                            {"standard_error", ratioError(texts, sums[0] / sums[1], sums[1])}};
    return scores;
}

}  // namespace kurve::metrics
