#include "core/text/unigram_entropy.h"

#include <cmath>
#include <span>
#include <unordered_map>

namespace kurve::text {

double unigramEntropy(const Split& split) {
    std::unordered_map<std::int32_t, double> counts;
    double all = 0;
    for (std::size_t pair = 0; pair < split.size(); ++pair) {
        const auto ids = split.target(pair);
        if (ids.size() < 3) continue;
        for (const std::int32_t id : std::span(ids).subspan(1, ids.size() - 2)) ++counts[id];
        all += static_cast<double>(ids.size() - 2);
    }
    double nats = 0;
    for (const auto& [id, count] : counts) nats -= count / all * std::log(count / all);
    return nats;
}

}  // namespace kurve::text
