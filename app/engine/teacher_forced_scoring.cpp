#include "app/engine/teacher_forced_scoring.h"

#include <fmt/format.h>

#include "core/metrics/perplexity.h"

namespace kurve::engine {

Result<TeacherForcedScore> teacherForcedScore(const LoadedModel& loaded,
                                              const train::LikelihoodRequest& pairs) {
    train::Likelihood* likelihood = loaded.model->likelihood();
    if (likelihood == nullptr)
        return requestError("score.no_likelihood",
                            fmt::format("the family {} has no exact likelihood", loaded.run.config.family()))
            .in(loaded.run.folder.string())
            .fix(loaded.model->multiTokenPrediction() != nullptr
                     ? "ask for future_ppl; future_ppl_1 is the next token's exact perplexity"
                 : loaded.model->likelihoodBound() != nullptr
                     ? "ask for ppl_bound, an upper bound of its perplexity"
                     : "score with a run of the family transformer: kurve score ppl --run RUN --src FILE "
                       "--hyp FILE");
    KURVE_TRY(train::Likelihoods found, likelihood->score(pairs));
    TeacherForcedScore out;
    KURVE_TRY(out.score, metrics::perplexity(found.logProbability));
    out.logProbabilities = std::move(found.logProbability);
    return out;
}

}  // namespace kurve::engine
