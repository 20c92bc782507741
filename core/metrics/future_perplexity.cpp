#include "core/metrics/future_perplexity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/check.h"
#include "core/base/version.h"
#include "core/metrics/detail/bootstrap.h"

namespace kurve::metrics {
namespace {

using Sums = std::span<const double>;  ///< nats by position, then tokens by position

/// Mean NLLs by position. A resample of few texts may lack a position: it then has that of all texts.
std::vector<double> meanNlls(Sums sums, Sums all) {
    const std::size_t n = sums.size() / 2;
    std::vector<double> means;
    for (std::size_t j = 0; j < n; ++j) {
        const Sums from = sums[n + j] > 0 ? sums : all;
        means.push_back(from[j] / from[n + j]);
    }
    return means;
}

double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::string futurePerplexityAt(std::size_t position) {
    return fmt::format("{}_{}", kFuturePerplexity, position);
}

bool isFuturePerplexity(const std::string& id) {
    if (id == kFuturePerplexity || id == kFuturePerplexityGeometric) return true;
    const std::string start = std::string(kFuturePerplexity) + "_";
    return id.starts_with(start) && id.size() > start.size() &&
           std::all_of(id.begin() + static_cast<std::ptrdiff_t>(start.size()), id.end(),
                       [](char c) { return c >= '0' && c <= '9'; });
}

Result<std::map<std::string, Score>> futurePerplexities(std::span<const FutureNll> texts) {
    if (texts.empty()) return requestError("metric.empty", "no tokens to score");
    const std::size_t n = texts.front().nats.size();
    detail::SentenceStatistics statistics(2 * n);
    for (const FutureNll& text : texts) {
        KURVE_CHECK(text.nats.size() == n && text.tokens.size() == n, "{} and {} positions of {}",
                    text.nats.size(), text.tokens.size(), n);
        std::vector<double> row = text.nats;
        row.insert(row.end(), text.tokens.begin(), text.tokens.end());
        statistics.add(row);
    }
    const std::vector<double> sums = statistics.sums();
    if (n == 0 || sums[n] == 0) return requestError("metric.empty", "no tokens to score");
    const auto scored = [&](const auto& finish) {
        return detail::scoreOf(statistics, [&](Sums some) { return finish(meanNlls(some, sums)); });
    };
    std::map<std::string, Score> scores;
    for (std::size_t j = 0; j < n && sums[n + j] > 0; ++j)
        scores[futurePerplexityAt(j + 1)] =
            scored([j](const std::vector<double>& nlls) { return std::exp(nlls[j]); });
    if (scores.size() == n) {
        scores[kFuturePerplexity] = scored([](std::vector<double> nlls) {
            for (double& nll : nlls) nll = std::exp(nll);
            return mean(nlls);
        });
        scores[kFuturePerplexityGeometric] =
            scored([](const std::vector<double>& nlls) { return std::exp(mean(nlls)); });
    }
    for (auto& [name, score] : scores)
        score.signature = fmt::format("level:token|eos:yes|ahead:{}|kurve:{}", n, versionText());
    return scores;
}

}  // namespace kurve::metrics
