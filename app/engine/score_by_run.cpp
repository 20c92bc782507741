#include "app/engine/score_by_run.h"

#include <algorithm>

#include "core/frontier/sweep_point.h"
#include "core/metrics/perplexity.h"

namespace kurve::engine {

Result<train::TextScorer*> metricScorer(const LoadedModel& scored, const std::string& requested) {
    const bool own = requested.empty() && scored.sampler.has("sampler.scorer");
    const std::string& run = own ? scored.sampler.text("sampler.scorer") : requested;
    if (run.empty())
        return requestError("metric.no_scorer", "gen_ppl, mauve, mi and coherence need a scorer")
            .at("--scorer")
            .fix("name a run with an exact likelihood: --scorer RUN");
    KURVE_TRY(auto* scorer,
              scored.resolver->scorer(own ? train::scorerField() : train::scorerField("--scorer"), run));
    if (text::isWithoutSource(scored.run.config) && !text::isText(scorer->run().config))
        return requestError("scorer.no_source", fmt::format("the run {} reads a text with its source", run))
            .at("--scorer")
            .fix("name a run that was trained on texts: data.kind = \"text\"");
    return scorer;
}

bool needsScorer(const std::string& metric) {
    return frontier::isScorerQuality(metric);
}

namespace {

Result<metrics::Score> genPerplexity(const train::ScoredTexts& outputs) {
    std::vector<std::vector<double>> readable;
    for (const auto& one : outputs.logProbability)
        if (!one.empty()) readable.push_back(one);
    KURVE_TRY(metrics::Score score, metrics::perplexity(readable));
    score.parts["unread"] = static_cast<double>(outputs.logProbability.size() - readable.size());
    return score;
}

}  // namespace

Result<train::ScoredTexts> readBehindPrompts(train::TextScorer& scorer,
                                             std::span<const train::ScoredPair> pairs, bool states) {
    std::vector<train::ScoredPair> whole;
    for (const auto& [prompt, text] : pairs)
        whole.push_back({"", prompt.empty() ? text : prompt + " " + text});
    KURVE_TRY(train::ScoredTexts read, scorer.read(whole, states));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        auto& logP = read.logProbability[i];
        if (logP.empty()) continue;  // too long
        const std::size_t given = scorer.run().tokenizers.target->encode(pairs[i].source).size();
        logP.erase(logP.begin(),
                   logP.begin() + static_cast<std::ptrdiff_t>(std::min(given, logP.size() - 1)));
    }
    return read;
}

Result<metrics::Score> scoreByRun(const std::string& metric, const train::TextScorer& scorer,
                                  const train::ScoredTexts& outputs, const train::ScoredTexts& references) {
    auto score =
        metric == metrics::kMauve ? metrics::mauve(outputs.state, references.state) : genPerplexity(outputs);
    if (!score) {
        if (score.error().code != "metric.empty") return score;
        return workError("metric.empty",
                         "all outputs or their sources are longer than the scorer's model.max_positions")
            .at(metric)
            .fix("choose a scorer with a larger model.max_positions");
    }
    score->signature +=
        fmt::format("|scorer:{}|unread:{}", scorer.name(), static_cast<int>(score->parts["unread"]));
    return score;
}

}  // namespace kurve::engine
