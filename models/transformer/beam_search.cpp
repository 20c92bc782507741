#include "models/transformer/beam_search.h"

#include <algorithm>
#include <cmath>

namespace kurve::models::transformer {

void BeamSearch::advance(std::span<const Continuation> best) {
    std::vector<std::int64_t> heads;
    parents_.clear();
    tokens_.clear();
    logProbabilities_.clear();
    const bool mayEnd = settings_.endsAtEos || mustEnd();
    for (std::size_t rank = 0; rank < best.size(); ++rank) {
        const Continuation& next = best[rank];
        if (!std::isfinite(next.logProbability)) break;
        if (next.token == settings_.eos && mayEnd) {
            if (rank < static_cast<std::size_t>(settings_.beam)) finish(next);
            continue;
        }
        if (static_cast<std::int64_t>(tokens_.size()) == settings_.beam) continue;
        parents_.push_back(next.row);
        tokens_.push_back(next.token);
        logProbabilities_.push_back(next.logProbability);
        heads.push_back(static_cast<std::int64_t>(nodes_.size()));
        nodes_.push_back({heads_.empty() ? -1 : heads_[static_cast<std::size_t>(next.row)], next.token});
    }
    heads_ = std::move(heads);
    ++step_;
    done_ = static_cast<std::int64_t>(finished_.size()) == settings_.beam || tokens_.empty();
}

void BeamSearch::finish(const Continuation& end) {
    if (static_cast<std::int64_t>(finished_.size()) == settings_.beam) return;
    Hypothesis text;
    if (!heads_.empty()) text.ids = textOf(end.row);
    text.logProbability = end.logProbability;
    const auto length = static_cast<double>(text.ids.size() + 1);
    text.score = end.logProbability / std::pow(length, settings_.lengthPenalty);
    finished_.push_back(std::move(text));
}

std::vector<std::int32_t> BeamSearch::textOf(std::int64_t row) const {
    std::vector<std::int32_t> ids;
    for (std::int64_t n = heads_[static_cast<std::size_t>(row)]; n >= 0;
         n = nodes_[static_cast<std::size_t>(n)].parent)
        ids.push_back(nodes_[static_cast<std::size_t>(n)].token);
    std::reverse(ids.begin(), ids.end());
    return ids;
}

std::vector<Hypothesis> BeamSearch::finished() const {
    std::vector<Hypothesis> all = finished_;
    std::stable_sort(all.begin(), all.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    return all;
}

}  // namespace kurve::models::transformer
