#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/metrics/metric.h"

namespace kurve::metrics {

/// Their names among the metrics; a model's, so not in metricKinds(). That of position j is
/// futurePerplexityAt(j).
inline constexpr const char *kFuturePerplexity = "future_ppl",
                            *kFuturePerplexityGeometric = "future_ppl_geometric";
/// "future_ppl_2": j = 1 is the next token.
[[nodiscard]] std::string futurePerplexityAt(std::size_t position);
[[nodiscard]] bool isFuturePerplexity(const std::string& id);

/// Of one text: by j, the sum of -log p of the j-th token after every position, and how many there are.
struct FutureNll {
    std::vector<double> nats, tokens;
};

/// Of models that predict n tokens from one state (Sentence Curve Language Models, sec. 5.4). By name:
/// future_ppl_j, the exp of the mean NLL of the j-th future token, sums over texts divided once; future_ppl,
/// their arithmetic mean over j; future_ppl_geometric, the exp of the mean over j of those NLLs. Only
/// future_ppl_1 is the perplexity of a text, that of its tokens one by one. n is the same in all texts. Where
/// no text has a token j ahead, there is neither future_ppl_j nor a mean. Errors: metric.empty.
Result<std::map<std::string, Score>> futurePerplexities(std::span<const FutureNll> texts);

}  // namespace kurve::metrics
