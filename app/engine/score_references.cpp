#include "app/engine/score_references.h"

#include <fmt/format.h>

#include "app/engine/control_link.h"
#include "core/metrics/brier_scores.h"
#include "core/metrics/future_perplexity.h"
#include "core/train/brier_scores.h"
#include "core/train/likelihood_scores.h"
#include "core/train/multi_token_prediction.h"

namespace kurve::engine {
namespace {

Error noSuchLikelihood(const LoadedModel& loaded, const std::string& id) {
    train::MultiTokenPrediction* const several = loaded.model->multiTokenPrediction();
    const std::string& family = loaded.run.config.family();
    if (!metrics::isFuturePerplexity(id))
        return requestError("score.no_bound",
                            fmt::format("the family {} has no bound of its likelihood", family))
            .at(id)
            .fix(several != nullptr ? "ask for future_ppl, or for future_ppl_1: the next token's is exact"
                 : loaded.model->brierDraws() != nullptr && loaded.model->likelihood() == nullptr
                     ? "ask for brier: it needs no likelihood"
                     : "ask for ppl and, of texts, bits_per_char where its likelihood is exact");
    if (several == nullptr)
        return requestError("score.no_future",
                            fmt::format("the family {} does not predict several tokens at once", family))
            .at(id)
            .fix("kurve describe metrics");
    return requestError("score.no_future",
                        fmt::format("the run predicts {} tokens at once, and the texts have to have them",
                                    several->tokensPerState()))
        .at(id)
        .fix(fmt::format("ask for a position from {} to {}", metrics::futurePerplexityAt(1),
                         metrics::futurePerplexityAt(static_cast<std::size_t>(several->tokensPerState()))));
}

}  // namespace

Status addLikelihoods(const CommonOptions& common, const LoadedModel& loaded, const EvalRequest& request,
                      const std::vector<std::string>& ids, const AddScore& add) {
    if (ids.empty()) return {};
    const text::Split& part = request.split == "test" ? loaded.data->test : loaded.data->valid;
    const std::size_t count = request.limit > 0 ? static_cast<std::size_t>(request.limit) : part.size();
    KURVE_TRY(auto texts, part.texts(0, count));
    const train::ScoredExamples which{std::move(texts), *loaded.tokenizers.target, 4, loaded.seed(common)};
    KURVE_TRY(const auto scores, train::likelihoodScores(*loaded.model, part, which));
    for (const auto& id : ids) {
        if (!scores.contains(id)) return noSuchLikelihood(loaded, id);
        add(id, scores.at(id));
    }
    return {};
}

Result<std::map<std::string, metrics::Score>> briersOf(const CommonOptions& common, const LoadedModel& loaded,
                                                       const EvalRequest& request, const EvalPairs& pairs,
                                                       ControlLink& link) {
    train::BrierDraws* const draws = loaded.model->brierDraws();
    if (draws == nullptr)
        return requestError("score.no_draws",
                            fmt::format("this run of {} does not draw texts from left to right",
                                        loaded.run.config.family()))
            .at(metrics::kBrier)
            .fix("ask for brier of a run of calm, or of a transformer of texts");
    train::BrierRequest asked;
    asked.texts = pairs.ids.targets;
    asked.draws = request.brierDraws;
    asked.every = request.brierEvery;
    if (request.twoSamples) asked.estimator = metrics::PairEstimator::TwoSamples;
    asked.seed = loaded.seed(common);
    CancelToken cancel = asked.cancel;
    asked.alive = [&] {
        if (link.stopRequested()) cancel.request();
    };
    KURVE_TRY(auto scores, train::brierScores(*draws, asked, loaded.sampler));
    if (scores.empty() && !cancel.requested())
        return requestError("metric.empty", "no text has a place that four tokens follow")
            .at(metrics::kBrier);
    return scores;
}

}  // namespace kurve::engine
