#include "app/engine/score_pairs.h"

#include <fmt/format.h>

#include <numeric>

#include "app/engine/teacher_forced_scoring.h"
#include "app/engine/text_lines.h"
#include "core/base/counted.h"

namespace kurve::engine {
namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

/// The pair as ids, each side with BOS and EOS; texts have no source.
Result<train::LikelihoodRequest> idsOf(const ScoreRequest& request, const LoadedModel& loaded) {
    KURVE_TRY(const Lines hypotheses, readLines(request.hypotheses));
    const bool texts = text::isText(loaded.run.config);
    if (!texts && request.sources.empty())
        return requestError("score.needs_run", "this run reads a text with its source")
            .at("--src")
            .fix("kurve score ppl --run RUN --src FILE --hyp FILE");
    Lines sources(hypotheses.size());
    if (!texts) {
        KURVE_TRY(sources, readLines(request.sources));
    }
    if (sources.size() != hypotheses.size())
        return requestError("metric.counts", fmt::format("{}, but {} has {}", counted(sources.size(), "line"),
                                                         request.hypotheses, hypotheses.size()))
            .in(request.sources)
            .fix("line i of every file must belong together");
    train::LikelihoodRequest pairs;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        pairs.sources.push_back(texts ? std::vector<std::int32_t>()
                                      : train::encodeWithSpecials(*loaded.tokenizers.source, sources[i]));
        pairs.targets.push_back(train::encodeWithSpecials(*loaded.tokenizers.target, hypotheses[i]));
    }
    return pairs;
}

}  // namespace

Status scorePairs(const CommonOptions& common, const ScoreRequest& request, Output& out) {
    if (request.run.empty())
        return requestError("score.needs_run", "ppl needs a run that reads the texts")
            .at("--run")
            .fix("kurve score ppl --run RUN --src FILE --hyp FILE; a run trained on texts needs no --src");
    KURVE_TRY(const LoadedModel loaded, loadModel(common, {request.run, request.checkpoint}));
    KURVE_TRY(const train::LikelihoodRequest pairs, idsOf(request, loaded));
    KURVE_TRY(const TeacherForcedScore teacherForced, teacherForcedScore(loaded, pairs));
    json document = scoreDocument(metrics::kPerplexity, teacherForced.score);
    document["run"] = loaded.run.id;
    document.update(loaded.weights.document());
    for (std::size_t i = 0; i < pairs.targets.size(); ++i) {
        const auto& logP = teacherForced.logProbabilities[i];
        json pair{{"log_probability", std::accumulate(logP.begin(), logP.end(), 0.0)},
                  {"tokens", logP.size()}};
        for (std::size_t n = 0; request.perToken && n < logP.size(); ++n)
            pair["by_token"].push_back(
                {text::shownToken(*loaded.tokenizers.target, pairs.targets[i][n + 1]), logP[n]});
        document["pairs"].push_back(std::move(pair));
    }
    out.result(document, scoreText(metrics::kPerplexity, teacherForced.score));
    return {};
}

}  // namespace kurve::engine
