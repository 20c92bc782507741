#include "core/train/reranker.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/metrics/metric.h"

namespace kurve::train {

FieldSpec scorerField(std::string key) {
    return runField(std::move(key), "run that scores the candidates (selection ppl), with its own tokenizers")
        .fits({kExactLikelihood})
        .from("Difformer's code, ppl-mbr");
}

namespace {

Result<TextScorer*> scorerFor(RunResolver* maybeResolver, const RunConfig& sampler) {
    const std::string& run = sampler.text("sampler.scorer");
    const auto refused = [](std::string what) {
        return requestError("sample.scorer", std::move(what)).at("sampler.scorer");
    };
    if (run.empty())
        return refused("sampler.selection = \"ppl\" needs a scorer")
            .fix("name a run with an exact likelihood: --set sampler.scorer=RUN");
    if (maybeResolver == nullptr) return refused("scorers are not available here");
    auto scorer = maybeResolver->scorer(*sampler.schema().find("sampler.scorer"), run);
    if (!scorer && scorer.error().code == "run.missing")
        return std::move(scorer.error())
            .fix(
                "name another scorer, or none: --set sampler.selection=likelihood; a run that was trained "
                "with it continues without: kurve fork RUN --set sampler.selection=likelihood --set "
                "sampler.scorer=");
    return scorer;
}

std::vector<std::string> candidateTexts(const GeneratedRow& row, const text::Tokenizer& target) {
    std::vector<std::string> texts;
    for (const Candidate& candidate : row.candidates) texts.push_back(target.decode(candidate.ids));
    return texts;
}

/// Of all rows' candidates, in their order.
std::vector<double> consensusScores(const text::Tokenizer& target, const std::vector<GeneratedRow>& rows) {
    std::vector<double> scores;
    for (const GeneratedRow& row : rows)
        for (const double score : metrics::mbrScores(candidateTexts(row, target))) scores.push_back(score);
    return scores;
}

Result<std::vector<double>> scorerScores(TextScorer& scorer, std::span<const std::string> sources,
                                         const text::Tokenizer& target,
                                         const std::vector<GeneratedRow>& rows) {
    std::vector<ScoredPair> pairs;
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::string& text : candidateTexts(rows[r], target))
            pairs.push_back({sources[r], std::move(text)});
    KURVE_TRY(std::vector<double> scores, scorer.score(pairs));
    KURVE_CHECK(scores.size() == pairs.size(), "{} scores of {} candidates", scores.size(), pairs.size());
    return scores;
}

}  // namespace

Result<Reranker> rerankerFor(RunResolver* maybeResolver, const RunConfig& sampler) {
    Reranker reranker;
    if (!sampler.has("sampler.selection")) return reranker;
    const std::string& selection = sampler.text("sampler.selection");
    reranker.minimumBayesRisk = selection == kMbrSelection;
    if (selection == kPplSelection) {
        KURVE_TRY(reranker.maybeScorer, scorerFor(maybeResolver, sampler));
    }
    return reranker;
}

Status rankCandidates(const Reranker& reranker, std::span<const std::string> sources,
                      const text::Tokenizer& target, std::vector<GeneratedRow>& rows,
                      std::optional<std::int64_t> maybeFirst) {
    KURVE_CHECK(sources.size() == rows.size(), "{} sources of {} rows", sources.size(), rows.size());
    std::vector<double> scores;
    if (reranker.minimumBayesRisk) {
        scores = consensusScores(target, rows);
    } else {
        KURVE_TRY(scores, scorerScores(*reranker.maybeScorer, sources, target, rows));
    }
    auto score = scores.begin();
    for (std::size_t r = 0; r < rows.size(); ++r) {
        auto& all = rows[r].candidates;
        for (Candidate& candidate : all) candidate.score = *score++;
        std::stable_sort(all.begin(), all.end(),
                         [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
        if (r == 0 && maybeFirst)
            std::stable_partition(all.begin(), all.end(),
                                  [&](const Candidate& one) { return one.number == *maybeFirst; });
        if (!all.empty()) rows[r].best = all.front();
    }
    return {};
}

}  // namespace kurve::train
