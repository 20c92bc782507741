#include "core/train/likelihood_scores.h"

#include <algorithm>
#include <numeric>
#include <span>

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

/// Of a text with its line ends. The lines of running text count each by itself: decoded together, most
/// tokenizers put a space where a line ends.
std::size_t charactersOf(std::span<const std::int32_t> ids, const std::string& text,
                         const text::Tokenizer& tokenizer) {
    const std::int32_t eos = tokenizer.special().eos;
    std::size_t characters = 0, lines = 0;
    for (auto rest = ids.subspan(1); !rest.empty(); ++lines) {  // BOS
        const auto length = static_cast<std::size_t>(std::ranges::find(rest, eos) - rest.begin());
        characters += codePoints(tokenizer.decode(rest.first(length))).size();
        rest = rest.subspan(std::min(length + 1, rest.size()));
    }
    return (lines > 1 ? characters : codePoints(text).size()) + lines;
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
        texts.push_back(
            {found.nats[i], static_cast<double>(found.tokens[i]),
             static_cast<double>(charactersOf(examples.targets[i], which.texts[i].target, which.tokenizer))});
    }
    KURVE_TRY(auto scores, metrics::likelihoodBounds(texts, found.estimator));
    if (exact != nullptr)
        std::erase_if(scores, [](const auto& score) { return score.first != metrics::kBitsPerCharacter; });
    return scores;
}

}  // namespace kurve::train
