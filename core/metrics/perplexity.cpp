#include "core/metrics/perplexity.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "core/base/version.h"
#include "core/metrics/detail/bootstrap.h"

namespace kurve::metrics {

Result<Score> perplexity(std::span<const std::vector<double>> logProbabilities) {
    detail::SentenceStatistics statistics(2);
    for (const auto& sentence : logProbabilities)
        statistics.add(std::vector<double>{std::accumulate(sentence.begin(), sentence.end(), 0.0),
                                           static_cast<double>(sentence.size())});
    const std::vector<double> sums = statistics.sums();
    if (sums[1] == 0) return requestError("metric.empty", "no tokens to score");
    Score score =
        detail::scoreOf(statistics, [](std::span<const double> all) { return std::exp(-all[0] / all[1]); });
    score.signature = fmt::format("level:token|eos:yes|kurve:{}", versionText());
    score.parts = {{"log_probability", sums[0]}, {"tokens", sums[1]}};
    return score;
}

}  // namespace kurve::metrics
