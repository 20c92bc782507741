#include "core/train/likelihood_scores.h"

#include <algorithm>
#include <numeric>

#include "core/base/text.h"
#include "core/metrics/likelihood_bound.h"
#include "core/text/tokenizer.h"
#include "core/train/likelihood.h"
#include "core/train/multi_token_prediction.h"

namespace kurve::train {
namespace {

using Ids = std::vector<std::vector<std::int32_t>>;

struct Examples {
    Ids sources, targets;
};

Examples examplesOf(const text::Split& split, std::size_t count) {
    Examples examples;
    for (std::size_t i = 0; i < count; ++i) {
        examples.sources.push_back(split.source(i));
        examples.targets.push_back(split.target(i));
    }
    return examples;
}

Result<LikelihoodBounds> boundsOf(LikelihoodBound& model, Examples examples, const ScoredExamples& which) {
    BoundRequest request;
    request.sources = std::move(examples.sources);
    request.targets = std::move(examples.targets);
    request.seed = which.seed;
    request.draws = which.draws;
    request.cancel = which.cancel;
    return model.bound(request);
}

/// An exact likelihood as a bound that is met.
Result<LikelihoodBounds> exactOf(Likelihood& model, Examples examples, const ScoredExamples& which) {
    LikelihoodRequest request;
    request.sources = std::move(examples.sources);
    request.targets = std::move(examples.targets);
    request.cancel = which.cancel;
    KURVE_TRY(const Likelihoods found, model.score(request));
    LikelihoodBounds out;
    out.cancelled = found.cancelled;
    out.estimator = "exact";
    for (const auto& logP : found.logProbability) {
        out.nats.push_back(-std::accumulate(logP.begin(), logP.end(), 0.0));
        out.tokens.push_back(static_cast<std::int64_t>(logP.size()));
    }
    return out;
}

Result<std::map<std::string, metrics::Score>> futureScores(MultiTokenPrediction& model, Examples examples,
                                                           const ScoredExamples& which) {
    LikelihoodRequest request;
    request.sources = std::move(examples.sources);
    request.targets = std::move(examples.targets);
    request.cancel = which.cancel;
    KURVE_TRY(const auto found, model.futureNll(request));
    if (found.cancelled) return std::map<std::string, metrics::Score>();
    return metrics::futurePerplexities(found.texts);
}

}  // namespace

Result<std::map<std::string, metrics::Score>> likelihoodScores(SequenceModel& model, const text::Split& split,
                                                               const ScoredExamples& which) {
    std::map<std::string, metrics::Score> none;
    Likelihood* const exact = model.likelihood();
    MultiTokenPrediction* const several = model.multiTokenPrediction();
    if (exact == nullptr && several == nullptr && model.likelihoodBound() == nullptr) return none;
    const std::size_t count = std::min(which.texts.size(), split.size());
    const Examples examples = examplesOf(split, count);
    if (several != nullptr) return futureScores(*several, examples, which);
    KURVE_TRY(const LikelihoodBounds found, exact != nullptr
                                                ? exactOf(*exact, examples, which)
                                                : boundsOf(*model.likelihoodBound(), examples, which));
    if (found.cancelled) return none;
    std::vector<metrics::BoundedText> texts;
    for (std::size_t i = 0; i < count; ++i) {
        const auto lineEnds =
            std::count(examples.targets[i].begin() + 1, examples.targets[i].end(), split.special.eos);
        texts.push_back(
            {found.nats[i], static_cast<double>(found.tokens[i]),
             static_cast<double>(codePoints(which.texts[i].target).size()) + static_cast<double>(lineEnds)});
    }
    KURVE_TRY(auto scores, metrics::likelihoodBounds(texts, found.estimator));
    if (exact != nullptr)
        std::erase_if(scores, [](const auto& score) { return score.first != metrics::kBitsPerCharacter; });
    return scores;
}

}  // namespace kurve::train
